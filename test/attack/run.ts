/**
 * Attacks a server on this machine with what takes longer than a test may, and prints what happened: `npm run
 * attack` for all of it (about an hour), `npm run attack -- --quick` for a few minutes, `npm run attack --
 * fuzz slow` for some parts, `npm run attack -- bounds pipeline ties` for some of the attacks on what the
 * server promises to bear, `npm run attack -- --together --minutes 10` for all of those at once, `npm run
 * attack -- mutated --requests 200000 --seed 1` for mutated requests to the routes of SDKs. It ends with the
 * counts; exits 1 when something failed.
 */
import { parseArgs } from 'node:util';
import { runBounds, runTogether } from './bounds/run.ts';
import { runCost } from './live/cost.ts';
import { runFuzz } from './live/fuzz.ts';
import { runHeld } from './live/held.ts';
import { runKeyTiming } from './live/key-timing.ts';
import { runMutated } from './live/mutated.ts';
import { runProxy } from './live/proxy.ts';
import type { Row, RunOptions } from './live/report.ts';
import { runSlow } from './live/slow.ts';
import { runSqlmap } from './live/sqlmap.ts';

type Part = (options: RunOptions) => AsyncIterable<Row> | Promise<Row[]>;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    requests: { type: 'string' },
    seed: { type: 'string' },
  },
});
const { quick } = values;
if (values.together) words.unshift('together');
const boundsAt = words.indexOf('bounds');
const boundWords = boundsAt === -1 ? [] : words.splice(boundsAt + 1);

const toNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));

const PARTS: Readonly<Record<string, Part>> = {
  bounds: (options) => runBounds(boundWords, options),
  together: (options) => runTogether(Number(values.minutes), options),
  held: runHeld,
  fuzz: runFuzz,
  mutated: () => runMutated({ requests: toNumber(values.requests), seed: toNumber(values.seed) }),
  slow: runSlow,
  sqlmap: runSqlmap,
  cost: runCost,
  keys: runKeyTiming,
  proxy: runProxy,
};

const unknown = words.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  console.error(`unknown part ${unknown}; use ${Object.keys(PARTS).join(', ')} or --quick`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
const print = (row: Row) => {
  if (row.failed) failed += 1;
  else passed += 1;
  console.log(`${row.failed ? 'FAILED' : 'ok    '}  ${row.attack}: ${row.figures}`);
};
// A quick run leaves out what has a length of its own. An answer may be a 503 where others need the machine,
// and then the sender of a mutated request waits once more than it was told.
const all = Object.keys(PARTS).filter((name) => !quick || (name !== 'together' && name !== 'mutated'));
for (const name of words.length === 0 ? all : words) {
  try {
    const rows = PARTS[name]!({ quick });
    if (rows instanceof Promise) for (const row of await rows) print(row);
    else for await (const row of rows) print(row);
  } catch (error) {
    const figures = error instanceof Error ? (error.stack ?? error.message) : String(error);
    print({ attack: name, figures, failed: true });
  }
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
