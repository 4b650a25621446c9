import { invalid } from '../base/errors.ts';
import { quote } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import type { InstantRange } from '../filter/instants.ts';
import type { Scalar } from '../filter/operands.ts';
import type { EventQuery } from './event-query.ts';
import type { GroupPath, TimeSeries } from './grouping.ts';
import type { FigureName } from './measures.ts';
import type { AskedStreams } from './streams.ts';

/** How many steps a sequence has at most. */
export const STEPS_MAX = 10;
/** How many exclusions it has at most. */
export const EXCLUSIONS_MAX = 10;
/** How many paths are held constant at most. */
export const SAME_MAX = 2;
/** How many percentiles of the times are told at most. */
export const PERCENTILES_MAX = 10;

/** What happens between two steps. */
export interface AskedExclusion {
  /** The number of the step before, from 1. */
  readonly after: number;
  /** The bit of the events that end an attempt there. */
  readonly bit: number;
}

/** The name of a percentile, and its rank in thousandths of a percent. */
export interface AskedPercentile {
  readonly name: FigureName;
  readonly rank: number;
}

/** What an attempt at a sequence is. */
export interface AskedAttempts {
  /** How many steps there are, 1 to 10: the bits of the steps come first, in order. */
  readonly steps: number;
  /** The time in which an attempt begins. */
  readonly range: InstantRange;
  /** How long it is at most from the first event of an attempt to each later one, in milliseconds. */
  readonly within: number;
  /** Whether each step has to be the very next event of the stream. */
  readonly isStrict: boolean;
  readonly without: readonly AskedExclusion[];
}

/** The complete request for a sequence. */
export interface AskedSequence extends AskedAttempts {
  /** Selects the events of all streams. */
  readonly query: EventQuery;
  /** The streams in which the steps are looked for. */
  readonly streams: AskedStreams;
  /** What the values are grouped by, at the first event of the attempt that counts. */
  readonly by: GroupPath | TimeSeries | undefined;
  /** How many groups to return. */
  readonly size: number;
  readonly percentiles: readonly AskedPercentile[];
}

/** A time in milliseconds for each percentile, by its name; null if no value reached the step. */
export type StepTimes = Readonly<Partial<Record<FigureName, number | null>>>;

/** A step of a sequence, as it is answered. */
export interface SequenceStep {
  /** How many distinct values have reached it. */
  readonly count: number;
  /** How long they took since the first step; absent for that one, and where no percentile is asked for. */
  readonly sinceStart?: StepTimes;
  /** How long they took since the step before. */
  readonly sincePrevious?: StepTimes;
}

/** The values whose attempt began with one value, or in one piece of time. */
export interface SequenceGroup {
  /** As that of a group of a breakdown. */
  readonly key: Scalar;
  /** How many of them reached each step. */
  readonly counts: readonly number[];
}

/** How far the distinct values came in a sequence of steps. */
export interface Sequence {
  /** In the order of the request. */
  readonly steps: readonly SequenceStep[];
  /** How many events match a step, and have no string, number or boolean at `distinct`. */
  readonly missing: number;
  /** How many groups there are; this and the next only with `by`. */
  readonly groupsTotal?: number;
  /** The first groups: by how many began, then by key; for time, ascending. */
  readonly groups?: readonly SequenceGroup[];
  /** All who are in none of these groups. */
  readonly rest?: { readonly counts: readonly number[] };
}

/** What `within` takes, for error messages. */
export const WITHIN_WORDS = 'a length of time of at most ten years, such as 30s, 15m, 12h, 7d or 4w';

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const;
/** Ten years, the three leap days that they may have included. */
const WITHIN_MS_MAX = (10 * 365 + 3) * DAY_MS;

/** Parses a length of time to milliseconds. Throws ApiError (400). */
export function parseWithin(text: string, where = 'within'): number {
  const [, digits, unit] = /^(\d{1,10})([smhdw])$/.exec(text) ?? [];
  const length = Number(digits) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (!(length <= WITHIN_MS_MAX)) throw invalid(where, `takes ${WITHIN_WORDS}; got ${quote(text)}`);
  return length;
}
