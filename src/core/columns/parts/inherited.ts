import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../column/chunk.ts';
import type { Column } from '../column/column.ts';
import { encode, MISSING } from '../column/dictionary.ts';
import type { Restoring } from '../column/kept-chunks.ts';
import { chunkEnd, LogGoneError, type EventLog, type Codes } from '../log/log.ts';
import { createInheritedOrder, type InheritedOrder } from '../order/inherited-order.ts';
import type { KnownParts } from './known-parts.ts';
import type { QuestionTools } from '../sources/question.ts';
import { findErased, type LiveRows } from '../log/live-rows.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/** What is known of the edition of a log before this one, which has all of its rows but those erased. */
export interface Predecessor {
  readonly known: KnownParts;
  /** Ascending. */
  readonly erased: Uint32Array;
  /** Lets go of what is known of it. */
  dispose(): void;
}

/** What an index of a log had, and which log. */
interface Index {
  readonly log: EventLog;
  readonly known: KnownParts;
  dispose(): void;
}

/**
 * What there is to take over from an index for a log; undefined where the log is not a later edition of that
 * of the index, or where there is no room to know what parts them.
 */
export function predecessorOf(
  before: Index,
  log: EventLog,
  reservation: Reservation,
): Predecessor | undefined {
  const [then, now] = [liveRowsOf(before.log), liveRowsOf(log)];
  if (now?.log !== (then?.log ?? before.log.id)) return undefined;
  if (!reservation.reserve(Math.max(0, now.erased - (then?.erased ?? 0)) * 4)) return undefined;
  const erased = findErased(then, now);
  if (erased === undefined) {
    reservation.release();
    return undefined;
  }
  const dispose = () => {
    reservation.release();
    before.dispose();
  };
  return { known: before.known, erased, dispose };
}

/** Undefined for a log that is gone, too: nothing is to be taken over from it, or by it. */
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
 * What a column takes over from that of the edition before, as long as the question goes on that made it;
 * undefined where there is none, or no room for what it takes to do so.
 */
export function inheritCodes(
  { known, erased }: Predecessor,
  path: Path,
  { reservation, atEnd }: QuestionTools,
): Restoring | undefined {
  const before = known.column(path);
  if (before === undefined || before.givenUp !== undefined) return undefined;
  const values = before.dictionary.values.length;
  const rows = Math.min(before.covered, CHUNK_ROWS);
  if (!reservation.reserve(values * 4 + rows * createCodes(values, 0).BYTES_PER_ELEMENT)) return undefined;
  before.entry.pin();
  const inherited = createInheritedCodes(before, erased, createCodes(values, rows));
  atEnd(() => {
    inherited.stop();
    before.entry.unpin();
  });
  return inherited;
}

/** As `inheritCodes`, for the order. */
export function inheritOrder(
  { known, erased }: Predecessor,
  { atEnd }: QuestionTools,
): InheritedOrder | undefined {
  const before = known.order();
  if (before === undefined) return undefined;
  before.entry.pin();
  const held = before.hold();
  const inherited = createInheritedOrder(before.instants, held, erased);
  atEnd(() => {
    inherited.stop();
    before.release(held);
    before.entry.unpin();
  });
  return inherited;
}

/**
 * Values that only erased rows had are left behind, and the others are numbered as the rows that are left
 * have them: so the column is the one that these rows alone would make. Each step fills `room`: where a
 * million values took one of their own each, the collector was at work.
 */
function createInheritedCodes(before: Column, rowsErased: Uint32Array, room: Codes): Restoring {
  let { codes, covered: end } = before;
  let { values } = before.dictionary;
  let codesNow = new Uint32Array(values.length);
  let filled = room;
  let erased = rowsErased;
  let next = 0;
  let skipped = 0;

  /**
   * Fills codes with those of the next rows that are left; how many there are. The loop has variables of its
   * own: those that functions share are read from memory and written to it at each row.
   */
  function fill(taken: Codes, encodeNew: (code: number) => number): number {
    const [before, now, gone] = [codes, codesNow, erased];
    const stop = Math.min(end, next + STEP_ROWS);
    let [row, skip, rows, added] = [next, skipped, 0, 0];
    for (; row < stop && rows < taken.length && added < STEP_VALUES; row++) {
      if (row === gone[skip]) {
        skip += 1;
        continue;
      }
      const code = before[row]!;
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
      // The column outlives this, and has nothing to do with what was erased.
      end = 0;
      values = [];
      codes = codesNow = erased = filled = new Uint32Array(0);
    },
  };
}
