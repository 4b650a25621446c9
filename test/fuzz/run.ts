import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

/** `EVENT_QUERY_SEED`, as for the other random tests; by chance where none is named. */
const SEED = process.env.EVENT_QUERY_SEED ?? String(Math.floor(Math.random() * 0x7fff_ffff));

/**
 * Fuzzes every parser: `npm run fuzz -- --runs 1000000`; with `--only NAME` some of them, with `--seed N` the
 * same inputs again.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: SEED },
    only: { type: 'string', default: '' },
  },
});

const wanted = TARGETS.filter(({ name }) => name.includes(values.only));
console.log(`seed ${values.seed}`);
let failed = 0;
for (const target of wanted) {
  const start = performance.now();
  const { seen, failure } = fuzz(target, Number(values.runs), Number(values.seed));
  const seconds = Math.round((performance.now() - start) / 1000);
  if (failure !== undefined) failed += 1;
  const counts = `${seen.accepted} accepted, ${seen.refused} refused, ${seconds} s`;
  console.log(`${target.name}: ${failure === undefined ? counts : `FAILED: ${failure}`}`);
}
console.log(`\n${wanted.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && wanted.length > 0 ? 0 : 1;
