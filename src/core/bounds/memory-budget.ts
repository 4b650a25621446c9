import { overloaded } from '../base/errors.ts';
import { createRecency, type RecencyNode, type Recency } from './recency.ts';

/** Memory of one purpose, booked before it is allocated. */
export interface Reservation {
  /** How many bytes are booked now. */
  readonly bytes: number;
  /**
   * Books more bytes; false, and nothing is booked, where they do not fit although everything that can be
   * made again were let go. Whoever gets false allocates nothing: it does with less, or throws
   * `overloaded()`.
   */
  reserve(bytes: number): boolean;
  /** Gives bytes back, all of them where no number is said. */
  release(bytes?: number): void;
}

/**
 * Memory that holds what can be made again. While nobody uses it, it may be taken for something else, what
 * was not used for longest first. It begins in use: who makes it is its first user.
 */
export interface CacheEntry extends Reservation {
  /** Notes one more user: until as many have left, the memory stays. */
  pin(): void;
  /** Notes that a user has left. */
  unpin(): void;
  /** Lets go of it as soon as nobody uses it, because it is of no more use. `evict` is not called. */
  discard(): void;
}

/** One account of the memory of a process: everything that grows with what clients send is booked in it. */
export interface MemoryBudget {
  /** How many bytes may be booked in all. */
  readonly bytesMax: number;
  /** How many bytes are booked in all. */
  readonly bytes: number;
  /**
   * An empty account of an owner: the id of a tenant, or a client's address where no tenant is known yet.
   */
  reservation(owner: string): Reservation;
  /** An empty account for what can be made again; `evict` is told when its memory was taken. */
  cacheEntry(owner: string, evict: () => void): CacheEntry;
  /**
   * Lets so many bytes of all be booked by nobody, until it is called again: the process holds more than its
   * bookings say. What is booked already stays for as long as it is used.
   */
  withhold(bytes: number): void;
}

/** How much a memory budget gives. */
export interface MemoryBudgetOptions {
  /** How many bytes may be booked in all. */
  readonly bytesMax: number;
  /** How much of it one owner may have while there is no other, from 0 to 1. Default a half. */
  readonly ownerShare?: number;
}

interface Owner {
  readonly name: string;
  bytes: number;
  /** How many of the bytes are of parts that nobody uses. */
  spareBytes: number;
  readonly spare: Recency<Part>;
}

interface Part {
  evict(): void;
}

/**
 * Makes a memory budget of `bytesMax` bytes. By halves, one owner alone may use half of them, two a third
 * each, and so on, so that a newcomer finds some free. Where entries that nothing has pinned take all of it,
 * an owner of more than an equal share makes room from its own entries, and others from those that were not
 * used for longest. Nothing here takes longer when there is more of it: a booking costs as many steps as
 * parts have to go for it.
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
export function createMemoryBudget({ bytesMax, ownerShare = 0.5 }: MemoryBudgetOptions): MemoryBudget {
  /** How much an owner may have for each byte that stays free; of all of it, no bound. */
  const perFreeByte = ownerShare / (1 - ownerShare);
  const owners = new Map<string, Owner>();
  const spare = createRecency<Part>();
  let total = 0;
  let spareTotal = 0;
  /** What may be booked now. */
  let roomMax = bytesMax;

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

  function makeRoom(owner: Owner, bytes: number): boolean {
    const free = roomMax - (total - spareTotal) - bytes;
    if (free < 0) return false;
    const used = owner.bytes - owner.spareBytes + bytes;
    if (perFreeByte < Infinity && used > free * perFreeByte) return false;
    while (owner.bytes + bytes > roomMax * ownerShare) owner.spare.oldest()!.evict();
    while (total + bytes > roomMax) {
      const own = owner.bytes > roomMax / owners.size ? owner.spare.oldest() : undefined;
      (own ?? spare.oldest())!.evict();
    }
    return true;
  }

  // One for each request: getters in an object literal would cost more than all the rest.
  function open(name: string): Reservation & { readonly owner: Owner } {
    const account: Reservation & { owner: Owner; bytes: number } = {
      owner: ownerOf(name),
      bytes: 0,
      reserve(bytes: number): boolean {
        // Who has nothing booked is not remembered, and may have been entered anew since.
        if (account.bytes === 0) account.owner = ownerOf(name);
        if (!makeRoom(account.owner, bytes)) return false;
        account.bytes += bytes;
        add(account.owner, bytes);
        return true;
      },
      release(bytes = account.bytes): void {
        if (bytes === 0) return;
        account.bytes -= bytes;
        add(account.owner, -bytes);
      },
    };
    return account;
  }

  return {
    bytesMax,
    get bytes() {
      return total;
    },
    reservation: open,
    withhold: (bytes) => void (roomMax = bytesMax - bytes),
    cacheEntry(name, evict) {
      const account = open(name);
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
        release: (bytes) => account.release(bytes),
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

/** Books memory that there is no doing without; throws `overloaded()` where it does not fit. */
export function reserveOrThrow(reservation: Reservation, bytes: number): void {
  if (!reservation.reserve(bytes)) throw overloaded();
}
