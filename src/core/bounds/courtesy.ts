import type { Runtime } from '../runtime.ts';

/** Lets what goes on for long step back before those who wait for an answer. */
export interface Courtesy {
  /** Notes that somebody came. */
  note(): void;
  /**
   * For one who goes on for long, to be asked after each of its steps: resolves after a rest where somebody
   * came since it was last asked, nothing where nobody did.
   */
  stepper(): () => Promise<void> | undefined;
}

/**
 * How long all of them together rest after a step, which takes some milliseconds: so they have about a sixth
 * of a process that others ask, and all of one that nobody asks. Turns alone would not do: whoever sends one
 * batch after the other does not wait for a turn in between, yet finds a step under way at each hand that the
 * batch goes through.
 */
const REST_MS = 40;

/** Makes it over a runtime; where that cannot sleep, nobody rests. */
export function createCourtesy(runtime: Pick<Runtime, 'sleep'>): Courtesy {
  let noted = 0;
  let rested: Promise<void> = Promise.resolve();
  return {
    note: () => void (noted += 1),
    stepper() {
      let seen = noted;
      return () => {
        if (seen === noted || runtime.sleep === undefined) return undefined;
        seen = noted;
        return (rested = rested.then(() => runtime.sleep!(REST_MS)));
      };
    },
  };
}
