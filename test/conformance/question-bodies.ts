import type { QuestionBodies, QuestionName, StoredEvent } from '../../src/index.ts';

const at = (day: number, hour = 12) => Date.UTC(2024, 4, day, hour);

const EVENTS = [
  ['viewed', 'ada', at(1), { plan: 'pro', total: 1, skus: ['MUG-01'] }],
  ['ordered', 'ada', at(1, 13), { plan: 'pro', total: 64, cart: 'c1', coupon: 'MAY' }],
  ['viewed', 'cid', at(2), { plan: 'free', total: 0.1, cart: 'c2' }],
  ['ordered', 'cid', at(9, 1), { plan: 'free', total: 0.2, cart: 'c2' }],
  ['viewed', 'eve', at(9, 2), { plan: true, total: 'none' }],
  ['viewed', 'ada', at(14, 23), { total: -5 }],
  ['left', 'cid', at(20), { plan: null }],
] as const;

/** A few events about which every question has something to tell. */
export const ASKED_EVENTS: readonly StoredEvent[] = EVENTS.map(
  ([eventName, userId, eventTs, properties], i) => ({
    ...{ eventName, userId, eventTs, insertId: `event-${i}`, propertiesJson: JSON.stringify(properties) },
    receivedAt: eventTs + 60_000,
  }),
);

const filterSet = [{ property: 'properties.plan', comparison: 'NOT_EQUALS', value: 'free' }] as const;
const isOrder = {
  event: 'ordered',
  filterSet: [{ property: 'properties.total', comparison: 'LESS_THAN', value: 70 }],
} as const;
const timed = { property: 'eventTs', comparison: 'GREATER_THAN', value: '2024-05-02T00:00:00Z' } as const;
const may = { after: '2024-05-01', before: '2024-05-14' } as const;
const berlin = { ...may, timeZone: 'Europe/Berlin' } as const;
const instants = { from: '2024-05-01T12:30:00Z', until: '2024-05-14T23:00:00Z' } as const;

/** Bodies of every question, with each of its keys in one of them. */
const ASKED_BODIES: { readonly [Name in QuestionName]: readonly QuestionBodies[Name][] } = {
  query: [
    {},
    { event: 'viewed', ...may, filterSet, pagination: { size: 2, offset: 1 }, include: ['receivedAt'] },
    { ...berlin, filterSet: [{ anyOf: [timed, { not: isOrder.filterSet[0] }] }] },
  ],
  count: [{}, may, { ...instants, filterSet }, { filterSet: [timed] }, { ...berlin, event: 'left' }],
  breakdown: [
    { by: 'properties.plan' },
    { by: 'lateness', size: 3 },
    { by: 'insertId', distinct: 'userId', ...may },
    { by: 'day' },
    { by: 'day', ...berlin, distinct: 'userId', filterSet: [timed] },
    { by: 'week', ...instants, rest: true },
    { by: 'eventName', rest: true },
    { measures: [{ of: 'properties.total', take: ['sum', 'p50'] }] },
    { distinct: 'properties.cart' },
    {
      ...{ by: ['userId', 'day'], ...berlin, size: [2, 3], rest: true },
      measures: [{ of: 'properties.total', take: ['avg', 'max'] }],
      orderBy: { measure: 0, take: 'max' },
    },
    { by: ['week', 'properties.plan'] },
    { by: ['properties.plan', 'month'], size: 2 },
    { by: ['userId', 'eventName'], size: [3, 2], distinct: 'properties.cart' },
  ],
  sequence: [
    { steps: [{ event: 'viewed' }, isOrder] },
    {
      ...{ steps: [{}, isOrder, { event: 'left' }], ...berlin, within: '8d', by: 'week', size: 2 },
      without: [{ after: 1, event: 'left' }],
      ...{ same: ['properties.cart'], percentiles: ['p50', 'p99.9'], filterSet: [timed] },
    },
    { steps: [{}, {}], order: 'strict', by: 'properties.plan', size: 2, distinct: 'properties.cart' },
  ],
  users: [
    {},
    {
      ...may,
      having: [
        { event: 'viewed', atLeast: 1, atMost: 1 },
        { ...isOrder, atMost: 3 },
      ],
    },
    {
      ...{ ...instants, filterSet, pagination: { size: 1 }, distinct: 'properties.plan' },
      sequence: { steps: [{ event: 'viewed' }, isOrder], within: '10d', same: ['userId'], stopped: 1 },
    },
    {
      having: [{ event: 'left', atLeast: 0 }],
      sequence: { steps: [{}, {}, {}], without: [{ after: 2, event: 'left' }], reached: 2 },
    },
  ],
  retention: [
    { steps: [{ event: 'viewed' }, {}], unit: 'week' },
    { steps: [{}, isOrder], unit: 'day', periods: 3, periodsFrom: 'start', ...berlin, filterSet },
    { steps: [{}, {}], unit: 'month', distinct: 'properties.plan', ...instants },
  ],
  compare: [
    { selected: { event: 'ordered' } },
    {
      ...{ ...berlin, event: 'viewed', size: 3, paths: ['properties.plan', 'userId'] },
      selected: { after: '2024-05-02', before: '2024-05-09', filterSet },
    },
    { event: 'viewed', filterSet: [timed], selected: instants },
    {
      ...{ event: 'viewed', selected: instants },
      filterSet: [{ property: 'eventName', comparison: 'NOT_EQUALS', value: 'viewed' }],
    },
  ],
  top: [
    { of: 'properties.total' },
    { of: 'properties.total', order: 'smallest', size: 2, ...may, event: 'viewed' },
  ],
  tail: [{}, { event: 'left', ...may, include: ['receivedAt'] }],
  export: [
    {},
    { ...may, filterSet, pagination: { after: { eventTs: '2024-05-09T02:00:00Z', insertId: 'event-4' } } },
  ],
};

/** Every body of every question. */
export const ASKED = Object.entries(ASKED_BODIES).flatMap(([question, bodies]) =>
  (bodies as readonly object[]).map((body) => [question as QuestionName, body] as const),
);
