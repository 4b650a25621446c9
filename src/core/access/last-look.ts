import { DAY_MS } from '../event/time.ts';
import type { RateLimiter } from './stores.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Window } from '../base/token-bucket.ts';

/**
 * When it was last looked what tenants no longer keep, in the store of the limits, so that all processes that
 * share them and those after a restart know it.
 */
export interface LastLook {
  /**
   * How far the clock stands from the last look, in milliseconds; where nobody has looked yet, from the clock
   * of the store. Less than 0 where the clock stands before it.
   */
  findDistance(): Promise<{ readonly everLooked: boolean; readonly distanceMs: number }>;
  /** Notes that it is looked now. */
  note(): Promise<void>;
  /** Forgets when it was. */
  forget(): Promise<void>;
}

const ID = 'retention-look';

/**
 * A bucket of one token that takes longer to come back than any clock can count: what is missing until it is
 * full again tells for how long it has been coming back, to the millisecond.
 */
const AGES_MS = 8e15;
const AGES: readonly Window[] = [{ limit: 1, windowMs: AGES_MS }];

/** The last look, as a bucket among the limits keeps it. */
export function createLastLook(limits: RateLimiter, clock: Pick<Runtime, 'now'>): LastLook {
  return {
    async findDistance() {
      const { windows, at } = await limits.take(ID, AGES, 0);
      const { fullInMs } = windows[0]!;
      const everLooked = fullInMs > 0;
      const lookedAt = everLooked ? at + fullInMs - AGES_MS : at;
      return { everLooked, distanceMs: clock.now() - lookedAt };
    },
    async note() {
      await limits.erase([ID]);
      await limits.take(ID, AGES, [1]);
    },
    forget: () => limits.erase([ID]),
  };
}

/** How far a clock may step between two looks. */
const STEP_MS_MAX = 2 * DAY_MS;

/** Whether a clock stands so far from the last look that it may be wrong. */
export function isFar(distanceMs: number): boolean {
  return Math.abs(distanceMs) > STEP_MS_MAX;
}
