import { DAY_MS } from '../event/time.ts';
import type { RateLimiter } from './stores.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Window } from '../base/token-bucket.ts';

/**
 * When expired events were last looked for. It is kept in the store of the limits, so that all processes that
 * share them know it, also after a restart.
 */
export interface LastLook {
  /**
   * The distance of the clock from the last look, or from the store's clock before the first look, in
   * milliseconds. Negative if the clock is behind.
   */
  findDistance(): Promise<{ readonly everLooked: boolean; readonly distanceMs: number }>;
  /** Records that a look happens now. */
  note(): Promise<void>;
  /** Forgets the last look. */
  forget(): Promise<void>;
}

const ID = 'retention-look';

/**
 * A bucket of one token that takes longer to refill than any clock can count. The missing part tells, to the
 * millisecond, for how long it has been refilling.
 */
const AGES_MS = 8e15;
const AGES: readonly Window[] = [{ limit: 1, windowMs: AGES_MS }];

/** Keeps the last look as a bucket among the limits. */
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

/** Whether a clock is so far from the last look that it may be wrong. */
export function isFar(distanceMs: number): boolean {
  return Math.abs(distanceMs) > STEP_MS_MAX;
}
