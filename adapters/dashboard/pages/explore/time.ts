import type { FilterEntry } from '../../../../src/index.ts';
import { place } from '../place.ts';
import { filtersOf, setQuestion } from './state.ts';

/** The units of time that events are cut by. */
export const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];
/** A day. */
export const DAY_MS = 86_400_000;
const LENGTHS: Readonly<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

/** The first instant behind a bucket. */
export function endOf(unit: Unit, start: number): number {
  if (unit !== 'month') return start + LENGTHS[unit];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Asks for a range of time alone: by days where it is whole ones, else by instants. */
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
        { property: 'eventTs', comparison: 'GREATER_THAN_OR_EQUALS', value: new Date(from).toISOString() },
        { property: 'eventTs', comparison: 'LESS_THAN', value: new Date(until).toISOString() },
      ];
  setQuestion({
    filter: filters.length === 0 ? '' : JSON.stringify(filters),
    after: day(from),
    before: day(until - 1),
    unit: '',
  });
}
