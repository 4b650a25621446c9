import { aborted, overloaded } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import { createFairQueue } from './fair-queue.ts';
import { createPlaces } from './places.ts';

/** Lets as many work at once as there is something for, such as connections of a database. */
export interface Semaphore {
  /**
   * Does some work of an owner, the id of a tenant, once it has a permit; one owner has at most as many as
   * are free beside, so half of them when it is alone. Among those who wait, the next is of the owner that
   * has worked least. Throws `aborted()` where nobody waits for the work any more when its turn comes, and
   * `overloaded()` where it has waited too long by then. Whoever holds a permit asks for no second one.
   */
  run<T>(owner: string, signal: Signal | undefined, work: () => Promise<T>): Promise<T>;
}

/** How many may work, and how long others wait. */
export interface SemaphoreOptions {
  /** How many may work at once. */
  readonly permits: number;
  /** After how many milliseconds of waiting a turn comes too late. */
  readonly waitMsMax: number;
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
}

/** Somebody who waits for a permit. */
interface WaitingOwner {
  readonly owner: string;
  readonly signal: Signal | undefined;
  readonly until: number;
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/** Makes one with all permits free. */
export function createSemaphore({ permits, waitMsMax, now }: SemaphoreOptions): Semaphore {
  const places = createPlaces(permits);
  const queue = createFairQueue<WaitingOwner>();
  const isOpen = (owner: string) => places.isOpenTo([owner]);

  /** Gives what is free to those who wait; who comes too late or for nobody gets none. */
  function passOn(): void {
    for (let next = queue.next(isOpen); next !== undefined; next = queue.next(isOpen)) {
      const { owner, signal, until, begin, fail } = next;
      if (signal?.aborted === true) {
        fail(aborted());
      } else if (now() > until) {
        fail(overloaded());
      } else {
        places.take([owner]);
        begin();
      }
    }
  }

  return {
    async run(owner, signal, work) {
      if (signal?.aborted === true) throw aborted();
      if (!places.take([owner])) {
        await new Promise<void>((begin, fail) => {
          queue.add(owner, { owner, signal, until: now() + waitMsMax, begin, fail });
        });
      }
      const began = now();
      try {
        return await work();
      } finally {
        places.leave([owner]);
        if (queue.length > 0) {
          queue.charge(owner, now() - began);
          passOn();
        }
      }
    },
  };
}
