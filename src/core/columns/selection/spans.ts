import type { Pacer } from '../../bounds/scheduler.ts';
import { EVERYTHING, toAll, type Condition } from '../../filter/condition.ts';
import { ALWAYS, intersectRanges, type InstantRange } from '../../filter/instants.ts';
import type { EventQuery, Position } from '../../query/event-query.ts';
import { placeOf, placeOfInstant, type OrderSnapshot, type SortedSegment } from '../order/order.ts';
import type { EventLog } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';
import type { SegmentSpan } from './selector.ts';

/**
 * A query, split into ranges of time that every matching event must lie in, and the rest of its condition.
 * The order finds the ranges, so no row is tested for its time.
 */
export interface TimedQuery {
  /** They ascend and do not touch. */
  readonly ranges: readonly InstantRange[];
  readonly condition: Condition;
}

/** Splits off the ranges of time that every matching event must lie in. */
export function liftRanges({ from, until, condition }: EventQuery): TimedQuery {
  if (condition.kind === 'during')
    return { ranges: within(from, until, condition.ranges), condition: EVERYTHING };
  const during = condition.kind === 'all' ? condition.of.find((part) => part.kind === 'during') : undefined;
  if (condition.kind !== 'all' || during?.kind !== 'during') return { ranges: [{ from, until }], condition };
  return {
    ranges: within(from, until, during.ranges),
    condition: toAll(condition.of.filter((part) => part !== during)),
  };
}

/** Whether a range has no bound. */
export function isAlways({ from, until }: InstantRange): boolean {
  return from === -Infinity && until === Infinity;
}

/** The parts of ranges between two bounds. Mostly the ranges lie between them already. */
function within(from: number, until: number, ranges: readonly InstantRange[]): readonly InstantRange[] {
  const [first = ALWAYS] = ranges;
  const { until: end } = ranges.at(-1) ?? ALWAYS;
  return first.from >= from && end <= until ? ranges : intersectRanges([[{ from, until }], ranges]);
}

/** How many segments are looked up between two pauses, each for one range. */
const STEP_LOOKS = 4096;

/** The first `size` rows of a log, without the segments that are erased as a whole. */
export function allRows(size: number, isGone: (segment: number) => boolean): readonly SegmentSpan[] {
  const spans: SegmentSpan[] = [];
  for (let segment = 0; segment * SEGMENT_ROWS < size; segment++) {
    const to = Math.min(SEGMENT_ROWS, size - segment * SEGMENT_ROWS);
    if (!isGone(segment)) spans.push({ segment, from: 0, to });
  }
  return spans;
}

/** Consecutive places of a segment's order. */
export interface PlaceSpan {
  readonly sorted: SortedSegment;
  readonly from: number;
  readonly to: number;
}

/** The instant of the last of some places. */
export const lastInstant = ({ sorted: { instants, local }, to }: PlaceSpan) => instants[local[to - 1]!]!;

/** Where the events of a range are in a segment; undefined if it has none. */
export function placesIn(sorted: SortedSegment, { from, until }: InstantRange): PlaceSpan | undefined {
  if (from > sorted.max || until <= sorted.min) return undefined;
  const first = placeOfInstant(sorted, from);
  const to = until > sorted.max ? sorted.local.length : placeOfInstant(sorted, until);
  return to > first ? { sorted, from: first, to } : undefined;
}

/** Where the events of ranges are, segment by segment. The ranges ascend and do not touch. */
export async function placesOf(
  { segments }: OrderSnapshot,
  ranges: readonly InstantRange[],
  pacer: Pacer,
): Promise<readonly PlaceSpan[]> {
  const places: PlaceSpan[] = [];
  let looks = 0;
  for (const sorted of segments) {
    if (sorted === undefined) continue;
    for (const range of ranges) {
      const own = placesIn(sorted, range);
      if (own !== undefined) places.push(own);
      if ((looks += 1) % STEP_LOOKS === 0) await pacer.yieldIfDue();
    }
  }
  return places;
}

/** The rows at places. All rows of a segment are read faster in the order of the log. */
export function toSpan({ sorted, from, to }: PlaceSpan): SegmentSpan {
  const { segment, local: rows } = sorted;
  return to - from === rows.length ? { segment, from, to } : { segment, rows, from, to };
}

/** The parts of places that lie before a position. */
export function before(
  log: EventLog,
  places: readonly PlaceSpan[],
  position: Position,
): readonly PlaceSpan[] {
  const ends = new Map<SortedSegment, number>();
  return places.flatMap(({ sorted, from, to }) => {
    if (sorted.max < position.eventTs) return [{ sorted, from, to }];
    if (sorted.min > position.eventTs) return [];
    if (!ends.has(sorted)) ends.set(sorted, placeOf(log, sorted, position));
    const end = Math.min(to, ends.get(sorted)!);
    return end > from ? [{ sorted, from, to: end }] : [];
  });
}
