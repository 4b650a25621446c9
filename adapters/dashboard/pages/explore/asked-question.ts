import type { CountBody, Filter, FilterEntry } from '../../../../src/index.ts';
import type { Preset } from '../time/asked.ts';
import { DAY_MS, type TimeRange } from '../time/unit.ts';
import { BEFORE, FROM } from './filter/comparisons.ts';

/** What the explorer asks at a place. */
export interface AskedQuestion {
  readonly body: CountBody;
  /** The question without its instant: a refresh does not change it. */
  readonly subject: string;
  /** The instant of the question. */
  readonly since: number;
  /** The range of time of the body. */
  readonly range: TimeRange;
  /** The preset that made the range, if one did. */
  readonly preset: Preset | undefined;
  readonly zone: string;
}

/** Whether an entry of a filter set is an end of the range of time. */
export const isEnd = (entry: FilterEntry): entry is Filter =>
  'property' in entry &&
  entry.property === 'eventTs' &&
  (entry.comparison === FROM || entry.comparison === BEFORE);

/** The range of time of a body, by its days and its filters on instants. */
export function rangeOf({ after, before, filterSet = [] }: CountBody): TimeRange {
  const froms = after === undefined ? [] : [Date.parse(after)];
  const untils = before === undefined ? [] : [Date.parse(before) + DAY_MS];
  for (const entry of filterSet) {
    if (!isEnd(entry)) continue;
    const instant = Date.parse(String(entry.value));
    (entry.comparison === FROM ? froms : untils).push(instant);
  }
  return { from: Math.max(-Infinity, ...froms), until: Math.min(Infinity, ...untils) };
}

/** A body with the ends of a range as filters; an open end restricts nothing. */
export function within(body: CountBody, { from, until }: TimeRange): CountBody {
  const end = (comparison: typeof FROM | typeof BEFORE, ms: number) =>
    Number.isFinite(ms) ? [{ property: 'eventTs', comparison, value: new Date(ms).toISOString() }] : [];
  const ends = [...end(FROM, from), ...end(BEFORE, until)];
  return ends.length === 0 ? body : { ...body, filterSet: [...(body.filterSet ?? []), ...ends] };
}

/** A body without its range of time. */
export function withoutRange({ event, filterSet = [] }: CountBody): CountBody {
  const filters = filterSet.filter((entry) => !isEnd(entry));
  return { ...(event === undefined ? {} : { event }), filterSet: filters };
}

/** Whether a question asks for some of the events within its range of time. */
export function isFiltered(body: CountBody): boolean {
  const { event, filterSet = [] } = withoutRange(body);
  return event !== undefined || filterSet.length > 0;
}
