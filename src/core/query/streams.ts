import type { Condition } from '../filter/condition.ts';
import type { InstantRange } from '../filter/instants.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FilterPath } from '../filter/path.ts';
import type { GroupPath } from './grouping.ts';

/** Which streams of events to tell; the complete request. */
export interface AskedStreams {
  /** Each distinct string, number or boolean at this path has a stream: the events that have it. */
  readonly distinct: FilterPath;
  /** At most 30 conditions: the i-th bit of an event is set where it meets the i-th. */
  readonly bits: readonly Condition[];
  /** Whether the streams have the events without a bit, too. */
  readonly isWhole: boolean;
  /** At most 2 paths: `same` tells which events have the same scalars there. */
  readonly same: readonly FilterPath[];
  /** Where `groups` come from; undefined if they are not asked for. */
  readonly by: GroupPath | undefined;
  /** Which events without a scalar at `distinct` are counted as missing. */
  readonly missing: {
    /** Those of this time. */
    readonly range: InstantRange;
    /** Those that meet one of the first so many conditions. */
    readonly first: number;
  };
}

/**
 * The events that have one value, in the order of time: `eventTs` ascending, then `insertId` ascending by
 * code point.
 */
export interface Stream {
  /** The value, as the store keeps it. */
  readonly key: Scalar;
  /** The instants of the events, epoch milliseconds. */
  readonly instants: ArrayLike<number>;
  /** Which of the conditions they meet. */
  readonly bits: ArrayLike<number>;
  /**
   * Equal for events of this stream that have the same scalars at all paths of `same`, and -1 for those
   * without a scalar at one of them; only if asked for.
   */
  readonly same?: ArrayLike<number>;
  /**
   * What the events whose first bit is set have at `by`, as the store keeps it, and undefined for those
   * without a scalar there; only if asked for.
   */
  readonly groups?: ArrayLike<Scalar | undefined>;
}

/** A part of an answer of streams. */
export interface StreamsPiece {
  /**
   * Whole streams; each value has one, in one of the pieces. Streams without events are left out. They are
   * looked at once, before the next piece is asked for.
   */
  readonly streams: Iterable<Stream>;
  /** How many more events are missing. */
  readonly missing: number;
}
