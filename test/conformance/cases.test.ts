import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../adapters/memory/index.ts';
import { parseEvent } from '../../src/core/event/parse-event.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { EventStore } from '../../src/index.ts';
import { compilePredicate, parseCountBody } from '../../src/store-kit.ts';
import { ARRIVAL_RULE, RULES, type Case, type CaseFields } from './cases.ts';
import { newTenantId, type Fixture } from './runner.ts';
import { sqliteFixture } from './sqlite-fixture.ts';
import { testResources } from '../support/resources.ts';

const runtime = { now: () => Date.parse('2024-05-20T00:00:00Z'), newInsertId: () => 'unused' };

function read([filter, event]: Case) {
  const { receivedAt, ...fields }: CaseFields =
    typeof event === 'string' ? { properties: JSON.parse(event) as Record<string, unknown> } : event;
  const arrival = typeof receivedAt === 'string' ? Date.parse(receivedAt) : undefined;
  const input = { eventName: 'e', userId: 'u', eventTs: '2024-05-18T10:00:00Z', insertId: 'i', ...fields };
  return {
    query: parseCountBody({ filterSet: [filter] }),
    stored: { ...parseEvent(input, runtime), receivedAt: arrival },
  };
}

describe.each([...RULES, ARRIVAL_RULE])('$rule', ({ cases }) => {
  const named = cases.map((one) => [`${JSON.stringify(one[0])} on ${JSON.stringify(one[1])}`, one] as const);

  it.each(named)('%s: by the predicates', (_, one) => {
    const { query, stored } = read(one);
    for (const codeGeneration of [true, false]) {
      const predicate = compilePredicate(query, { codeGeneration });
      expect(predicate(toEventView(stored))).toBe(one[2]);
    }
  });

  describe.each(['memory', 'sqlite'] as const)('in %s', (name) => {
    let fixture: Fixture<EventStore>;
    beforeAll(() => {
      fixture =
        name === 'memory'
          ? { store: memoryEventStore({ resources: testResources() }) }
          : sqliteFixture('events');
    });
    afterAll(() => fixture.close?.());

    it.each(named)('%s', async (_, one) => {
      const { query, stored } = read(one);
      const tenantId = newTenantId();
      await fixture.store.append(tenantId, [stored]);
      expect(await fixture.store.count(tenantId, query)).toBe(one[2] ? 1 : 0);
    });
  });
});
