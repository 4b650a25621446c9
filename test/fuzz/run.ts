import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { TARGETS, type Outcome, type Target } from './targets.ts';

/**
 * Fuzzes every parser: `npm run fuzz -- --runs 1000000`; with `--only NAME` some of them, with `--seed N` the
 * same inputs again.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fff_ffff)) },
    only: { type: 'string', default: '' },
  },
});
const BATCH_RUNS = 10_000;

/** Fuzzes one parser in batches, each with a seed of its own; whether everything held. */
function fuzz({ name, inputs, check }: Target, runs: number, seed: number): boolean {
  const seen: Record<Outcome, number> = { accepted: 0, refused: 0 };
  const property = fc.property(inputs, (input) => {
    seen[check(input as never)] += 1;
  });
  const start = performance.now();
  for (let done = 0, batch = 0; done < runs; done += BATCH_RUNS, batch++) {
    const numRuns = Math.min(BATCH_RUNS, runs - done);
    const details = fc.check(property, { seed: seed + batch, numRuns });
    if (!details.failed) continue;
    console.log(`${name}: FAILED in run ${done + details.numRuns}, --seed ${seed + batch} repeats it`);
    console.log(fc.stringify(details.counterexample), details.errorInstance);
    return false;
  }
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${name}: ${runs} runs, ${seen.accepted} accepted, ${seen.refused} refused, ${seconds} s`);
  return true;
}

const wanted = TARGETS.filter(({ name }) => name.includes(values.only));
console.log(`seed ${values.seed}`);
const failed = wanted.filter((target) => !fuzz(target, Number(values.runs), Number(values.seed))).length;
console.log(`\n${wanted.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && wanted.length > 0 ? 0 : 1;
