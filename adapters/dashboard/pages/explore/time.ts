import { signal } from '@preact/signals';
import type { CountBody, Event, Filter, FilterEntry } from '../../../../src/index.ts';
import { now, place, refreshed } from '../address/place.ts';
import { bodyOf, filtersOf, setQuestion } from '../address/question.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import {
  endOfPreset,
  endsNow,
  firstPreset,
  presetShown,
  rangeAsked,
  saysTime,
  toRange,
  zoneOf,
  type Preset,
} from '../time/asked.ts';
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
const isEnd = (entry: FilterEntry): entry is Filter =>
  'property' in entry &&
  entry.property === 'eventTs' &&
  (entry.comparison === FROM || entry.comparison === BEFORE);

/** The range of time of a body, by its days and its filters on instants. */
function rangeOf({ after, before, filterSet = [] }: CountBody): TimeRange {
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

/** The question at a place whose first view shows a preset. */
function askedAt(parameters: URLSearchParams, instant: number, first: Preset): AskedQuestion {
  const preset = presetShown(parameters, first);
  const plain = bodyOf(parameters);
  const body = within(plain, rangeAsked(parameters, instant, first));
  const about = ['from', 'until', 'zone'].map((name) => parameters.get(name) ?? '');
  return {
    body,
    subject: JSON.stringify([plain, preset, about]),
    since: endOfPreset(parameters, endsNow(preset) ? instant : refreshed.value),
    range: rangeOf(body),
    preset,
    zone: zoneOf(parameters),
  };
}

/** The preset of the first view of a tenant, once it is known. */
const first = signal<{ readonly alias: string; readonly preset: Preset } | undefined>(undefined);

/** The question at the current place; undefined while the range of the first view is unknown. */
export function askedNow(alias: string): AskedQuestion | undefined {
  const { parameters } = place.value;
  const known = first.value?.alias === alias ? first.value.preset : undefined;
  if (known === undefined && !saysTime(parameters)) return undefined;
  return askedAt(parameters, now.value, known ?? 'all');
}

/** The question for the latest event until an instant. */
export const questionOfLatest = (instant: number) => ({
  ...within({}, { from: -Infinity, until: instant + 1 }),
  pagination: { size: 1 },
});

/** The question at the current place. It finds out which range of time the first view of a tenant shows. */
export function useAsked(alias: string) {
  const asked = askedNow(alias);
  const isKnown = asked !== undefined;
  const { error, again } = useAnswer(
    async (signal) => {
      if (isKnown) return;
      const instant = now.peek();
      const [latest] = await ask<Event[]>(`query/${alias}`, questionOfLatest(instant), { signal });
      first.value = { alias, preset: firstPreset(latest && Date.parse(latest.eventTs), instant) };
    },
    [alias, isKnown],
  );
  return { asked, error, again };
}

/** Narrows the question to a range of time. */
export function narrow(range: TimeRange): void {
  const { parameters } = place.value;
  const filters = filtersOf(parameters).filter((entry) => !isEnd(entry));
  setQuestion({ ...toRange(range), filter: filters.length === 0 ? '' : JSON.stringify(filters), unit: '' });
}
