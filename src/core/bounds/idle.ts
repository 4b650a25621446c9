import { aborted } from '../base/errors.ts';
import type { Pacer, Scheduler } from './scheduler.ts';

/** Background work that runs while the process is idle. */
export interface IdleWork {
  /** Records activity of an owner. Some time later, the background work for that owner runs. */
  note(owner: string): void;
  /** Ends it: a running job ends the next time it yields. */
  stop(): void;
}

/** What idle work needs. */
export interface IdleOptions {
  /** Gives it turns, after all other jobs. */
  readonly scheduler: Scheduler;
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves after as many milliseconds; it keeps no process alive. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The share of the time since the last call in which the process was busy, from 0 to 1. */
  readonly busyShare: () => number;
}

/** How long it waits for more activity before it begins with an owner. */
const SETTLE_MS = 1000;

/** How long it works between two rests. A timer rests at least a millisecond, however short the step. */
const STEP_MS = 4;

/** It takes two thirds of the idle time, and rests no longer than this however busy the process is. */
const SHARE = 2 / 3;
const REST_MS_MAX = 50;

/** How many owners may wait. Others are recorded at their next activity. */
const OWNERS_MAX = 1000;

/** The owner of its turns: no tenant has this name. */
const IDLE = 'idle';

/**
 * Makes idle work from a job for each owner. A step of a few milliseconds begins when the scheduler has a
 * free turn. A rest follows, longer if the process was busier in the last rest. A failed job is tried again
 * at its owner's next activity.
 */
export function createIdleWork(
  work: (owner: string, pacer: Pacer) => Promise<void>,
  { scheduler, now, sleep, busyShare }: IdleOptions,
): IdleWork {
  const waiting = new Set<string>();
  /** The share of its last rest in which the process was busy. */
  let busy = 1;
  let isRunning = false;
  let stopped = false;

  /** Waits for a turn. Returns whether it had to wait, because other jobs work or wait. */
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
    // Its own work does not count as load.
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
