/**
 * Attacks a server on this machine with what takes longer than a test may, and prints what happened:
 * `npm run attack` for all of it (about half an hour), `npm run attack -- --quick` for a few minutes,
 * `npm run attack -- fuzz slow` for some parts. It ends with the counts; exits 1 when something failed.
 */
import { runCost } from './live/cost.ts';
import { runFuzz } from './live/fuzz.ts';
import { runKeyTiming } from './live/key-timing.ts';
import type { Row, RunOptions } from './live/report.ts';
import { runSlow } from './live/slow.ts';
import { runSqlmap } from './live/sqlmap.ts';

const PARTS: Readonly<Record<string, (options: RunOptions) => Promise<Row[]>>> = {
  fuzz: runFuzz,
  slow: runSlow,
  sqlmap: runSqlmap,
  cost: runCost,
  keys: runKeyTiming,
};

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const chosen = args.filter((arg) => arg !== '--quick');
const unknown = chosen.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  console.error(`unknown part ${unknown}; use ${Object.keys(PARTS).join(', ')} or --quick`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
for (const name of chosen.length === 0 ? Object.keys(PARTS) : chosen) {
  const rows = await PARTS[name]!({ quick }).catch((error: unknown): Row[] => [
    {
      attack: name,
      figures: error instanceof Error ? (error.stack ?? error.message) : String(error),
      failed: true,
    },
  ]);
  for (const row of rows) {
    if (row.failed) failed += 1;
    else passed += 1;
    console.log(`${row.failed ? 'FAILED' : 'ok    '}  ${row.attack}: ${row.figures}`);
  }
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
