import * as fc from 'fast-check';
import { EVENT_FIELDS, parsePath, type FilterPath } from '../../../src/core/filter/path.ts';
import type { TimeUnit } from '../../../src/core/event/time-unit.ts';
import type { TimeSeries } from '../../../src/core/query/grouping.ts';
import { TIME_UNITS } from '../../../src/internal.ts';
import type { Dimension, EventQuery, Grouping, GroupPath, StoredEvent } from '../../../src/store-kit.ts';
import { createZones } from '../../../src/transport-kit.ts';
import { leafFilters } from './filters.ts';
import { queries } from './queries.ts';
import { TIME_ZONES } from './traps.ts';

/** A query, and how what it matches is put into groups. */
export interface GroupedExample {
  readonly query: EventQuery;
  readonly grouping: Grouping;
}

const ZONES = createZones();

/** About how long each unit is, in milliseconds. */
const LENGTHS: Readonly<Record<TimeUnit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_678_400_000,
};

/** A path that groups may be made of, most often one that some of the events have. */
export function pathsOf(events: readonly StoredEvent[]): fc.Arbitrary<FilterPath> {
  const ofFilters = leafFilters(events).map((entry) => ('property' in entry ? entry.property : 'userId'));
  const text = fc.oneof(
    { weight: 4, arbitrary: ofFilters },
    { weight: 2, arbitrary: fc.constantFrom(...EVENT_FIELDS) },
  );
  return text.map((path) => parsePath(path, 'by'));
}

/** The instants around some event that a unit cuts into a few buckets, or all instants. */
function spans(
  events: readonly StoredEvent[],
  unit: TimeUnit,
): fc.Arbitrary<{ from: number; until: number }> {
  const near = fc
    .tuple(
      fc.constantFrom(0, ...events.map(({ eventTs }) => eventTs)),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(0, 1, 12_345),
    )
    .map(([instant, before, behind, shift]) => ({
      from: instant - before * LENGTHS[unit],
      until: instant + behind * LENGTHS[unit] + shift,
    }));
  const all = fc.constant({ from: -Infinity, until: Infinity });
  return fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: all });
}

/** A series over a span: with its bounds, or with those of the events on one side or both. */
function seriesOf(
  unit: TimeUnit,
  { from, until }: { from: number; until: number },
): fc.Arbitrary<TimeSeries> {
  const zones = fc.constantFrom(...TIME_ZONES).map((name) => ZONES.of(name));
  return fc
    .tuple(
      fc.option(zones, { nil: undefined }),
      fc.constantFrom(from, -Infinity),
      fc.constantFrom(until, Infinity),
    )
    .map(([zone, begin, end]) => ({ unit, ...(zone && { zone }), from: begin, until: end }));
}

const sizes = fc.constantFrom(1, 2, 3, 5, 1000, Infinity);

/** What groups are made of besides time. */
function groupPaths(events: readonly StoredEvent[]): fc.Arbitrary<GroupPath> {
  const byLateness = fc.constant<GroupPath>({ root: 'lateness', segments: [] });
  return fc.oneof({ weight: 5, arbitrary: pathsOf(events) }, { weight: 1, arbitrary: byLateness });
}

/** Groups of values of many kinds. */
export function pathDimensions(events: readonly StoredEvent[]): fc.Arbitrary<Dimension> {
  return fc.record({ by: groupPaths(events), size: sizes });
}

/** Queries with groupings: by values of many kinds, and by time within the bounds of the query. */
export function groupings(events: readonly StoredEvent[]): fc.Arbitrary<GroupedExample> {
  const rest = fc.record({ distinct: fc.option(pathsOf(events), { nil: undefined }), size: sizes });
  const byValue = fc
    .tuple(queries(events), groupPaths(events), rest)
    .map(([query, path, more]) => ({ query, grouping: { by: path, ...more } }));
  const byTime = fc
    .tuple(queries(events), fc.constantFrom(...TIME_UNITS), rest)
    .chain(([{ condition }, unit, more]) =>
      spans(events, unit).chain((span) =>
        seriesOf(unit, span).map((series) => ({
          query: { ...span, condition },
          grouping: { by: series, ...more },
        })),
      ),
    );
  return fc.oneof({ weight: 3, arbitrary: byValue }, { weight: 2, arbitrary: byTime });
}
