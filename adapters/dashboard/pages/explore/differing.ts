import type { CompareBody, CountBody, Filter } from '../../../../src/index.ts';
import { readInterval, type Against } from '../time/against.ts';
import { periodBefore, type ShownRange } from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';
import { isFiltered, within, withoutRange, type AskedQuestion } from './asked-question.ts';
import { BEFORE, FROM } from './filter/comparisons.ts';

/** How many rows what differs has. */
const DIFFERENCES_SIZE = 20;

/**
 * The time with which a range is compared; an interval may contain the range itself. Undefined if there is
 * none.
 */
export function otherTime(shown: ShownRange, against: Against): TimeRange | undefined {
  if (against === 'unmatched') return shown.range;
  return against === 'before' ? periodBefore(shown)?.range : readInterval(against);
}

/** The time from the earlier beginning of two ranges to the later end. */
export const around = (one: TimeRange, other: TimeRange): TimeRange => ({
  from: Math.min(one.from, other.from),
  until: Math.max(one.until, other.until),
});

/** A body about the time of two ranges, without what lies between them. */
function withoutGap(body: CountBody, one: TimeRange, other: TimeRange): CountBody {
  const gap = { from: Math.min(one.until, other.until), until: Math.max(one.from, other.from) };
  if (gap.from >= gap.until) return body;
  const [end, begin] = [gap.from, gap.until].map((ms) => new Date(ms).toISOString());
  const anyOf: readonly Filter[] = [
    { property: 'eventTs', comparison: BEFORE, value: end! },
    { property: 'eventTs', comparison: FROM, value: begin! },
  ];
  return { ...body, filterSet: [...(body.filterSet ?? []), { anyOf }] };
}

/**
 * The events of two times, of which those of the range shown are selected; or all events of the range, of
 * which those that match are. Undefined if there is nothing to compare with.
 */
export function questionOfDiffering(asked: AskedQuestion, against: Against): CompareBody | undefined {
  const { body, range } = asked;
  const other = otherTime(asked, against);
  const own = withoutRange(body);
  if (against === 'unmatched')
    return isFiltered(body) ? { ...within({}, range), selected: own, size: DIFFERENCES_SIZE } : undefined;
  if (other === undefined) return undefined;
  const both = within(withoutGap(own, other, range), around(other, range));
  return { ...both, selected: within({}, range), size: DIFFERENCES_SIZE };
}
