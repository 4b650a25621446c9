import { reserveOrThrow, type CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { compareIds } from '../../event/order.ts';
import type { Position } from '../../query/event-query.ts';
import { createIds } from './ids.ts';
import { openStoredChunks } from '../column/stored-chunks.ts';
import { canFree, isErased, isGone } from '../log/erased-rows.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import { segmentEnd, segmentOf, type EventLog, type SortedRows } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';
import {
  createSorting,
  mergeSorted,
  openSorted,
  ORDER_PATH,
  saveSorted,
  binarySearch,
  sliceSorted,
  type Sorting,
} from './sorted-rows.ts';

/**
 * The rows of one segment by `eventTs` ascending, then `insertId` ascending: the order of answers, from its
 * end. It never changes. A place is an index of `local`.
 */
export interface SortedSegment extends SortedRows {
  readonly segment: number;
  /** The least and the greatest instant of its rows; Infinity and -Infinity if all were erased. */
  readonly min: number;
  readonly max: number;
}

/** The order of the first `size` rows of a log, segment by segment; none of one that is erased as a whole. */
export interface OrderSnapshot {
  readonly size: number;
  readonly segments: readonly (SortedSegment | undefined)[];
}

/** The order of a log, which grows with it. */
export interface Order extends DerivedPart {
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /** The order of the first `size` rows. They are indexed. */
  snapshotAt(size: number): OrderSnapshot;
  /**
   * Loads one step of the next rows without reading the log. It returns whether there was anything to load.
   */
  loadStep(): boolean;
  /** Adds those rows of a segment that are the next ones: none if other questions have added them. */
  addRows(sorted: SortedRows): void;
  /** Frees the segments that are erased as a whole. */
  settle(): void;
  /** Stores the whole segments that are not stored yet, as `StoredChunks.save` does. */
  save(pacer: Pacer, again?: boolean): Promise<boolean>;
}

/** An empty order. It is filled step by step, from stored chunks or from the log. */
export function createOrder(log: EventLog, entry: CacheEntry): Order {
  const chunks = openStoredChunks(log, ORDER_PATH);
  const versionFirst = log.version;
  let segments: (SortedSegment | undefined)[] = [];
  let indexedRows = 0;
  /** The next rows, until all of them are read. */
  let sorting: Sorting | undefined;

  /** The instants of the last segment, with room for more. */
  function growInstants(known: SortedSegment | undefined, added: SortedRows): Float64Array {
    const filled = known?.local.length ?? 0;
    const size = filled + added.local.length;
    let instants = known?.instants ?? new Float64Array(0);
    // Those of a whole segment are its own, and those of a stored chunk share its bytes with the rows.
    if (filled === 0) instants = size === SEGMENT_ROWS ? added.instants : added.instants.slice();
    else if (size > instants.length) {
      const before = instants;
      instants = new Float64Array(Math.min(SEGMENT_ROWS, size + (size >> 1)));
      instants.set(before);
    }
    if (instants !== added.instants) instants.set(added.instants, filled);
    return instants;
  }

  function merge(instants: Float64Array, known: SortedSegment, added: SortedRows): Uint16Array {
    let bytes = 0;
    const reserve = (more: number) => {
      if (!entry.reserve(more)) return false;
      bytes += more;
      return true;
    };
    const length = known.local.length + added.local.length;
    const idOf = createIds(log, { first: known.first, length }, { reserve });
    try {
      return mergeSorted(instants, known, added, idOf, log.erased().bitmaps[known.segment]);
    } finally {
      entry.release(bytes);
    }
  }

  function append(added: SortedRows): void {
    if (added.local.length === 0) return;
    const segment = segmentOf(indexedRows);
    const known = segments[segment];
    const instants = growInstants(known, added);
    const bytes = instants.byteLength + (indexedRows % SEGMENT_ROWS) * 2 + added.local.length * 2;
    reserveOrThrow(entry, bytes);
    const first = segment * SEGMENT_ROWS;
    try {
      const local = known === undefined ? added.local : merge(instants, known, added);
      segments[segment] = toSegment({ first, instants, local });
    } catch (error) {
      entry.release(bytes);
      throw error;
    }
    entry.release(segmentBytes(known));
    indexedRows += added.local.length;
  }

  /** What is sorted together need not be merged, for which ids of equal instants are compared again. */
  function beginSorting(end: number): void {
    reserveOrThrow(entry, (end - indexedRows) * 8);
    sorting = createSorting(log, indexedRows, end);
  }

  function endSorting(): void {
    if (sorting !== undefined) entry.release((sorting.end - sorting.first) * 8);
    sorting = undefined;
  }

  function addRows(sorted: SortedRows): void {
    const done = indexedRows - sorted.first;
    if (done >= 0 && done < sorted.local.length) append(sliceSorted(sorted, done, sorted.local.length));
  }

  function loadStep(): boolean {
    if (indexedRows % SEGMENT_ROWS !== 0) return false;
    const segment = segmentOf(indexedRows);
    const found = chunks.at(indexedRows);
    const sorted = found && openSorted(log, found.place, found.saved);
    if (found !== undefined && sorted === undefined) chunks.distrust();
    if (sorted !== undefined) chunks.markLoaded(segment, found!.saved);
    if (sorted !== undefined && sorted !== 'gone') append(sorted);
    else if (isGone(log.erased(), segment)) indexedRows += SEGMENT_ROWS;
    else return false;
    return true;
  }

  return {
    entry,
    get indexedRows() {
      return indexedRows;
    },
    loadStep,
    addRows,
    indexStep(to, size = to) {
      if (sorting?.first !== indexedRows || sorting.version !== log.version) {
        endSorting();
        if (loadStep()) return;
        beginSorting(Math.min(size, segmentEnd(indexedRows)));
      }
      const sorted = sorting!.step(to - indexedRows);
      if (sorted === undefined) return;
      endSorting();
      append(sorted);
    },
    snapshotAt(size) {
      const own = segments.slice(0, Math.ceil(size / SEGMENT_ROWS));
      const last = own.at(-1);
      const rows = last === undefined ? 0 : size - last.first;
      // Other questions may have added more rows to the last segment.
      if (last !== undefined && last.local.length > rows)
        own[own.length - 1] = toSegment(
          sliceSorted({ ...last, instants: last.instants.subarray(0, last.local.length) }, 0, rows),
        );
      return { size, segments: own };
    },
    settle() {
      const erased = log.erased();
      segments = segments.map((known, segment) => {
        if (known === undefined || !canFree(erased, segment, indexedRows)) return known;
        entry.release(segmentBytes(known));
        return undefined;
      });
    },
    async save(pacer, again) {
      // After an erasure everything is stored later, by idle work: so many writes would delay ingestion.
      if (log.version !== versionFirst && again !== true) return true;
      return chunks.save(
        indexedRows,
        (place) => saveSorted(log, place, segments[place.segment]),
        pacer,
        again,
      );
    },
  };
}

const segmentBytes = (known: SortedSegment | undefined) =>
  known === undefined ? 0 : known.instants.byteLength + known.local.length * 2;

function toSegment({ first, instants, local }: SortedRows): SortedSegment {
  const instantAt = (place: number) => instants[local[place]!]!;
  const firstLive = binarySearch(0, local.length, (place) => instantAt(place) === -Infinity);
  const isAny = firstLive < local.length;
  const [min, max] = isAny ? [instantAt(firstLive), instantAt(local.length - 1)] : [Infinity, -Infinity];
  return { segment: segmentOf(first), first, instants, local, min, max };
}

/** How many places of a segment lie before an instant: where the events from then on begin. */
export function placeOfInstant({ instants, local, min, max }: SortedSegment, instant: number): number {
  if (instant === -Infinity) return 0;
  if (instant > max) return local.length;
  if (instant === min && instants[local[0]!] === min) return 0;
  return binarySearch(0, local.length, (place) => instants[local[place]!]! < instant);
}

/** How many places of a segment lie before a position. */
export function placeOf(log: EventLog, segment: SortedSegment, { eventTs, insertId }: Position): number {
  const { first, local } = segment;
  const low = placeOfInstant(segment, eventTs);
  const high = placeOfInstant(segment, eventTs + 1);
  const erased = log.erased();
  const rows = Array.from(local.subarray(low, high), (row) => first + row);
  const live = rows.filter((row) => !isErased(erased, row));
  const ids = (row: number) => log.insertIdAt(row);
  const before = binarySearch(0, live.length, (place) => compareIds(ids(live[place]!), insertId) < 0);
  return before === live.length ? high : low + rows.indexOf(live[before]!);
}
