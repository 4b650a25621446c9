import { aborted, overloaded } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import { createFairQueue } from './fair-queue.ts';

/** Bounds how much goes on at once, in fair shares by owner. */
export interface Limit {
  /** How many permits are taken. */
  readonly taken: number;
  /** Whether there is a permit for something that all of these owners answer for: none has its share. */
  isOpenTo(owners: readonly string[]): boolean;
  /** Takes a permit for something that all of these owners answer for; false if one of them has its share. */
  take(owners: readonly string[]): boolean;
  /** Gives the permit back. */
  leave(owners: readonly string[]): void;
}

/** A limit that work waits for, such as the connections of a database. */
export interface QueuedLimit {
  /**
   * Does some work of an owner, the id of a tenant, once there is a permit for it. Among those who wait, the
   * next is of the owner that has worked least. Throws `aborted()` if nobody waits for the work any more when
   * its turn comes, and `overloaded()` if it has waited too long by then. Work that has a permit must not ask
   * for a second one.
   */
  run<T>(owner: string, signal: Signal | undefined, work: () => Promise<T>): Promise<T>;
}

/** How work waits for a limit. */
export interface QueuedLimitOptions {
  /** After how many milliseconds of waiting a turn comes too late. */
  readonly waitMsMax: number;
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
}

/** Work that waits for a permit. */
interface WaitingWork {
  readonly owner: string;
  readonly signal: Signal | undefined;
  readonly until: number;
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * How many owners are remembered that hold nothing: to enter and forget one for each request would cost more
 * than the permits themselves.
 */
const OWNERS_MAX = 4_096;

/**
 * Creates a limit of `max` permits that no owner can take from the others: each may have as many as are still
 * free. So one owner alone gets half of them, two get a third each, and a new owner finds some free.
 */
export function createLimit(max: number): Limit {
  const held = new Map<string, number>();
  let taken = 0;

  function forgetIdle(): void {
    for (const [owner, count] of held) if (count === 0) held.delete(owner);
  }

  function isOpenTo(owners: readonly string[]): boolean {
    const free = max - taken;
    if (free <= 0) return false;
    for (const owner of owners) {
      if ((held.get(owner) ?? 0) >= free) return false;
    }
    return true;
  }

  return {
    get taken() {
      return taken;
    },
    isOpenTo,
    take(owners) {
      if (!isOpenTo(owners)) return false;
      taken += 1;
      for (const owner of owners) held.set(owner, (held.get(owner) ?? 0) + 1);
      return true;
    },
    leave(owners) {
      taken -= 1;
      for (const owner of owners) {
        held.set(owner, held.get(owner)! - 1);
      }
      if (held.size > OWNERS_MAX) forgetIdle();
    },
  };
}

/** Creates a limit as `createLimit` does, for which work waits in a fair queue. */
export function createQueuedLimit(max: number, { waitMsMax, now }: QueuedLimitOptions): QueuedLimit {
  const limit = createLimit(max);
  const queue = createFairQueue<WaitingWork>();
  const isOpen = (owner: string) => limit.isOpenTo([owner]);

  /** Gives the free permits to the work that waits; what comes too late or for nobody gets none. */
  function passOn(): void {
    for (let next = queue.next(isOpen); next !== undefined; next = queue.next(isOpen)) {
      const { owner, signal, until, begin, fail } = next;
      if (signal?.aborted === true) {
        fail(aborted());
      } else if (now() > until) {
        fail(overloaded());
      } else {
        limit.take([owner]);
        begin();
      }
    }
  }

  return {
    async run(owner, signal, work) {
      if (signal?.aborted === true) throw aborted();
      if (!limit.take([owner])) {
        await new Promise<void>((begin, fail) => {
          queue.add(owner, { owner, signal, until: now() + waitMsMax, begin, fail });
        });
      }
      const began = now();
      try {
        return await work();
      } finally {
        limit.leave([owner]);
        if (queue.length > 0) {
          queue.charge(owner, now() - began);
          passOn();
        }
      }
    },
  };
}
