import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { parseExplainBody } from '../../../src/core/explain/asked.ts';
import { pathText } from '../../../src/core/filter/path.ts';
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

const FILTERS = [{ property: 'properties.a', comparison: 'EQUALS', value: 1 }];
const STEPS = [{ event: 'a' }, { event: 'b', filterSet: FILTERS }];
const SUM = [{ of: 'properties.n', take: ['sum'] }];
const CROSSED = { by: ['properties.plan', 'day'], size: [5, 4], measures: SUM };

/** A question, the method of a store that answers it, what it reads, and whether it cuts time into pieces. */
type ReadCase = readonly [
  question: QuestionName,
  body: object,
  method: string,
  conditions: readonly string[],
  paths: readonly string[],
  isCut: boolean,
];
const READ: readonly ReadCase[] = [
  ['query', {}, 'query', [], [], false],
  ['count', {}, 'count', [], [], false],
  ['breakdown', { by: 'day' }, 'breakdown', [], [], true],
  [
    ...(['breakdown', { by: 'properties.plan', distinct: 'userId' }, 'breakdown', []] as const),
    ...([['by properties.plan', 'distinct userId'], false] as const),
  ],
  ['breakdown', CROSSED, 'measure', [], ['by properties.plan', 'measures properties.n'], true],
  ['breakdown', { measures: SUM }, 'measure', [], ['measures properties.n'], false],
  [
    ...(['sequence', { steps: STEPS, without: [{ after: 1, event: 'c' }], same: ['properties.x'] }] as const),
    ...(['streams', ['steps', 'steps', 'without'], ['distinct userId', 'same properties.x'], false] as const),
  ],
  [
    ...(['sequence', { steps: STEPS, distinct: 'properties.who', by: 'properties.plan' }] as const),
    ...(['streams', ['steps', 'steps'], ['distinct properties.who', 'by properties.plan'], false] as const),
  ],
  ['sequence', { steps: STEPS, by: 'day' }, 'streams', ['steps', 'steps'], ['distinct userId'], true],
  ['retention', { steps: STEPS, unit: 'day' }, 'streams', ['steps', 'steps'], ['distinct userId'], true],
  ['users', { having: [{ event: 'a', atLeast: 1 }] }, 'streams', ['having'], ['distinct userId'], false],
  [
    ...(['users', { having: [{ event: 'a', atLeast: 1 }], sequence: { steps: STEPS, reached: 1 } }] as const),
    ...(['streams', ['sequence', 'sequence', 'having'], ['distinct userId'], false] as const),
  ],
  [
    ...(['compare', { selected: { filterSet: FILTERS }, paths: ['properties.x', 'userId'] }] as const),
    ...(['breakdown', ['selected'], ['paths properties.x', 'paths userId'], false] as const),
  ],
  // The paths of properties are chosen once it is asked.
  ['compare', { selected: { event: 'a' } }, 'breakdown', ['selected'], ['paths eventName'], false],
  ['top', { of: 'properties.n' }, 'top', [], ['of properties.n'], false],
  ['tail', {}, 'since', [], [], false],
  ['export', {}, 'query', [], [], false],
];

/** What bounds an answer where time has three pieces, and where it has very many. */
const BOUNDS: readonly (readonly [QuestionName, object, few: object, many: object])[] = [
  ['query', { pagination: { size: 7 } }, { events: 7 }, { events: 7 }],
  ['count', {}, {}, {}],
  ['breakdown', { by: 'properties.plan', size: 5 }, { groups: 5 }, { groups: 5 }],
  ['breakdown', { by: 'day', size: 5 }, { groups: 3 }, { groups: 5 }],
  ['breakdown', { measures: SUM }, {}, {}],
  ['breakdown', CROSSED, { groups: 5, columns: 3, cells: 15 }, { groups: 5, columns: 4, cells: 20 }],
  [
    ...(['breakdown', { by: ['day', 'properties.plan'], size: [900, 100] }] as const),
    ...([
      { groups: 3, columns: 100, cells: 300 },
      { groups: 100, columns: 100, cells: 10_000 },
    ] as const),
  ],
  ['sequence', { steps: STEPS }, {}, {}],
  ['sequence', { steps: STEPS, by: 'properties.plan', size: 5 }, { groups: 5 }, { groups: 5 }],
  ['sequence', { steps: STEPS, by: 'day', size: 5 }, { groups: 3 }, { groups: 5 }],
  [
    ...(['retention', { steps: STEPS, unit: 'day', periods: 4 }] as const),
    ...([
      { cohorts: 3, periods: 4 },
      { cohorts: 20_000, periods: 4 },
    ] as const),
  ],
  ['users', { having: [{ event: 'a', atLeast: 1 }], pagination: { size: 9 } }, { users: 9 }, { users: 9 }],
  ['compare', { selected: { event: 'a' }, size: 6 }, { rows: 6 }, { rows: 6 }],
  ['top', { of: 'properties.n', size: 8 }, { events: 8 }, { events: 8 }],
  ['tail', {}, { events: 1000 }, { events: 1000 }],
  ['export', {}, {}, {}],
];

describe('what a question reads', () => {
  it.each(READ)('of a %s, %j: by %s', (question, body, method, conditions, paths, isCut) => {
    const { reading, series } = parseExplainBody({ ...body, question });
    expect({
      method: reading.method,
      conditions: reading.conditions.map((each) => each.for),
      paths: reading.paths.map((each) => `${each.for} ${pathText(each.path)}`),
      isCut: reading.isCut,
    }).toEqual({ method, conditions, paths, isCut });
    expect(series !== undefined).toBe(isCut);
  });

  it.each(BOUNDS)('bounds the answer of a %s, %j', (question, body, few, many) => {
    const { atMost } = parseExplainBody({ ...body, question });
    expect(atMost(3)).toEqual(few);
    expect(atMost(20_000)).toEqual(many);
  });

  it('is that of a query where no question is named', () => {
    const named = parseExplainBody({ question: 'query', event: 'a' });
    for (const body of [{ event: 'a' }, { question: undefined, event: 'a' }]) {
      const { question, body: understood, timeZone } = parseExplainBody(body);
      expect([question, understood, timeZone]).toEqual(['query', named.body, undefined]);
    }
    const { timeZone } = parseExplainBody({ timeZone: 'UTC', from: '2026-05-18T00:00:00Z' });
    expect(timeZone).toBe('UTC');
  });

  it.each([['everything'], [5], [null], [''], [['query']], ['constructor']])(
    'of a question that there is not is refused: %j',
    (question) => {
      const refusal = /^question: takes one of query, count, .*, export; got /;
      expect(() => parseExplainBody({ question })).toThrow(refusal);
    },
  );

  it.each([[null], [[]], [5], ['query']])('of a body that is no object is refused: %j', (body) => {
    expect(() => parseExplainBody(body)).toThrow(/takes/);
  });
});

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
