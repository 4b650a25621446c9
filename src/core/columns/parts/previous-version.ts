import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../column/chunk.ts';
import type { Column } from '../column/column.ts';
import { encode, MISSING } from '../column/dictionary.ts';
import type { RowLoader } from '../column/stored-chunks.ts';
import { chunkEnd, LogGoneError, type EventLog, type Codes } from '../log/log.ts';
import { createCarriedOrder, type CarriedOrder } from '../order/carried-order.ts';
import type { KnownParts } from './known-parts.ts';
import type { QuestionTools } from '../sources/question.ts';
import { findErased, type LiveRows } from '../log/live-rows.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/**
 * What is known of the previous version of a log. This version has all of its rows except the erased ones.
 */
export interface PreviousVersion {
  readonly known: KnownParts;
  /** The rows of the previous version that are erased now, ascending. */
  readonly erased: Uint32Array;
  /** Frees what is known of it. */
  dispose(): void;
}

/** The parts that an index has, and its log. */
interface Index {
  readonly log: EventLog;
  readonly known: KnownParts;
  dispose(): void;
}

/**
 * What a new index of a log can carry over from an older index. Undefined if the log is not a later version
 * of the older index's log, or if there is no memory for the list of erased rows.
 */
export function previousVersionOf(
  previous: Index,
  log: EventLog,
  reservation: Reservation,
): PreviousVersion | undefined {
  const [then, now] = [liveRowsOf(previous.log), liveRowsOf(log)];
  if (now?.log !== (then?.log ?? previous.log.id)) return undefined;
  if (!reservation.reserve(Math.max(0, now.erased - (then?.erased ?? 0)) * 4)) return undefined;
  const erased = findErased(then, now);
  if (erased === undefined) {
    reservation.release();
    return undefined;
  }
  const dispose = () => {
    reservation.release();
    previous.dispose();
  };
  return { known: previous.known, erased, dispose };
}

/** The live rows of a log; undefined also if the log is gone, since nothing is carried over then. */
function liveRowsOf(log: EventLog): LiveRows | undefined {
  try {
    return log.liveRows?.();
  } catch (error) {
    if (error instanceof LogGoneError) return undefined;
    throw error;
  }
}

/** How many new values one step takes into the dictionary, and how many rows it looks at. */
const STEP_VALUES = 1024;
const STEP_ROWS = 65_536;

/**
 * What a column carries over from the previous version, until the question ends that made the column.
 * Undefined if that version has no such column, or if there is no memory for the work.
 */
export function carryOverCodes(
  { known, erased }: PreviousVersion,
  path: Path,
  { reservation, atEnd }: QuestionTools,
): RowLoader | undefined {
  const previous = known.column(path);
  if (previous === undefined || previous.disabled !== undefined) return undefined;
  const values = previous.dictionary.values.length;
  const rows = Math.min(previous.indexedRows, CHUNK_ROWS);
  if (!reservation.reserve(values * 4 + rows * createCodes(values, 0).BYTES_PER_ELEMENT)) return undefined;
  previous.entry.pin();
  const carried = createCarriedCodes(previous, erased, createCodes(values, rows));
  atEnd(() => {
    carried.stop();
    previous.entry.unpin();
  });
  return carried;
}

/** As `carryOverCodes`, for the order. */
export function carryOverOrder(
  { known, erased }: PreviousVersion,
  { atEnd }: QuestionTools,
): CarriedOrder | undefined {
  const previous = known.order();
  if (previous === undefined) return undefined;
  previous.entry.pin();
  const pinned = previous.pin();
  const carried = createCarriedOrder(previous.instants, pinned, erased);
  atEnd(() => {
    carried.stop();
    previous.unpin(pinned);
    previous.entry.unpin();
  });
  return carried;
}

/**
 * The codes of the live rows, step by step. Values that only erased rows had get no code, and the others get
 * theirs in the order of the live rows. So the column is the same as one that is read from the log. All steps
 * share the array `room`: an array for each step kept the garbage collector busy with a million values.
 */
function createCarriedCodes(previous: Column, rowsErased: Uint32Array, room: Codes): RowLoader {
  let { codes, indexedRows: end } = previous;
  let { values } = previous.dictionary;
  let codesNow = new Uint32Array(values.length);
  let filled = room;
  let erased = rowsErased;
  let next = 0;
  let skipped = 0;

  /**
   * Fills in the codes of the next live rows and returns how many they are. The loop copies the shared
   * variables: otherwise each row would read and write them in memory.
   */
  function fill(taken: Codes, encodeNew: (code: number) => number): number {
    const [previous, now, gone] = [codes, codesNow, erased];
    const stop = Math.min(end, next + STEP_ROWS);
    let [row, skip, rows, added] = [next, skipped, 0, 0];
    for (; row < stop && rows < taken.length && added < STEP_VALUES; row++) {
      if (row === gone[skip]) {
        skip += 1;
        continue;
      }
      const code = previous[row]!;
      if (code !== MISSING && now[code] === 0) {
        now[code] = encodeNew(code);
        added += 1;
      }
      taken[rows++] = now[code]!;
    }
    [next, skipped] = [row, skip];
    return rows;
  }

  return {
    step(row, dictionary) {
      if (next >= end) return 'none';
      const taken = filled.subarray(0, chunkEnd(row) - row);
      const rows = fill(taken, (code) => encode(dictionary, values[code]));
      return rows === 0 ? 'more' : taken.subarray(0, rows);
    },
    stop() {
      // The column lives longer than this object, which must not keep the erased rows in memory.
      end = 0;
      values = [];
      codes = codesNow = erased = filled = new Uint32Array(0);
    },
  };
}
