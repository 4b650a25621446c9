import type { InstantRange } from '../filter/instants.ts';
import type { EventQuery } from './event-query.ts';
import type { TimeSeries } from './grouping.ts';
import type { AskedStreams } from './streams.ts';

/** How many periods a cohort is followed at most. */
export const PERIODS_MAX = 100;

/** The units of time that cohorts and periods have. */
export const RETENTION_UNITS = ['day', 'week', 'month'] as const;

/** A unit of cohorts and periods. */
export type RetentionUnit = (typeof RETENTION_UNITS)[number];

/** Where periods begin: with the calendar, or with the start of each value. */
export type PeriodsFrom = 'calendar' | 'start';

/** The pieces of time that cohorts are of. */
export interface CohortSeries extends TimeSeries {
  readonly unit: RetentionUnit;
}

/** The complete request for a retention. */
export interface AskedRetention {
  /** Selects the events of all streams. */
  readonly query: EventQuery;
  /** The streams: the first bit is that of a start, the second that of a return. */
  readonly streams: AskedStreams;
  /** The time of the starts. */
  readonly range: InstantRange;
  /** How the same time is cut into cohorts, and what is behind it into periods. */
  readonly series: CohortSeries;
  readonly periodsFrom: PeriodsFrom;
  /** How many periods each cohort is followed. */
  readonly periods: number;
}

/** What became of a cohort in one period. */
export interface RetentionPeriod {
  /** How many of it returned in this period. */
  readonly count: number;
  /** How many returned in this period or in any later one, also behind the last that is told. */
  readonly orLater: number;
}

/** The values whose first start lies in one piece of time. */
export interface Cohort {
  /** The first instant of that piece of time, as the key of a bucket of time. */
  readonly key: string;
  /** How many they are. */
  readonly count: number;
  /** The first one is that of the start itself. */
  readonly periods: readonly RetentionPeriod[];
}

/** How many of those who started returned, and when. */
export interface Retention {
  /** How many distinct values have a start. */
  readonly total: number;
  /** How many events are a start or a return, and have no string, number or boolean at `distinct`. */
  readonly missing: number;
  /** All from the first to the last that has a value, in order, the empty ones between them too. */
  readonly cohorts: readonly Cohort[];
}
