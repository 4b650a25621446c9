import { reserveOrThrow, type CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { compareIds } from '../../event/order.ts';
import type { Position } from '../../query/event-query.ts';
import { indexUpTo, type DerivedPart } from '../log/index-up-to.ts';
import { createOrderArray, search, type OrderSnapshot } from './order-array.ts';
import { createIds } from './ids.ts';
import type { CarriedOrder } from './carried-order.ts';
import { openStoredChunks } from '../column/stored-chunks.ts';
import type { EventLog, SortedChunk } from '../log/log.ts';
import { createPacking } from './packing.ts';
import { createSortedLoader, ORDER_PATH, readSortedChunk, sliceSorted } from './sorted-chunk.ts';
import { createWaiting } from './waiting.ts';

/**
 * The rows of a log by `eventTs` ascending, then `insertId` ascending: the order of answers, from its end.
 */
export interface Order extends DerivedPart {
  /** The `eventTs` of each of the first `indexedRows` rows, by row. */
  readonly instants: Float64Array;
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /** Pins a snapshot of the rows that are indexed now. It does not change until `unpin`. */
  pin(): OrderSnapshot;
  /**
   * Indexes the order up to `size` rows and pins a snapshot of exactly these, although other questions may
   * index it further meanwhile.
   */
  pinAt(size: number, pacer: Pacer): Promise<OrderSnapshot>;
  unpin(snapshot: OrderSnapshot): void;
  /** How many places lie before an instant: where the events from then on begin. */
  placeOfInstant(snapshot: OrderSnapshot, instant: number): number;
  /** How many places lie before a position. */
  placeOf(snapshot: OrderSnapshot, position: Position): number;
  /**
   * Loads one step of the next rows without reading the log. It returns whether there was anything to load.
   */
  loadStep(to: number): boolean;
  /** Adds those rows of a chunk that are the next ones: none if other questions have added them meanwhile. */
  addRows(sorted: SortedChunk): void;
  /** Stores the whole chunks that are not stored yet, as `StoredChunks.save` does. */
  save(pacer: Pacer, again?: boolean): Promise<boolean>;
}

/** Where more events than this share an instant, their ids are read in blocks. */
const CROWD = 16;

/**
 * An empty order. It is filled step by step: from the previous version, from stored chunks or from the log.
 */
export function createOrder(log: EventLog, entry: CacheEntry, carried?: CarriedOrder): Order {
  const chunks = openStoredChunks(log, ORDER_PATH);
  const loader = createSortedLoader(log, chunks);
  const ids = createIds(log, entry);
  const array = createOrderArray(entry);
  const waiting = createWaiting((size) => array.pin(size));
  let instants = new Float64Array(0);
  let indexedRows = 0;

  /** Where a row of this instant belongs among ordered rows: after those of its instant with a lesser id. */
  function searchId(
    ordered: Pick<OrderSnapshot, 'rows' | 'indexedRows'>,
    instant: number,
    id: (crowded: boolean) => string,
    idOf: (row: number, crowded: boolean) => string,
  ): number {
    const at = (place: number) => instants[ordered.rows[place]!]!;
    const low = search(0, ordered.indexedRows, (place) => at(place) < instant);
    const high = search(low, ordered.indexedRows, (place) => at(place) <= instant);
    const crowded = high - low > CROWD;
    const isBefore = (place: number) => compareIds(idOf(ordered.rows[place]!, crowded), id(crowded)) < 0;
    // Mostly ids grow, and then one look is enough.
    return low < high && isBefore(high - 1) ? high : search(low, high, isBefore);
  }

  const idAt = (row: number) => log.insertIdAt(row);
  /** The id of a row: in a crowd from a block of its neighbours. */
  const idOf = (row: number, crowded: boolean) => (crowded ? ids.of(row) : idAt(row));

  /** Makes room. It keeps the first `filled` rows, although they may not be indexed yet. */
  function reserve(size: number, filled = indexedRows): void {
    if (size > instants.length) {
      const room = Math.max(size + (size >> 3), log.size());
      reserveOrThrow(entry, room * instants.BYTES_PER_ELEMENT);
      const before = instants;
      instants = new Float64Array(room);
      instants.set(before.subarray(0, indexedRows));
      entry.release(before.byteLength);
    }
    array.reserve(instants.length, filled);
  }

  /** Before which of the ordered rows each of the new ones belongs. */
  function findPlaces({ first, local }: SortedChunk): Uint32Array {
    const rows = array.current;
    const places = new Uint32Array(local.length);
    let end = indexedRows;
    for (let i = local.length - 1; i >= 0; i--) {
      const row = first + local[i]!;
      const instant = instants[row]!;
      if (end > 0 && instants[rows[end - 1]!]! >= instant) {
        let id: string | undefined;
        const own = (crowded: boolean) => (id ??= idOf(row, crowded));
        end = searchId({ rows, indexedRows: end }, instant, own, idOf);
      }
      places[i] = end;
    }
    return places;
  }

  /** Merges rows in from the end: mostly their events are the newest, and then nothing has to move. */
  function merge(added: SortedChunk): void {
    const { first, local } = added;
    reserve(indexedRows + local.length);
    instants.set(added.instants, first);
    // Ids are read before any row moves: a read that fails leaves the order as it was.
    const places = findPlaces(added);
    const rows = array.current;
    array.changed(places[0] ?? indexedRows);
    let end = indexedRows;
    for (let i = local.length - 1; i >= 0; i--) {
      const place = places[i]!;
      // The rows after the place move by as many rows as still have to go before them.
      if (place < end) rows.copyWithin(place + i + 1, place, end);
      end = place;
      rows[end + i] = first + local[i]!;
    }
    indexedRows += local.length;
    waiting.tell(indexedRows);
  }

  function addRows(sorted: SortedChunk): void {
    const { first, local } = sorted;
    while (indexedRows < first + local.length) {
      const end = waiting.nextStop(indexedRows, first + local.length);
      merge(sliceSorted(sorted, indexedRows - first, end - first));
    }
  }

  function loadStep(to: number): boolean {
    if (carryOver()) return true;
    const known = loader.at(indexedRows);
    if (known === undefined) return false;
    merge(sliceSorted(known, indexedRows - known.first, waiting.nextStop(indexedRows, to) - known.first));
    loader.markLoaded(indexedRows);
    return true;
  }

  /** Carries over one step of the previous version's order. It returns whether there was one. */
  function carryOver(): boolean {
    const size = indexedRows === 0 ? (carried?.size ?? 0) : 0;
    if (size === 0) return false;
    // Rows beyond `indexedRows` may be pinned already, by the index of the next version. Then they are
    // copied.
    reserve(size, size);
    if (carried!.fill(instants, array.current)) {
      indexedRows = size;
      waiting.tell(indexedRows);
    }
    return true;
  }

  const order: Order = {
    entry,
    get instants() {
      return instants;
    },
    get indexedRows() {
      return indexedRows;
    },
    loadStep,
    addRows,
    indexStep(to) {
      if (!loadStep(to)) merge(readSortedChunk(log, indexedRows, waiting.nextStop(indexedRows, to)));
    },
    pin: () => array.pin(indexedRows),
    async pinAt(size, pacer) {
      if (indexedRows === size) return array.pin(indexedRows);
      const waiter = waiting.add(size);
      try {
        await indexUpTo(order, size, pacer);
        return waiter.pinned!;
      } catch (error) {
        if (waiter.pinned !== undefined) array.unpin(waiter.pinned);
        throw error;
      } finally {
        waiting.remove(waiter);
      }
    },
    unpin: (ordered) => array.unpin(ordered),
    placeOfInstant: (ordered, instant) =>
      search(0, ordered.indexedRows, (place) => instants[ordered.rows[place]!]! < instant),
    placeOf: (ordered, { eventTs, insertId }) => searchId(ordered, eventTs, () => insertId, idAt),
    async save(pacer, again) {
      ids.clear();
      // A new version's order is stored later, by idle work.
      if (carried !== undefined && again !== true) return true;
      return chunks.save(indexedRows, createPacking(log, order, pacer), pacer, again);
    },
  };
  return order;
}
