import type { KeyedHash } from '../../base/keyed-hash.ts';
import { isApiError, overloaded, unavailable } from '../../base/errors.ts';
import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { StreamsPiece } from '../../query/streams.ts';
import { isScalar } from '../groups/distinct.ts';
import type { Coded } from '../groups/reading.ts';

/** An answer is divided into at most so many parts: each reads all rows of the question once more. */
export const PARTS_MAX = 256;

/** How many values are weighed between two pauses. */
const STEP_VALUES = 8192;

const NO_STREAMS: StreamsPiece = { streams: [], missing: 0 };

/** The rows that a question is about: those that the log had at one moment. */
export interface RowsThen {
  readonly logId: number;
  readonly version: number;
  readonly size: number;
}

/** Some of the streams of a question: memory may have no room for all of them at once. */
export interface StreamsPart {
  /** Which of the parts it is, from 0. */
  readonly number: number;
  /** How many parts there would be, if all were as small: a power of two. */
  readonly of: number;
  /** The rows that the parts before were about; undefined for the first one. */
  readonly rows: RowsThen | undefined;
}

/** What a part of the streams is. */
export interface FoundStreams {
  /** Undefined if memory has no room for it. */
  readonly piece: StreamsPiece | undefined;
  readonly rows: RowsThen;
}

/**
 * Tells streams in as few parts as memory has room for: what does not fit is divided in two. `tell` answers a
 * part, and undefined where there is no log; `room` books the part that was told last. All parts are about
 * the rows of one moment. Throws `overloaded()` if a part cannot be divided any more, and `unavailable()` if
 * the log was erased between two parts.
 */
export async function* tellInParts(
  room: Reservation,
  tell: (part: StreamsPart) => Promise<FoundStreams | undefined>,
): AsyncGenerator<StreamsPiece, void> {
  const left = [{ number: 0, of: 1 }];
  let rows: RowsThen | undefined;
  try {
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      const found = await tell({ ...part, rows });
      if (found === undefined) {
        requireSame(rows, undefined);
        yield NO_STREAMS;
      } else if (found.piece === undefined) {
        const { number, of } = part;
        if (of === PARTS_MAX) throw overloaded();
        left.push({ number: number + of, of: of * 2 }, { number, of: of * 2 });
      } else {
        rows ??= found.rows;
        yield found.piece;
      }
    }
  } finally {
    room.release();
  }
}

/** Throws `unavailable()` if a log is not any more what it was for the parts before. */
export function requireSame(
  rows: RowsThen | undefined,
  log: { readonly id: number; readonly version: number } | undefined,
): void {
  if (rows === undefined || (rows.logId === log?.id && rows.version === log.version)) return;
  throw unavailable(new Error('the log was erased between two parts of an answer'));
}

/** What is made; undefined if memory has no room for it. */
export async function ifRoom<T>(making: Promise<T>): Promise<T | undefined> {
  try {
    return await making;
  } catch (error) {
    if (isApiError(error) && error.code === 'overloaded') return undefined;
    throw error;
  }
}

/** What a part makes of each code: it is of no scalar, of the part, or of another part. */
export const [NO_SCALAR, OF_PART, OF_OTHER_PART] = [0, 1, 2] as const;

/** Tells for each code whether a part has its stream. Parts differ by the values, as codes may change. */
export async function choosePart(
  { values, count }: Coded,
  { number, of }: StreamsPart,
  { hash, pacer }: { readonly hash: KeyedHash; readonly pacer: Pacer },
): Promise<Uint8Array> {
  const chosen = new Uint8Array(count);
  for (let code = 0; code < count; code++) {
    const value = values[code];
    if (!isScalar(value)) chosen[code] = NO_SCALAR;
    else if (of === 1 || (hashOf(value, hash) & (of - 1)) === number) chosen[code] = OF_PART;
    else chosen[code] = OF_OTHER_PART;
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  return chosen;
}

function hashOf(value: Scalar, hash: KeyedHash): number {
  return typeof value === 'number' ? hash.ofNumber(value) : hash.ofText(String(value), 0);
}
