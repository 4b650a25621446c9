import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PROOFS } from './proofs.ts';

/**
 * Runs everything that proves depth, which `.ci/run` does in short: `npm run proof`, or some parts by name:
 * `npm run proof -- faults soak`. Each part runs to its end whatever the others find, its output goes to
 * `.proof/NAME.log` too, and the last lines say what each took and whether it held. Wants the services and
 * tools that `.ci/run` installs.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const LOGS = `${ROOT}.proof`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
});
const unknown = positionals.filter((name) => !PROOFS.some((proof) => proof.name === name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no proof named ${unknown.join(', ')}.`);
  console.log('npm run proof -- [NAME …]\n');
  for (const { name, asks } of PROOFS) console.log(`  ${name.padEnd(14)}${asks}`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

/** Runs one part; its line of the summary. */
function prove({ name, command }: (typeof PROOFS)[number]): {
  readonly held: boolean;
  readonly line: string;
} {
  const log = `${LOGS}/${name}.log`;
  rmSync(log, { force: true });
  appendFileSync(log, `${command}\n`);
  console.log(`\n== ${name}: ${command}`);
  const began = Date.now();
  const script = `set -o pipefail; (${command}) 2>&1 | tee -a '${log}'`;
  const { status } = spawnSync('bash', ['-c', script], { cwd: ROOT, stdio: 'inherit' });
  const minutes = ((Date.now() - began) / 60_000).toFixed(1).padStart(7);
  const held = status === 0;
  return { held, line: `${minutes} min  ${name}${held ? '' : `: FAILED, see .proof/${name}.log`}` };
}

if (!existsSync(LOGS)) mkdirSync(LOGS);
const asked = positionals.length === 0 ? PROOFS : PROOFS.filter(({ name }) => positionals.includes(name));
const results = asked.map(prove);
console.log(`\n${results.map(({ line }) => line).join('\n')}`);
const held = results.filter((result) => result.held).length;
console.log(`\n${held} passed, ${results.length - held} failed`);
process.exitCode = held === results.length ? 0 : 1;
