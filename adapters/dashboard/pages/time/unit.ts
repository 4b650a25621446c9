/** The units of time for the buckets of events. */
export const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** Whether a text names a unit of time. */
export const isUnit = (text: string): text is Unit => (UNITS as readonly string[]).includes(text);

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000;
/** An hour in milliseconds. */
export const HOUR_MS = 3_600_000;
/** A day of 24 hours in milliseconds. */
export const DAY_MS = 86_400_000;

/** About how long a unit is: a month has 31 days at most. */
export const LENGTHS: Readonly<Record<Unit, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

/** A range of time: its first instant and the first instant after it. An open end is infinite. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** Whether both ends of a range are open. */
export const isAllTime = ({ from, until }: TimeRange): boolean => from === -Infinity && until === Infinity;

/**
 * The most buckets to show of a unit: three hours of minutes, three days of hours, and any number of days.
 */
const BUCKETS_FEW: Readonly<Record<Unit, number>> = {
  minute: 180,
  hour: 73,
  day: Infinity,
  week: Infinity,
  month: Infinity,
};

/** The units to try for a range: first the finest that gives few enough buckets, then the coarser ones. */
export function unitsFor({ from, until }: TimeRange): readonly Unit[] {
  const first = UNITS.find((unit) => (until - from) / LENGTHS[unit] <= BUCKETS_FEW[unit]);
  return UNITS.slice(UNITS.indexOf(first ?? 'day'));
}
