import { aborted } from '../errors.ts';
import type { Pacer, Scheduler } from './scheduler.ts';

/** Work that nobody waits for, done while nobody else has any. */
export interface IdleWork {
  /** Notes that somebody is at work for an owner: some time later, what there is to do for it is done. */
  note(owner: string): void;
  /** Ends it: what is under way ends at its next pause. */
  stop(): void;
}

export interface IdleOptions {
  readonly scheduler: Scheduler;
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves after as many milliseconds; it keeps no process alive. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** How long it waits for more to come before it begins with an owner. */
const SETTLE_MS = 1000;

/** How long it works between two rests: a timer rests a millisecond at least, however short a step was. */
const STEP_MS = 4;

/** It rests half as long as it works, and longer while others are at work. */
const REST_SHARE = 0.5;
const REST_MS_BUSY = 50;

/** How many owners may wait; others are noted again when they are at work again. */
const OWNERS_MAX = 1000;

/** Whose turns they are: no tenant has this name. */
const IDLE = 'idle';

/**
 * Makes idle work of a job for each owner. A step of a few milliseconds begins when the scheduler has a turn
 * to give, and is followed by a rest: so it takes two thirds of one processor at most, and a tenth while
 * others are at work. What fails is tried again when its owner is noted again.
 */
export function createIdleWork(
  work: (owner: string, pacer: Pacer) => Promise<void>,
  { scheduler, now, sleep }: IdleOptions,
): IdleWork {
  const waiting = new Set<string>();
  let noted = 0;
  let notedBefore = 0;
  let isRunning = false;
  let stopped = false;

  /** Waits for a turn; whether others work or wait, so that it did not come at once. */
  async function waitForTurn(): Promise<boolean> {
    const turn = { cameAtOnce: false };
    const came = scheduler.run(IDLE, undefined, () => void (turn.cameAtOnce = true));
    const isBusy = !turn.cameAtOnce;
    await came;
    return isBusy;
  }

  function createPacer(): Pacer {
    let began = now();
    async function rest(workedMs: number): Promise<void> {
      const isBusy = noted !== notedBefore;
      notedBefore = noted;
      await sleep(isBusy ? REST_MS_BUSY : Math.ceil(REST_SHARE * workedMs));
      if (await waitForTurn()) {
        await sleep(REST_MS_BUSY);
        await waitForTurn();
      }
      if (stopped) throw aborted();
      began = now();
    }
    return {
      now,
      pause() {
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
      noted += 1;
      if (waiting.size < OWNERS_MAX) waiting.add(owner);
      if (!isRunning && !stopped) void run();
    },
    stop: () => void (stopped = true),
  };
}
