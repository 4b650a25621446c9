import type { Pacer } from '../../bounds/scheduler.ts';
import { EVERYTHING, toAll, type Condition } from '../../filter/condition.ts';
import { ALWAYS, intersectRanges, type InstantRange } from '../../filter/instants.ts';
import type { EventQuery } from '../../query/event-query.ts';
import type { OrderSnapshot } from '../order/order-array.ts';
import type { Order } from '../order/order.ts';

/** Rows, or places of the order, that follow each other. */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

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

/** The parts of ranges between two bounds. Mostly the ranges lie between them already. */
function within(from: number, until: number, ranges: readonly InstantRange[]): readonly InstantRange[] {
  const [first = ALWAYS] = ranges;
  const { until: end } = ranges.at(-1) ?? ALWAYS;
  return first.from >= from && end <= until ? ranges : intersectRanges([[{ from, until }], ranges]);
}

/** How many ranges are looked up between two pauses. */
const STEP_RANGES = 256;

/** Where the events of ranges stand in the order. */
export async function spansOf(
  order: Order,
  pinned: OrderSnapshot,
  ranges: readonly InstantRange[],
  pacer: Pacer,
): Promise<readonly RowSpan[]> {
  const spanOf = ({ from, until }: InstantRange) => ({
    from: from === -Infinity ? 0 : order.placeOfInstant(pinned, from),
    to: until === Infinity ? pinned.indexedRows : order.placeOfInstant(pinned, until),
  });
  const spans: RowSpan[] = [];
  for (const range of ranges) {
    spans.push(spanOf(range));
    if (spans.length % STEP_RANGES === 0) await pacer.yieldIfDue();
  }
  return spans;
}

/** The parts of spans that lie before a place. */
export function before(end: number, spans: readonly RowSpan[]): readonly RowSpan[] {
  return spans.map(({ from, to }) => ({ from, to: Math.min(to, end) }));
}
