import { compareCodePoints } from '../event/text.ts';
import type { Position } from '../query/event-query.ts';
import { CHUNK_ROWS, type EventLog } from './log.ts';
import type { Pacer, Part } from './pace.ts';
import { keepRun, loadRun, readRun, type Run } from './run.ts';

/**
 * The rows of a log by `eventTs` ascending, then `insertId` ascending: the order of answers, from its end.
 */
export interface Order extends Part {
  /** The `eventTs` of each of the first `covered` rows, by row. */
  readonly instants: Float64Array;
  /** The first `covered` rows in order; what lies behind them is spare room. */
  readonly rows: Uint32Array;
  readonly bytes: number;
  /** How many places in the order lie before an instant: where the events from then on begin. */
  placeOfInstant(instant: number): number;
  /** How many places in the order lie before a position. */
  placeOf(position: Position): number;
  /** Promises `rows` as they are now to whoever reads them across a pause, until `release`. */
  hold(): Uint32Array;
  release(rows: Uint32Array): void;
  /** Keeps the whole chunks that are not kept yet. */
  save(pacer: Pacer): Promise<void>;
}

const ORDER_BYTES = 1024;

/** How many chunks are cut out of the order in one pass over it. */
const SPLIT_CHUNKS = 32;

/** An empty order, which is filled from the log, or from chunks that were kept, when it is extended. */
export function createOrder(log: EventLog): Order {
  let instants = new Float64Array(0);
  let rows = new Uint32Array(0);
  let covered = 0;
  let savedChunks = 0;
  /** Where keeping failed, on a read-only file for instance: it is tried again when there are more rows. */
  let refusedAt = -1;
  let restoring = log.chunks !== undefined;
  const held = new Map<Uint32Array, number>();

  /**
   * Where a row of this instant and id belongs among the first `count` places; without an id, before its
   * instant's.
   */
  function search(count: number, instant: number, idOf?: () => string): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = rows[middle]!;
      const other = instants[row]!;
      const before = other === instant ? idOf !== undefined && isBefore(row, idOf()) : other < instant;
      if (before) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const isBefore = (row: number, id: string) => compareCodePoints(log.insertIdAt(row), id) < 0;

  function reserve(size: number): void {
    if (size <= rows.length && !held.has(rows)) return;
    // Whoever holds the old array goes on reading it; this one is changed from now on.
    const room = size > rows.length ? Math.max(size + (size >> 3), log.size()) : rows.length;
    const [instantsBefore, rowsBefore] = [instants, rows];
    instants = new Float64Array(room);
    instants.set(instantsBefore.subarray(0, covered));
    rows = new Uint32Array(room);
    rows.set(rowsBefore.subarray(0, covered));
  }

  /** Merges a run in from the end: mostly its events are the newest, and then nothing has to move. */
  function merge({ first, instants: added, local }: Run): void {
    reserve(covered + local.length);
    instants.set(added, first);
    let end = covered;
    for (let i = local.length - 1; i >= 0; i--) {
      const row = first + local[i]!;
      const instant = instants[row]!;
      if (end > 0 && instants[rows[end - 1]!]! >= instant) {
        let id: string | undefined;
        const place = search(end, instant, () => (id ??= log.insertIdAt(row)));
        // The rows behind the place move by as many as are still to come before them.
        if (place < end) rows.copyWithin(place + i + 1, place, end);
        end = place;
      }
      rows[end + i] = row;
    }
    covered += local.length;
  }

  function restore(): boolean {
    const chunk = covered / CHUNK_ROWS;
    const run = loadRun(log, chunk);
    if (run === undefined) return (restoring = false);
    merge(run);
    savedChunks = chunk + 1;
    return true;
  }

  return {
    get instants() {
      return instants;
    },
    get rows() {
      return rows;
    },
    get covered() {
      return covered;
    },
    get bytes() {
      return ORDER_BYTES + instants.byteLength + rows.byteLength;
    },
    extend(to) {
      const chunkEnd = covered - (covered % CHUNK_ROWS) + CHUNK_ROWS;
      if (restoring && covered % CHUNK_ROWS === 0 && chunkEnd <= log.size() && restore()) return;
      merge(readRun(log, covered, Math.min(to, chunkEnd)));
    },
    placeOfInstant: (instant) => search(covered, instant),
    placeOf: ({ eventTs, insertId }) => search(covered, eventTs, () => insertId),
    hold() {
      held.set(rows, (held.get(rows) ?? 0) + 1);
      return rows;
    },
    release(array) {
      const holders = held.get(array)! - 1;
      if (holders === 0) held.delete(array);
      else held.set(array, holders);
    },
    async save(pacer) {
      if (log.chunks === undefined || refusedAt === covered) return;
      while (savedChunks < Math.floor(covered / CHUNK_ROWS)) {
        const first = savedChunks;
        const end = Math.min(first + SPLIT_CHUNKS, Math.floor(covered / CHUNK_ROWS));
        const locals = splitOrder(rows.subarray(0, covered), first, end);
        for (let chunk = first; chunk < end; chunk++) {
          await pacer.pause();
          const own = instants.subarray(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS);
          if (!keepRun(log, chunk, { instants: own, local: locals[chunk - first]! })) {
            return void (refusedAt = covered);
          }
          savedChunks = Math.max(savedChunks, chunk + 1);
        }
      }
    },
  };
}

/**
 * The order within each of the chunks from `first` to `end`, as local row numbers, in one pass over the whole
 * order.
 */
function splitOrder(rows: Uint32Array, first: number, end: number): Uint16Array[] {
  const locals = Array.from({ length: end - first }, () => new Uint16Array(CHUNK_ROWS));
  const filled = new Uint32Array(end - first);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const chunk = Math.floor(row / CHUNK_ROWS) - first;
    if (chunk >= 0 && chunk < locals.length) locals[chunk]![filled[chunk]!++] = row % CHUNK_ROWS;
  }
  return locals;
}
