import type { Pacer } from '../../bounds/scheduler.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { codeOf, createDictionary, encode } from '../../columns/column/dictionary.ts';
import { summarize, type IsBefore } from '../../columns/groups/summary.ts';
import { startOfDay } from '../../event/time.ts';
import { startOfBucket } from '../../event/time-unit.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { FoundValue } from '../../filter/operators.ts';
import { valueBelow, type EventView } from '../../filter/predicate.ts';
import { bucketGroups, compareByFigure, type GroupKeys, type OrderFigure } from '../../query/group-table.ts';
import {
  bucketsOf,
  toKey,
  type Breakdown,
  type Dimension,
  type GroupPath,
  type Span,
} from '../../query/grouping.ts';
import { LATENESS_ROOT, latenessOf } from '../../query/lateness.ts';

/** The groups of a dimension that are returned. */
export interface PlacedGroups extends GroupKeys {
  /** How many events are in no group, and why. */
  readonly outside: Pick<Breakdown, 'missing' | 'arrays' | 'objects'>;
  /** The place of the group of a code; behind the last one where that group is not returned. */
  placeOf(code: number): number;
}

/** Collects the values of one dimension. */
export interface DimensionTally {
  /** About how many bytes the values take. */
  readonly bytes: number;
  /** The code of what an event has; 0 where there is no dimension. */
  codeOf(event: EventView): number;
  /** Chooses the groups to return by counts of events for some codes, and by a figure where one is given. */
  choose(
    counts: readonly (readonly [code: number, count: number])[],
    pacer: Pacer,
    figures?: ReadonlyMap<number, OrderFigure>,
  ): Promise<PlacedGroups>;
}

/** Collects the values of a dimension one by one. */
export function createDimensionTally(dimension: Dimension | undefined, hash: KeyedHash): DimensionTally {
  const keys = createDictionary(hash);
  let span: Span | undefined;

  function keyOf(event: EventView): FoundValue {
    if (dimension === undefined) return undefined;
    const { by } = dimension;
    if (!('unit' in by)) return valueAt(event, by);
    const { eventTs } = event;
    span = {
      first: Math.min(eventTs, span?.first ?? eventTs),
      last: Math.max(eventTs, span?.last ?? eventTs),
    };
    return startOfBucket(by.unit, eventTs, by.zone);
  }

  /** Refuses time that is cut too fine. To cut it takes as long as there are buckets. */
  function refuseTooFine(): void {
    if (dimension !== undefined && 'unit' in dimension.by) bucketsOf(dimension.by, span);
  }

  return {
    get bytes() {
      return keys.bytes;
    },
    codeOf(event) {
      const before = keys.values.length;
      const code = encode(keys, keyOf(event));
      const { length } = keys.values;
      // That is tried before all events are read, whenever the number of keys has doubled.
      if (length > before && (length & (length - 1)) === 0) refuseTooFine();
      return code;
    },
    async choose(counts, pacer, figures) {
      const { by, size } = dimension!;
      const dense = keys.values.map(() => 0);
      for (const [code, count] of counts) dense[code]! += count;
      const keyAt = (code: number) => keys.values[code] as Scalar;
      const isBefore: IsBefore | undefined =
        figures &&
        ((code, other) =>
          compareByFigure([keyAt(code), figures.get(code)], [keyAt(other), figures.get(other)]) < 0);
      const dictionary = { values: keys.values, count: keys.values.length };
      const { given, groupsTotal, ...tally } = await summarize(dictionary, dense, size, pacer, isBefore);
      const outside = { missing: tally.missing, arrays: tally.arrays, objects: tally.objects };
      if (!('unit' in by))
        return {
          ...placesOf(given),
          ...{ keys: given.map((code) => toKey(by, keyAt(code))), total: groupsTotal, outside },
        };
      const starts = bucketsOf(by, span);
      const codes = starts
        .slice(0, -1)
        .slice(0, size)
        .map((start) => codeOf(keys, start));
      return { ...placesOf(codes), ...bucketGroups(by, starts, size), outside };
    },
  };
}

function placesOf(codes: readonly (number | undefined)[]): Pick<PlacedGroups, 'placeOf'> {
  const places = new Map(codes.map((code, place) => [code, place]));
  return { placeOf: (code) => places.get(code) ?? codes.length };
}

/** What a path finds in an event, as stores keep it. */
export function valueAt(event: EventView, { root, segments }: GroupPath): FoundValue {
  if (root === 'properties') return valueBelow(event.properties, segments);
  if (root === LATENESS_ROOT) return latenessOf(event.eventTs, event.receivedAt);
  return root === 'eventDate' ? startOfDay(event.eventTs) : event[root];
}
