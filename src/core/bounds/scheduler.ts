import { aborted } from '../errors.ts';
import type { Signal } from '../ports.ts';
import { createLine, type Line, type Waiter } from './line.ts';

/** Lets a long job step aside for others. */
export interface Pacer {
  /** A clock for durations, in milliseconds. */
  now(): number;
  /**
   * Nothing while there is time left in this turn, so that who pauses often need not wait for it; else
   * resolves when the job's owner has its next. Throws `aborted()` when nobody waits for the job any more.
   */
  pause(): Promise<void> | undefined;
}

/** Gives turns to the jobs of a process. */
export interface Scheduler {
  /**
   * Runs a job of an owner: the id of a tenant, or a client's address where no tenant is known yet. It begins
   * when the owner has a turn; each `pause` of its pacer may end that turn.
   */
  run<T>(owner: string, signal: Signal | undefined, job: (pacer: Pacer) => T | Promise<T>): Promise<T>;
}

export interface SchedulerOptions {
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves in the next turn of the event loop, when what came in meanwhile was taken in. */
  readonly nextTurn: () => Promise<void>;
}

/** How long jobs work in one turn of the event loop. */
const SLICE_MS = 4;
/**
 * What an owner of short turns owes at most, so that what it asks next waits for a slice or two of each other
 * owner: its last turn may have been long because it waited for a disk, or because the collector ran in it.
 */
const DEBT_MS_MAX = 2 * SLICE_MS;
/** Whose turns are always long owes what they usually take, as often. */
const DEBT_TURNS_MAX = 2;
/** How much the last turn counts in what an owner's turns usually take. */
const LAST_TURN_SHARE = 1 / 4;

/** An owner: its jobs that wait, and for how long those before them have worked, on a clock of all owners. */
interface Owner {
  readonly line: Line;
  servedMs: number;
  /** How long its turns usually are. */
  turnMs: number;
}

/**
 * Makes a scheduler. In each turn of the event loop jobs work for one slice. Where several wait, the next is
 * of the owner whose jobs have worked least, so that neither a thousand jobs nor one long one get more than
 * another's many short ones, and who asks a little now and then waits for little more than the slice that is
 * open. Among the jobs of one owner, its line says who is next. (Start-time fair queueing, Goyal, Vin
 * and Cheng, 1996.)
 */
export function createScheduler({ now, nextTurn }: SchedulerOptions): Scheduler {
  const owners = new Map<string, Owner>();
  // How long the owner that is served has worked: who comes new begins there, since nothing is saved up by
  // asking for nothing, and those who wait already come first among equals.
  let clockMs = 0;
  let waiting = 0;
  let jobs = 0;
  let slice = 0;
  let sliceOpen = false;
  let sliceEnd = 0;

  function openSlice(): void {
    slice += 1;
    sliceOpen = true;
    sliceEnd = now() + SLICE_MS;
    void nextTurn().then(endSlice);
  }

  function endSlice(): void {
    sliceOpen = false;
    const next = takeNext();
    if (next === undefined) return;
    openSlice();
    next.begin();
  }

  /** A job that ends early leaves the rest of the slice to those who wait. */
  function passOn(): void {
    if (waiting > 0 && now() < sliceEnd) takeNext()?.begin();
  }

  function ownerOf(name: string): Owner {
    let owner = owners.get(name);
    if (owner === undefined) owners.set(name, (owner = { line: createLine(), servedMs: 0, turnMs: 0 }));
    if (owner.line.length === 0) owner.servedMs = Math.max(owner.servedMs, clockMs);
    return owner;
  }

  /** Whoever is met again in a later slice has waited, and nobody knows how long it worked. */
  function charge(owner: Owner, ms: number, hasWaited: boolean): void {
    const debtMsMax = hasWaited ? DEBT_MS_MAX : Math.max(DEBT_MS_MAX, DEBT_TURNS_MAX * owner.turnMs);
    owner.servedMs = Math.min(owner.servedMs + ms, clockMs + debtMsMax);
    if (!hasWaited) owner.turnMs += (ms - owner.turnMs) * LAST_TURN_SHARE;
  }

  /** The next job that somebody still waits for; the others end here. */
  function takeNext(): Waiter | undefined {
    for (let owner = leastServed(); owner !== undefined; owner = leastServed()) {
      clockMs = owner.servedMs;
      for (let job = owner.line.next(); job !== undefined; job = owner.line.next()) {
        waiting -= 1;
        if (job.signal?.aborted !== true) return job;
        job.fail(aborted());
      }
    }
    return undefined;
  }

  /** Of the owners whose jobs wait, the one that has worked least; forgets who would come back as new. */
  function leastServed(): Owner | undefined {
    if (waiting === 0) {
      owners.clear();
      return undefined;
    }
    let least: Owner | undefined;
    for (const [name, owner] of owners) {
      if (owner.line.length > 0) {
        if (least === undefined || owner.servedMs < least.servedMs) least = owner;
      } else if (owner.servedMs <= clockMs) owners.delete(name);
    }
    return least;
  }

  /** Whether there is time left in this turn. */
  function mayGoOn(signal: Signal | undefined): boolean {
    if (signal?.aborted === true) throw aborted();
    if (!sliceOpen) openSlice();
    return now() < sliceEnd;
  }

  function waitForTurn(owner: string, job: Pick<Waiter, 'signal' | 'number' | 'workedMs'>): Promise<void> {
    return new Promise((begin, fail) => {
      ownerOf(owner).line.add({ ...job, begin, fail });
      waiting += 1;
    });
  }

  return {
    async run(owner, signal, job) {
      const number = jobs++;
      let workedMs = 0;
      let turnBegan = 0;
      let turnSlice = 0;
      const beginTurn = () => {
        turnBegan = now();
        turnSlice = slice;
      };
      const wait = async () => {
        try {
          await waitForTurn(owner, { signal, number, workedMs });
        } finally {
          // Who ends while it waits has not worked meanwhile.
          beginTurn();
        }
      };
      const endTurn = () => {
        const ms = now() - turnBegan;
        workedMs += ms;
        charge(ownerOf(owner), ms, slice !== turnSlice);
      };
      const pause = () => {
        if (mayGoOn(signal)) return undefined;
        endTurn();
        return wait();
      };
      // A job begins in the very step that looked at the time: of many that come at once, each looks when the
      // one before it has worked.
      if (waiting > 0 || !mayGoOn(signal)) await wait();
      else beginTurn();
      try {
        const answer = job({ now, pause });
        // To wait for what is there already would cost a turn of the microtasks.
        return answer instanceof Promise ? await answer : answer;
      } finally {
        endTurn();
        passOn();
      }
    },
  };
}
