/** What waits of one owner. */
export interface Line<T> {
  /** How much waits. */
  readonly length: number;
  /** Lets something wait. */
  add(item: T): void;
  /** Takes out what is next; undefined when nothing waits. */
  next(): T | undefined;
}

/** What waits of several owners. */
export interface FairQueue<T> {
  /** How much waits. */
  readonly length: number;
  /** Lets something of an owner wait. */
  add(owner: string, item: T): void;
  /**
   * Takes out what is next, of the owner that has had least among those who may have something now, by
   * default all; undefined when nothing of them waits.
   */
  next(mayHave?: (owner: string) => boolean): T | undefined;
  /** Notes that an owner had something; whether how much is only a guess. */
  charge(owner: string, amount: number, isGuess?: boolean): void;
}

/** How a fair queue works. */
export interface FairQueueOptions<T> {
  /** Makes the line of an owner; default, what comes first is first. */
  readonly createLine?: () => Line<T>;
  /** How much an owner that usually has little owes at most after it had much once. */
  readonly debtMax?: number;
}

/** Who always has much owes what it usually has, as often. */
const DEBT_TIMES_MAX = 2;
/** How much the last counts in what an owner usually has. */
const LAST_SHARE = 1 / 4;

/**
 * How fast the clock goes on at least, as a share of how fast it would for owners that all wait always:
 * slowly, so that who asks little and comes new still begins before those who have had much.
 */
const CLOCK_SHARE = 1 / 8;

/** An owner: what waits of it, and how much it has had, on a clock of all owners. */
interface Owner<T> {
  readonly line: Line<T>;
  served: number;
  /** How much it usually has at once. */
  usual: number;
  /** In which era it was here last. */
  era: number;
  /** Its place among those who wait, by when each began to. */
  place: number;
}

/** Of more owners none is remembered beyond an era. */
const REMEMBERED_MAX = 16;

/**
 * Makes an empty queue. Where several owners wait, the next is the one that has had least, so that neither
 * a thousand small things nor one large one give an owner more than another.
 *
 * Who waits is served before all others together have been charged `waiting * (9 * debt + 2 * most)`, whoever
 * comes meanwhile: `waiting` is how many owners wait at once at most, `debt` how much more it has had than
 * who came new when it began to wait, and `most` what is charged at once at most.
 *
 * @see Goyal, Vin and Cheng, "Start-time fair queuing", SIGCOMM 1996.
 */
export function createFairQueue<T>({
  createLine = createPlainLine,
  debtMax = Infinity,
}: FairQueueOptions<T> = {}): FairQueue<T> {
  const owners = new Map<string, Owner<T>>();
  // How much the owner that is served has had: who comes new begins there, since nothing is saved up by
  // asking for nothing, and those who wait already come first among equals. It also goes on with whatever is
  // had: newcomers without end would hold it, and whoever has had more would wait for as long as they come.
  let clock = 0;
  let waiting = 0;
  let ownersWaiting = 0;
  let places = 0;
  // It ends when nothing waits: then whoever was here comes as new. A Map that were cleared each time would
  // leave its old tables in a chain that the collector copies until it looks at the whole heap: that took
  // a third of a take from a bucket.
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

  /** Of the owners of whom something waits, the one that has had least; forgets who would come as new. */
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
      // Whoever has just had something may wait again at once.
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
  // A getter would give each line a hidden class of its own.
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
