/** The items of one owner that wait. */
export interface Line<T> {
  /** How many items wait. */
  readonly length: number;
  /** Adds an item. */
  add(item: T): void;
  /** Removes and returns the next item; undefined if there is none. */
  next(): T | undefined;
}

/** The items of several owners that wait. */
export interface FairQueue<T> {
  /** How many items wait. */
  readonly length: number;
  /** Adds an item of an owner. */
  add(owner: string, item: T): void;
  /**
   * Removes and returns the next item of the least-served owner. `mayHave` says which owners take part, by
   * default all. Undefined if no item of them waits.
   */
  next(mayHave?: (owner: string) => boolean): T | undefined;
  /** Charges an owner for service. `isGuess` says that the amount is an estimate. */
  charge(owner: string, amount: number, isGuess?: boolean): void;
}

/** How a fair queue works. */
export interface FairQueueOptions<T> {
  /** Makes the line of an owner. Default: first in, first out. */
  readonly createLine?: () => Line<T>;
  /** The most that an owner with small usual charges can owe after one large charge. */
  readonly debtMax?: number;
}

/** An owner whose usual charge is large can owe this many times its usual charge. */
const DEBT_TIMES_MAX = 2;
/** The weight of the latest charge in an owner's usual charge. */
const LAST_SHARE = 1 / 4;

/**
 * The slowest that the clock advances, as a share of its speed when all owners wait all the time. It is
 * small, so that a new owner that needs little still starts ahead of owners that have had much.
 */
const CLOCK_SHARE = 1 / 8;

/** An owner: its waiting items, and how much service it has had on the common clock. */
interface Owner<T> {
  readonly line: Line<T>;
  served: number;
  /** Its usual charge. */
  usual: number;
  /** The era in which it was last seen. */
  era: number;
  /** Its place among the waiting owners, by when each began to wait. */
  place: number;
}

/** With more owners than this, the queue forgets all of them at the end of an era. */
const REMEMBERED_MAX = 16;

/**
 * Makes an empty queue. The least-served owner is next, so neither a thousand small items nor one large item
 * give an owner more service than another.
 *
 * An owner that waits is served before all others together are charged `waiting * (9 * debt + 2 * most)`,
 * however many new owners arrive meanwhile. `waiting` is the largest number of owners that wait at once,
 * `debt` how much more service the owner had than a new owner when it began to wait, and `most` the largest
 * single charge.
 *
 * @see Goyal, Vin and Cheng, "Start-time fair queuing", SIGCOMM 1996.
 */
export function createFairQueue<T>({
  createLine = createPlainLine,
  debtMax = Infinity,
}: FairQueueOptions<T> = {}): FairQueue<T> {
  const owners = new Map<string, Owner<T>>();
  // The service that the current owner has had. A new owner starts here, because an idle owner saves up
  // nothing; among equals, owners that wait already come first. Every charge advances the clock too:
  // otherwise an endless supply of new owners would hold it, and an owner that has had more would wait for
  // ever.
  let clock = 0;
  let waiting = 0;
  let ownersWaiting = 0;
  let places = 0;
  // An era ends when nothing waits: after it, every owner counts as new. Clearing the Map each time would
  // leave its old tables in a chain that the garbage collector copies until a full collection, which took a
  // third of the time of one take from a token bucket.
  let era = 0;

  function ownerOf(name: string): Owner<T> {
    let owner = owners.get(name);
    if (owner === undefined) {
      owners.set(name, (owner = { line: createLine(), served: 0, usual: 0, era, place: 0 }));
    } else if (owner.era !== era) {
      owner.era = era;
      owner.served = owner.usual = 0;
    }
    if (owner.line.length === 0) {
      owner.served = Math.max(owner.served, clock);
      owner.place = places++;
    }
    return owner;
  }

  function endEra(): void {
    era += 1;
    if (owners.size > REMEMBERED_MAX) owners.clear();
  }

  /** The least-served owner with a waiting item. Forgets owners that would count as new. */
  function leastServed(mayHave: ((owner: string) => boolean) | undefined): Owner<T> | undefined {
    if (waiting === 0) {
      endEra();
      return undefined;
    }
    let least: Owner<T> | undefined;
    for (const [name, owner] of owners) {
      if (owner.line.length > 0) {
        if (least !== undefined && !comesBefore(owner, least)) continue;
        if (mayHave === undefined || mayHave(name)) least = owner;
      } else if (owner.era !== era || owner.served <= clock) owners.delete(name);
    }
    return least;
  }

  return {
    get length() {
      return waiting;
    },
    add(name, item) {
      const { line } = ownerOf(name);
      if (line.length === 0) ownersWaiting += 1;
      line.add(item);
      waiting += 1;
    },
    next(mayHave) {
      const owner = leastServed(mayHave);
      if (owner === undefined) return undefined;
      clock = Math.max(clock, owner.served);
      waiting -= 1;
      const item = owner.line.next();
      if (owner.line.length === 0) ownersWaiting -= 1;
      return item;
    },
    charge(name, amount, isGuess = false) {
      const owner = ownerOf(name);
      const most = isGuess ? debtMax : Math.max(debtMax, DEBT_TIMES_MAX * owner.usual);
      const before = owner.served;
      owner.served = Math.min(before + amount, Math.max(before, clock + most));
      // The charged owner may wait again at once, so it counts too.
      const sharers = ownersWaiting + (owner.line.length === 0 ? 1 : 0);
      clock += (CLOCK_SHARE * (owner.served - before)) / sharers;
      if (!isGuess) owner.usual += (amount - owner.usual) * LAST_SHARE;
    },
  };
}

const comesBefore = <T>(one: Owner<T>, other: Owner<T>) =>
  one.served < other.served || (one.served === other.served && one.place < other.place);

function createPlainLine<T>(): Line<T> {
  const items: T[] = [];
  // A class, because a getter of a literal would give each line a hidden class of its own.
  const line = {
    length: 0,
    add: (item: T) => void (line.length = items.push(item)),
    next() {
      const item = items.shift();
      line.length = items.length;
      return item;
    },
  };
  return line;
}
