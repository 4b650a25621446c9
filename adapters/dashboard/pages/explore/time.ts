import type { CountBody, FilterEntry } from '../../../../src/index.ts';
import { place } from '../address/place.ts';
import { BEFORE, FROM } from './filter/comparisons.ts';
import { filtersOf, setQuestion } from '../address/question.ts';
import { UNITS, type Unit } from '../address/unit.ts';

const DAY_MS = 86_400_000;
const LENGTHS: Readonly<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

/**
 * The most buckets to show of a unit: three hours of minutes, three days of hours, and any number of days.
 */
const BUCKETS_FEW: Readonly<Record<Unit, number>> = {
  minute: 180,
  hour: 72,
  day: Infinity,
  week: Infinity,
  month: Infinity,
};

/** The first instant after a bucket. */
export function endOf(unit: Unit, start: number): number {
  if (unit !== 'month') return start + LENGTHS[unit];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** A range of time: its first instant and the first instant after it. An open end is infinite. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** The range of time of a body, by its days and its filters on instants. */
export function rangeOf({ after, before, filterSet = [] }: CountBody): TimeRange {
  const froms = after === undefined ? [] : [Date.parse(after)];
  const untils = before === undefined ? [] : [Date.parse(before) + DAY_MS];
  for (const entry of filterSet) {
    if (!('property' in entry) || entry.property !== 'eventTs') continue;
    const instant = Date.parse(String(entry.value));
    if (entry.comparison === FROM) froms.push(instant);
    if (entry.comparison === BEFORE) untils.push(instant);
  }
  return { from: Math.max(-Infinity, ...froms), until: Math.min(Infinity, ...untils) };
}

/** The units to try for a range: first the finest that gives few enough buckets, then the coarser ones. */
export function unitsFor({ from, until }: TimeRange): readonly Unit[] {
  const first = UNITS.find((unit) => (until - from) / LENGTHS[unit] <= BUCKETS_FEW[unit]);
  return UNITS.slice(UNITS.indexOf(first ?? 'day'));
}

/** Narrows the question to a range of time: by days if the range is whole days, otherwise by instants. */
export function narrow(from: number, until: number): void {
  const { parameters } = place.value;
  const others = filtersOf(parameters).filter(
    (entry) => !('property' in entry && entry.property === 'eventTs'),
  );
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const isDays = from % DAY_MS === 0 && until % DAY_MS === 0;
  const filters: readonly FilterEntry[] = isDays
    ? others
    : [
        ...others,
        { property: 'eventTs', comparison: FROM, value: new Date(from).toISOString() },
        { property: 'eventTs', comparison: BEFORE, value: new Date(until).toISOString() },
      ];
  setQuestion({
    filter: filters.length === 0 ? '' : JSON.stringify(filters),
    after: day(from),
    before: day(until - 1),
    unit: '',
  });
}
