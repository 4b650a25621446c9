import * as fc from 'fast-check';
import type { Outcome, Target } from './targets.ts';

/** What became of the inputs of one parser. */
export interface Fuzzed {
  readonly seen: Readonly<Record<Outcome, number>>;
  /** Why the run failed: an input for which something does not hold, or inputs that try too little. */
  readonly failure: string | undefined;
}

/** How many inputs one call of fast-check makes, so that a long run has one seed for each batch. */
const BATCH_RUNS = 10_000;

/**
 * The least share of inputs that a parser has to accept, and to refuse: a fuzzer whose inputs all end at the
 * first check tries nothing behind it.
 */
const SHARE_MIN = 0.02;

/** Fuzzes one parser; the same seed makes the same inputs. */
export function fuzz({ inputs, check }: Target, runs: number, seed: number): Fuzzed {
  const seen: Record<Outcome, number> = { accepted: 0, refused: 0 };
  const property = fc.property(inputs, (input) => {
    seen[check(input as never)] += 1;
  });
  for (let done = 0, batch = seed; done < runs; done += BATCH_RUNS, batch++) {
    const details = fc.check(property, { seed: batch, numRuns: Math.min(BATCH_RUNS, runs - done) });
    if (!details.failed) continue;
    const where = `run ${done + details.numRuns}, seed ${batch} repeats it`;
    const failure = `${where}: ${fc.stringify(details.counterexample)} ${String(details.errorInstance)}`;
    return { seen, failure };
  }
  const scarce = (['accepted', 'refused'] as const).find((outcome) => seen[outcome] < runs * SHARE_MIN);
  const failure =
    scarce && `only ${seen[scarce]} of ${runs} inputs were ${scarce}: the inputs try too little`;
  return { seen, failure };
}
