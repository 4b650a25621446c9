import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { parseExplainBody } from '../../../src/core/explain/asked.ts';
import { createEngine, type QuestionName, type TenantEvents } from '../../../src/index.ts';
import {
  retentionBodies,
  sequenceBodies,
  steppingBatches,
  usersBodies,
} from '../../conformance/arbitraries/sequences.ts';
import { ASKED, ASKED_EVENTS } from '../../conformance/question-bodies.ts';
import { testResources } from '../../support/resources.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';

async function open(events: readonly StoredEvent[]): Promise<TenantEvents> {
  const resources = testResources();
  const store = memoryEventStore({ resources });
  await store.append('shop', events);
  return createEngine({ events: store, resources }).tenant('shop');
}

/** Asks each question by its body alone. */
const ASK: Readonly<Record<QuestionName, (shop: TenantEvents, body: never) => Promise<unknown>>> = {
  query: async (shop, body) => (await shop.query(body)).events,
  count: (shop, body) => shop.count(body),
  breakdown: (shop, body) => shop.breakdown(body),
  sequence: (shop, body) => shop.sequence(body),
  users: async (shop, body) => (await shop.userPage(body)).users,
  retention: (shop, body) => shop.retention(body),
  compare: (shop, body) => shop.compare(body),
  top: (shop, body) => shop.top(body),
  tail: async (shop, body) => (await shop.since(body, { position: (await shop.since()).position })).events,
  export: async (shop, body) => {
    const events: unknown[] = [];
    for await (const event of shop.export(body)) events.push(event);
    return events;
  },
};

/** What is answered, or the words of its refusal. */
const answerTo = (shop: TenantEvents, question: QuestionName, body: unknown): Promise<unknown> =>
  ASK[question](shop, body as never).catch((error: unknown) => String(error));

describe('the body that was understood', () => {
  it.each(ASKED)('of a %s gets the same answer: %j', async (question, body) => {
    const shop = await open(ASKED_EVENTS);
    const { body: understood } = parseExplainBody({ ...body, question });
    expect(await answerTo(shop, question, understood)).toEqual(await answerTo(shop, question, body));
  });

  it('continues the page that a cursor continues', async () => {
    const shop = await open(ASKED_EVENTS);
    const sequence = { steps: [{ event: 'viewed' }, {}], reached: 1 };
    const first = await shop.userPage({ sequence, pagination: { size: 1 } });
    const next = { sequence, pagination: { size: 1, cursor: first.nextCursor } };
    const { body } = parseExplainBody({ ...next, question: 'users' });
    expect(await shop.userPage(body as never)).toEqual(await shop.userPage(next));
  });

  it.each([
    ['sequence', sequenceBodies],
    ['retention', retentionBodies],
    ['users', usersBodies],
  ] as const)('of any %s gets the same answer', async (question, bodiesOf) => {
    const examples = steppingBatches(20).chain((batches) =>
      fc.record({
        events: fc.constant(batches.flat()),
        bodies: fc.array(bodiesOf(batches.flat()) as fc.Arbitrary<object>, { minLength: 1, maxLength: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(examples, async ({ events, bodies }) => {
        const shop = await open(events);
        for (const body of bodies) {
          const { body: understood } = parseExplainBody({ ...body, question });
          expect(await answerTo(shop, question, understood)).toEqual(await answerTo(shop, question, body));
        }
      }),
      { numRuns: 60 },
    );
  });
});
