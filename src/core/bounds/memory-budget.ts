import { overloaded } from '../base/errors.ts';
import { NO_LABELS, SILENT_METER, type Meter } from '../base/metrics.ts';
import { requireOptions } from '../base/options.ts';
import { createRecency, type RecencyNode, type Recency } from './recency.ts';

/** Memory for one purpose. It is reserved before it is allocated. */
export interface Reservation {
  /** How many bytes are reserved now. */
  readonly bytes: number;
  /**
   * Reserves more bytes. Returns false, and reserves nothing, if they would not fit even after every unpinned
   * cache entry was evicted. A caller that gets false allocates nothing: it makes do with less, or throws
   * `overloaded()`.
   */
  reserve(bytes: number): boolean;
  /** Releases bytes, all of them by default. */
  release(bytes?: number): void;
}

/**
 * A reservation for something that can be built again. While it is not pinned, the budget may evict it to
 * make room, least recently used first. A new entry is pinned once, by the caller that made it.
 */
export interface CacheEntry extends Reservation {
  /** Pins the entry. It stays until `unpin` was called as often. */
  pin(): void;
  /** Takes one pin back. */
  unpin(): void;
  /** Releases the memory as soon as no pin is left, because the entry is obsolete. Does not call `evict`. */
  discard(): void;
}

/** The memory of a process. Everything that grows with client input reserves its bytes here. */
export interface MemoryBudget {
  /** How many bytes may be reserved in all. */
  readonly bytesMax: number;
  /** How many bytes are reserved in all. */
  readonly bytes: number;
  /**
   * An empty reservation of an owner: the id of a tenant, or a client's address while the tenant is unknown.
   */
  reservation(owner: string): Reservation;
  /** Whether an owner may reserve so many bytes more now, if unpinned entries are evicted. It evicts none. */
  hasRoom(owner: string, bytes: number): boolean;
  /** An empty cache entry. `evict` is called after its memory was taken. */
  cacheEntry(owner: string, evict: () => void): CacheEntry;
  /**
   * Keeps a number of bytes out of the budget until the next call, because the process holds more memory than
   * its reservations say. Existing reservations stay.
   */
  withhold(bytes: number): void;
}

/** How large a memory budget is. */
export interface MemoryBudgetOptions {
  /** How many bytes may be reserved in all. */
  readonly bytesMax: number;
  /** The share that a single owner may have, from 0 to 1. Default a half. */
  readonly ownerShare?: number;
  /** Where it is reported how full the budget is. Default: nowhere. */
  readonly meter?: Meter;
}

interface Owner {
  readonly name: string;
  bytes: number;
  /** How many of the bytes belong to entries that are not pinned. */
  spareBytes: number;
  readonly spare: Recency<Part>;
}

interface Part {
  evict(): void;
}

/**
 * Makes a memory budget of `bytesMax` bytes. With a share of a half, one owner alone may use half of them,
 * two owners a third each, and so on, so that a new owner finds some free. When unpinned entries fill the
 * budget, an owner above an equal share makes room from its own entries. Other owners evict the least
 * recently used entries of all. The cost of a reservation depends only on the number of entries that it
 * evicts.
 *
 * @example
 * ```ts
 * import { createMemoryBudget } from 'event-query/transport-kit';
 *
 * const reservation = createMemoryBudget({ bytesMax: 1000 }).reservation('a tenant');
 * console.log(reservation.reserve(400), reservation.reserve(400));
 * // prints: true false
 * reservation.release();
 * ```
 */
export function createMemoryBudget(options: MemoryBudgetOptions): MemoryBudget {
  requireOptions('createMemoryBudget', options, [], { bytesMax: { such: '512 * 2 ** 20', type: 'number' } });
  const { bytesMax, ownerShare = 0.5, meter = SILENT_METER } = options;
  /** How many bytes an owner may have for each free byte. Infinity if one owner may have all. */
  const perFreeByte = ownerShare / (1 - ownerShare);
  const owners = new Map<string, Owner>();
  const spare = createRecency<Part>();
  let total = 0;
  let spareTotal = 0;
  /** How many bytes cache entries have, pinned or not. */
  let cached = 0;
  /** How many bytes may be reserved now. */
  let roomMax = bytesMax;

  meter.gauge('event_query_memory_booked_bytes', NO_LABELS, () => total);
  meter.gauge('event_query_memory_limit_bytes', NO_LABELS, () => roomMax);
  meter.gauge('event_query_column_cache_bytes', NO_LABELS, () => cached);
  meter.gauge('event_query_column_cache_limit_bytes', NO_LABELS, () => Math.max(0, roomMax - total + cached));

  const ownerOf = (name: string) =>
    owners.get(name) ?? { name, bytes: 0, spareBytes: 0, spare: createRecency<Part>() };

  function add(owner: Owner, bytes: number): void {
    if (owner.bytes === 0) owners.set(owner.name, owner);
    owner.bytes += bytes;
    total += bytes;
    if (owner.bytes === 0) owners.delete(owner.name);
  }

  function addSpare(owner: Owner, bytes: number): void {
    owner.spareBytes += bytes;
    spareTotal += bytes;
  }

  function hasRoom(owner: Owner, bytes: number): boolean {
    const free = roomMax - (total - spareTotal) - bytes;
    if (free < 0) return false;
    const used = owner.bytes - owner.spareBytes + bytes;
    return perFreeByte === Infinity || used <= free * perFreeByte;
  }

  function makeRoom(owner: Owner, bytes: number): boolean {
    if (!hasRoom(owner, bytes)) return false;
    while (owner.bytes + bytes > roomMax * ownerShare) owner.spare.oldest()!.evict();
    while (total + bytes > roomMax) {
      const own = owner.bytes > roomMax / owners.size ? owner.spare.oldest() : undefined;
      (own ?? spare.oldest())!.evict();
    }
    return true;
  }

  // A class, because each request makes one: getters of an object literal would cost more than all the rest.
  function open(name: string, isCached = false): Reservation & { readonly owner: Owner } {
    const account: Reservation & { owner: Owner; bytes: number } = {
      owner: ownerOf(name),
      bytes: 0,
      reserve(bytes: number): boolean {
        // An owner without reservations is forgotten, so it may have a new record by now.
        if (account.bytes === 0) account.owner = ownerOf(name);
        if (!makeRoom(account.owner, bytes)) return false;
        account.bytes += bytes;
        add(account.owner, bytes);
        if (isCached) cached += bytes;
        return true;
      },
      release(bytes = account.bytes): void {
        if (bytes === 0) return;
        account.bytes -= bytes;
        add(account.owner, -bytes);
        if (isCached) cached -= bytes;
      },
    };
    return account;
  }

  return {
    bytesMax,
    get bytes() {
      return total;
    },
    reservation: (name) => open(name),
    hasRoom: (name, bytes) => hasRoom(ownerOf(name), bytes),
    withhold: (bytes) => void (roomMax = bytesMax - bytes),
    cacheEntry(name, evict) {
      const account = open(name, true);
      let users = 1;
      let retired = false;
      let places: readonly [own: RecencyNode<Part>, all: RecencyNode<Part>] | undefined;

      function takeBack(): void {
        if (places === undefined) return;
        account.owner.spare.remove(places[0]);
        spare.remove(places[1]);
        places = undefined;
        addSpare(account.owner, -account.bytes);
      }
      const part: Part = {
        evict() {
          meter.count('event_query_column_cache_evictions_total', NO_LABELS);
          takeBack();
          account.release();
          evict();
        },
      };
      return {
        get bytes() {
          return account.bytes;
        },
        reserve: (bytes) => account.reserve(bytes),
        release(bytes = account.bytes) {
          if (places !== undefined) addSpare(account.owner, -bytes);
          account.release(bytes);
        },
        pin() {
          takeBack();
          users += 1;
        },
        unpin() {
          users -= 1;
          if (users > 0) return;
          if (retired) return account.release();
          if (account.bytes === 0) return evict();
          places = [account.owner.spare.add(part), spare.add(part)];
          addSpare(account.owner, account.bytes);
        },
        discard() {
          retired = true;
          if (users > 0) return;
          takeBack();
          account.release();
        },
      };
    },
  };
}

/** Reserves memory that the caller cannot do without. Throws `overloaded()` if it does not fit. */
export function reserveOrThrow(reservation: Reservation, bytes: number): void {
  if (!reservation.reserve(bytes)) throw overloaded();
}
