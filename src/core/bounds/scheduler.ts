import { aborted } from '../errors.ts';
import type { Signal } from '../ports.ts';
import { createLine, type Line, type Waiter } from './line.ts';

/** Lets a long job step aside for others. */
export interface Pacer {
  /** A clock for durations, in milliseconds. */
  now(): number;
  /**
   * Resolves at once while there is time left in this turn, else when the job's owner has its next. Throws
   * `aborted()` when nobody waits for the job any more.
   */
  pause(): Promise<void>;
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

/** Takes out of a line whoever still waits for an answer. */
function nextAlive(line: Line): Waiter | undefined {
  let job = line.next();
  for (; job?.signal?.aborted === true; job = line.next()) job.fail(aborted());
  return job;
}

/**
 * Makes a scheduler. In each turn of the event loop jobs work for one slice, and where several wait, owners
 * take turns by time: one after the other has a slice for as many of its jobs as fit, so that neither a
 * thousand jobs nor one long one get more than another's many short ones. Among the jobs of one owner, its
 * line says who is next. (Deficit round robin, with a slice as the quantum.)
 */
export function createScheduler({ now, nextTurn }: SchedulerOptions): Scheduler {
  // The owners in the order of their turns: who had one goes to the end.
  const waiting = new Map<string, Line>();
  let jobs = 0;
  let sliceOpen = false;
  let sliceEnd = 0;

  function openSlice(): void {
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
    if (waiting.size > 0 && now() < sliceEnd) takeNext()?.begin();
  }

  /** The next job that somebody still waits for; the others end here. */
  function takeNext(): Waiter | undefined {
    // The walk meets again who was moved to the end.
    for (const [owner, line] of waiting) {
      if (line.servedMs >= SLICE_MS) {
        line.servedMs = 0;
        waiting.delete(owner);
        waiting.set(owner, line);
        continue;
      }
      const job = nextAlive(line);
      if (line.length === 0) waiting.delete(owner);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** Whether there is time left in this turn. */
  function mayGoOn(signal: Signal | undefined): boolean {
    if (signal?.aborted === true) throw aborted();
    if (!sliceOpen) openSlice();
    return now() < sliceEnd;
  }

  function waitForTurn(owner: string, job: Pick<Waiter, 'signal' | 'number' | 'workedMs'>): Promise<void> {
    return new Promise((begin, fail) => {
      const line = waiting.get(owner) ?? createLine();
      waiting.set(owner, line);
      line.add({ ...job, begin, fail });
    });
  }

  return {
    async run(owner, signal, job) {
      const number = jobs++;
      let workedMs = 0;
      let turnBegan = 0;
      const wait = async () => {
        await waitForTurn(owner, { signal, number, workedMs });
        turnBegan = now();
      };
      const endTurn = () => {
        const ms = now() - turnBegan;
        workedMs += ms;
        const line = waiting.get(owner);
        if (line !== undefined) line.servedMs += ms;
      };
      const pause = async () => {
        if (mayGoOn(signal)) return;
        endTurn();
        await wait();
      };
      // A job begins in the very step that looked at the time: of many that come at once, each looks when the
      // one before it has worked.
      if (waiting.size > 0 || !mayGoOn(signal)) await wait();
      else turnBegan = now();
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
