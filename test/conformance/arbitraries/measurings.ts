import * as fc from 'fast-check';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import {
  parseMeasures,
  type AskedMeasure,
  type FigureName,
  type MeasureBody,
} from '../../../src/core/query/measures.ts';
import { parseCountBody } from '../../../src/core/query/parse-query.ts';
import type { JsonValue } from '../../../src/index.ts';
import type { EventQuery, GroupOrder, MeasuredGrouping, StoredEvent } from '../../../src/store-kit.ts';
import { jsonValues, storedEvents } from './events.ts';
import { groupings, pathDimensions, type GroupedExample } from './groupings.ts';

/** A query, and what of its events is measured. */
export interface MeasuredExample {
  readonly query: EventQuery;
  readonly measuring: MeasuredGrouping;
}

/** Numbers at the ends of what there is, that cancel each other out, or that doubles add up wrongly. */
const EXTREMES = [
  ...[0, 1, -1, 0.1, 0.2, 0.3, -0.1, 1e16, -1e16, 1e308, -1e308, 5e-324, -5e-324],
  ...[1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308, 1e21, 1e-7, 1e22],
  ...[9007199254740993, 123456789012345680000, 2 ** 60, -(2 ** 60), 1e15, 1e15 + 1, 999999999999999.9],
  ...[123456789.12345679, 0.30000000000000004, 1.005, 33.33, 1e-300],
];

/** What does not count as a number, though it may look like one. */
const NO_NUMBERS: readonly JsonValue[] = ['12', '', '1e3', 'NaN', '-0', true, false, null, [1], [], { n: 1 }];

const numbers: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EXTREMES) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 12 }) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: 2n ** 53n, max: 2n ** 62n }).map(Number),
  },
  {
    weight: 2,
    arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  },
);

const values: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 8, arbitrary: numbers },
  { weight: 2, arbitrary: fc.constantFrom(...NO_NUMBERS) },
  { weight: 1, arbitrary: jsonValues },
);

/** An event with something to measure, at a key that others have too. */
const measuredEvents: fc.Arbitrary<StoredEvent> = fc
  .tuple(
    storedEvents,
    fc.record(
      {
        n: values,
        price: numbers,
        a: fc.oneof(values, fc.record({ n: values })),
        plan: fc.constantFrom<JsonValue>('pro', 'free', 1, true, null),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([event, properties]) => ({
    ...event,
    propertiesJson: canonicalJson(properties, 'properties'),
  }));

/** Batches of such events. */
export function measuredBatches(size: number): fc.Arbitrary<StoredEvent[][]> {
  const batch = fc.array(measuredEvents, {
    minLength: 1,
    maxLength: size,
    size: 'max',
  });
  return fc.array(batch, { minLength: 1, maxLength: 2, size: 'max' });
}

const percentiles: fc.Arbitrary<FigureName> = fc.oneof(
  fc.constantFrom<FigureName>('p0', 'p7', 'p50', 'p90', 'p95', 'p99.9', 'p100', 'p100.000', 'p0.001'),
  fc.integer({ min: 0, max: 100_000 }).map((thousandths): FigureName => `p${thousandths / 1000}`),
);

const figures = fc.uniqueArray(
  fc.oneof(fc.constantFrom<FigureName>('sum', 'avg', 'min', 'max'), percentiles),
  { minLength: 1, maxLength: 10 },
);

/** Paths at which these events may have numbers. */
export const measuredPaths = fc
  .constantFrom('n', 'price', 'a', 'a.n', 'plan', 'none')
  .map((key) => `properties.${key}`);

const measures: fc.Arbitrary<MeasureBody> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ of: measuredPaths, take: figures }) },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constantFrom('eventTs', 'receivedAt'),
      take: fc.uniqueArray(fc.constantFrom<FigureName>('min', 'max'), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  },
);

/**
 * Conditions on what is measured too: an engine that reads a value once for both may find in it what is not
 * there.
 */
const measuredConditions = fc
  .record({
    property: fc.constantFrom('properties.n', 'properties.a'),
    comparison: fc.constantFrom('GREATER_THAN', 'NOT_EQUALS'),
    value: fc.oneof(numbers, fc.constantFrom('12', '')),
  })
  .map((filter) => parseCountBody({ filterSet: [filter] }).condition);

/** Groupings, of which some have a condition on what is measured. */
const measuredGroupings = (events: readonly StoredEvent[]): fc.Arbitrary<GroupedExample> =>
  fc
    .tuple(groupings(events), fc.option(measuredConditions, { nil: undefined, freq: 2 }))
    .map(([{ query, grouping }, condition = query.condition]) => ({
      query: { ...query, condition },
      grouping,
    }));

/** Groupings of one dimension, of two or of none, with measures of what the events have, or without. */
export function measurings(events: readonly StoredEvent[]): fc.Arbitrary<MeasuredExample> {
  return fc
    .tuple(
      measuredGroupings(events),
      pathDimensions(events),
      fc.array(measures, { maxLength: 5 }),
      fc.constantFrom('none', 'one', 'one', 'rows', 'columns', 'columns'),
      fc.option(fc.nat({ max: 100 }), { nil: undefined }),
    )
    .map(([{ query, grouping }, path, bodies, dimensions, order]) => {
      const { by, size, distinct } = grouping;
      const asked = { distinct, measures: parseMeasures(bodies) };
      if (dimensions === 'none') return { query, measuring: { by: undefined, size, ...asked } };
      const [rows, columns] = dimensions === 'rows' ? [path, { by, size }] : [{ by, size }, path];
      const crossed = dimensions === 'one' ? {} : { columns };
      const orderBy = 'unit' in rows.by ? undefined : toOrder(asked.measures, order);
      return { query, measuring: { ...rows, ...crossed, ...asked, ...(orderBy && { orderBy }) } };
    });
}

/** The order by a figure that is measured; undefined where there is none. */
function toOrder(measures: readonly AskedMeasure[], chance: number | undefined): GroupOrder | undefined {
  if (chance === undefined || measures.length === 0) return undefined;
  const measure = chance % measures.length;
  const { take } = measures[measure]!;
  return { measure, take: take[chance % take.length]!.name };
}
