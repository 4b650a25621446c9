import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { createZones } from '../../src/core/bounds/zones.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { parseExplainBody } from '../../src/core/explain/asked.ts';
import { createExplain } from '../../src/core/explain/explanation.ts';
import { readPathsOf, type AnswerPlan } from '../../src/core/query/answer-plan.ts';
import type { EventStore } from '../../src/index.ts';
import { AT_ONCE, referenceOf } from './expected.ts';
import { ASKED, ASKED_EVENTS } from './question-bodies.ts';
import { newTenantId, type Suite } from './runner.ts';

/** The paths of a plan, each once, in the order of their names. */
const pathsOf = ({ paths }: Pick<AnswerPlan, 'paths'>) => [...new Set(paths.map(({ path }) => path))].sort();

/** The tests of explanations: of every question, whatever the store answers it by. */
export function testExplain({ test, expect }: Suite<EventStore>): void {
  test('every question is explained by what it reads, and an explanation holds no event', async ({
    store,
  }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, ASKED_EVENTS);
    const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
    const answers = answersOf(store, { seed: [1, 2], scheduler: AT_ONCE, memory });
    const explain = createExplain({ answers, scheduler: AT_ONCE, zones: createZones('2025c') });
    for (const [question, body] of ASKED) {
      const asked = parseExplainBody({ ...body, question });
      if (asked.reading.method === 'since' && store.since === undefined) continue;
      const found = await explain(tenantId, asked);
      expect([found.question, found.body]).toEqual([question, asked.body]);
      const { plan } = found;
      if (plan.by !== 'columns') expect(plan.paths).toEqual(readPathsOf(asked.reading));
      else {
        expect(plan.events).toEqual(ASKED_EVENTS.length);
        // All events are counted without a look at any.
        if (plan.paths.length > 0)
          expect(pathsOf(plan)).toEqual(pathsOf({ paths: readPathsOf(asked.reading) }));
      }
      const text = JSON.stringify({ ...found, typeMismatches: [] });
      expect(['"ada"', '"cid"', 'event-0', 'MUG-01', '"MAY"'].filter((each) => text.includes(each))).toEqual(
        [],
      );
      expect(memory.bytes).toEqual(0);
    }
  });

  test('what an explanation says was understood means the same', async ({ store }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, ASKED_EVENTS);
    const reference = referenceOf(ASKED_EVENTS);
    for (const [question, body] of ASKED) {
      const { body: understood, query } = parseExplainBody({ ...body, question });
      const again = parseExplainBody({ ...understood, question });
      expect(again.body).toEqual(understood);
      expect(reference(again.query)).toEqual(reference(query));
      expect(await store.count(tenantId, again.query)).toEqual(reference(query).length);
    }
  });
}
