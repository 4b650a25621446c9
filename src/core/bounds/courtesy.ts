import type { Signal } from '../base/signal.ts';
import type { Runtime } from '../base/runtime.ts';
import { createFairQueue } from './fair-queue.ts';

/** Lets what goes on for long step back before those who wait for an answer. */
export interface Courtesy {
  /** Notes that somebody came. */
  note(): void;
  /**
   * For an owner's work that goes on for long, to be asked after each of its steps: resolves after a rest
   * where somebody came since it was last asked, nothing where nobody did.
   */
  stepper(owner: string, signal: Signal): () => Promise<void> | undefined;
}

/** One who rests. */
interface Rest {
  readonly owner: string;
  readonly signal: Signal;
  readonly end: () => void;
}

/**
 * How long all of them together rest after a step, which takes some milliseconds: so they have about a sixth
 * of a process that others ask, and all of one that nobody asks. Turns alone would not do: whoever sends one
 * batch after the other does not wait for a turn in between, yet finds a step under way at each hand that the
 * batch goes through.
 */
const REST_MS = 40;

/**
 * Makes it over a runtime; where that cannot sleep, nobody rests. The rests follow each other, of one owner
 * after the other: a thousand streams of a tenant rest longer each, and not those of another.
 */
export function createCourtesy(runtime: Pick<Runtime, 'sleep'>): Courtesy {
  const resting = createFairQueue<Rest>();
  let noted = 0;
  let isResting = false;

  /** Ends the next rest; whether there was one. Nobody waits for those whose client has left. */
  function endNext(): boolean {
    for (let rest = resting.next(); rest !== undefined; rest = resting.next()) {
      rest.end();
      if (rest.signal.aborted) continue;
      resting.charge(rest.owner, REST_MS);
      return true;
    }
    return false;
  }

  async function goRound(sleep: NonNullable<Runtime['sleep']>): Promise<void> {
    isResting = true;
    do await sleep(REST_MS);
    while (endNext() && resting.length > 0);
    isResting = false;
  }

  return {
    note: () => void (noted += 1),
    stepper(owner, signal) {
      let seen = noted;
      return () => {
        const { sleep } = runtime;
        if (seen === noted || sleep === undefined) return undefined;
        seen = noted;
        return new Promise((end) => {
          resting.add(owner, { owner, signal, end });
          if (!isResting) void goRound(sleep);
        });
      };
    },
  };
}
