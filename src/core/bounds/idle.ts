import { aborted } from '../base/errors.ts';
import type { Pacer, Scheduler } from './scheduler.ts';

/** Work that nobody waits for, done while nobody else has any. */
export interface IdleWork {
  /** Notes that somebody is at work for an owner: some time later, what there is to do for it is done. */
  note(owner: string): void;
  /** Ends it: what is under way ends at its next pause. */
  stop(): void;
}

/** What idle work is done with. */
export interface IdleOptions {
  /** Gives it turns, behind everybody else. */
  readonly scheduler: Scheduler;
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves after as many milliseconds; it keeps no process alive. */
  readonly sleep: (ms: number) => Promise<void>;
  /** How much of the time since it was asked before the process was at work, from 0 to 1. */
  readonly busyShare: () => number;
}

/** How long it waits for more to come before it begins with an owner. */
const SETTLE_MS = 1000;

/** How long it works between two rests: a timer rests a millisecond at least, however short a step was. */
const STEP_MS = 4;

/** It takes two thirds of the time that others leave, and rests no longer than this however busy they are. */
const SHARE = 2 / 3;
const REST_MS_MAX = 50;

/** How many owners may wait; others are noted again when they are at work again. */
const OWNERS_MAX = 1000;

/** Whose turns they are: no tenant has this name. */
const IDLE = 'idle';

/**
 * Makes idle work of a job for each owner. A step of a few milliseconds begins when the scheduler has a turn
 * to give, and is followed by a rest, the longer the more others were at work in the rest before. What fails
 * is tried again when its owner is noted again.
 */
export function createIdleWork(
  work: (owner: string, pacer: Pacer) => Promise<void>,
  { scheduler, now, sleep, busyShare }: IdleOptions,
): IdleWork {
  const waiting = new Set<string>();
  /** How much of its last rest others were at work. */
  let busy = 1;
  let isRunning = false;
  let stopped = false;

  /** Waits for a turn; whether others work or wait, so that it did not come at once. */
  async function waitForTurn(): Promise<boolean> {
    const turn = { cameAtOnce: false };
    const job = () => void (turn.cameAtOnce = true);
    const came = scheduler.run(IDLE, undefined, job, 'background');
    const isBusy = !turn.cameAtOnce;
    await came;
    return isBusy;
  }

  async function restAfter(workedMs: number): Promise<void> {
    const restMs = busy < 1 ? workedMs / (SHARE * (1 - busy)) - workedMs : REST_MS_MAX;
    // What it did itself is nobody else's work.
    busyShare();
    await sleep(Math.min(REST_MS_MAX, Math.ceil(restMs)));
    busy = busyShare();
  }

  function createPacer(): Pacer {
    let began = now();
    async function rest(workedMs: number): Promise<void> {
      await restAfter(workedMs);
      if (await waitForTurn()) {
        await restAfter(workedMs);
        await waitForTurn();
      }
      if (stopped) throw aborted();
      began = now();
    }
    return {
      now,
      yieldIfDue() {
        const workedMs = now() - began;
        return workedMs < STEP_MS && !stopped ? undefined : rest(workedMs);
      },
    };
  }

  async function run(): Promise<void> {
    isRunning = true;
    for (;;) {
      await sleep(SETTLE_MS);
      const [owner] = waiting;
      if (stopped || owner === undefined) break;
      waiting.delete(owner);
      await work(owner, createPacer()).catch(() => undefined);
    }
    isRunning = false;
  }

  return {
    note(owner) {
      if (waiting.size < OWNERS_MAX) waiting.add(owner);
      if (!isRunning && !stopped) void run();
    },
    stop: () => void (stopped = true),
  };
}
