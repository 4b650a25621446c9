import type { CountBody, Filter, FilterEntry } from '../../../../src/index.ts';
import type { Preset } from '../time/asked.ts';
import { DAY_MS, type TimeRange } from '../time/unit.ts';
import { UTC } from '../time/zone.ts';
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

/** The range of time of a body, by its days, its instants and its filters on these. */
export function rangeOf({ after, before, from, until, filterSet = [] }: CountBody): TimeRange {
  const froms = [after, from].filter((each) => each !== undefined).map((each) => Date.parse(each));
  const untils = until === undefined ? [] : [Date.parse(until)];
  if (before !== undefined) untils.push(Date.parse(before) + DAY_MS);
  for (const entry of filterSet) {
    if (!isEnd(entry)) continue;
    const instant = Date.parse(String(entry.value));
    (entry.comparison === FROM ? froms : untils).push(instant);
  }
  return { from: Math.max(-Infinity, ...froms), until: Math.min(Infinity, ...untils) };
}

/** No event is before or after these instants, and a text of a later one would be of another form. */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(2100, 0);

/** A body with the ends of a range; an open end restricts nothing. */
export function within(body: CountBody, { from, until }: TimeRange): CountBody {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...body,
    ...(from >= FIRST_MS ? { from: iso(Math.min(from, LAST_MS)) } : {}),
    ...(until <= LAST_MS ? { until: iso(Math.max(until, FIRST_MS)) } : {}),
  };
}

/** A body without its range of time. */
export function withoutRange({ event, filterSet = [] }: CountBody): CountBody {
  const filters = filterSet.filter((entry) => !isEnd(entry));
  return {
    ...(event === undefined ? {} : { event }),
    ...(filters.length === 0 ? {} : { filterSet: filters }),
  };
}

/** The same question where the answer is cut by the clock of its zone. */
export function byClock({ body, range, zone }: Pick<AskedQuestion, 'body' | 'range' | 'zone'>): CountBody {
  // Days of a body would be those of the zone, and the range has them already.
  return { ...within(withoutRange(body), range), ...(zone === UTC ? {} : { timeZone: zone }) };
}

/** Whether a question asks for some of the events within its range of time. */
export function isFiltered(body: CountBody): boolean {
  const { event, filterSet = [] } = withoutRange(body);
  return event !== undefined || filterSet.length > 0;
}
