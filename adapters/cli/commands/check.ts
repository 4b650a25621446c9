import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  rebuildSqlite,
  salvageSqlite,
  verifySqlite,
  type FileFinding,
  type Verification,
} from '../../sqlite/index.ts';
import { note, printJson, write } from '../print/output.ts';
import { createProgress } from '../print/progress.ts';
import { attempt, failure } from '../process/errors.ts';
import { fileToBackUp } from '../stores/backup-places.ts';
import { connectQuietly, loadSqlite, type SqliteDriver } from '../stores/drivers.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists, checkName, makeFolder } from '../stores/sqlite-file.ts';

interface CheckFlags {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** True to repair the file itself, or the new file to save the readable events in. */
  readonly repair?: string | true;
}

/** `check`: looks for damage in the file while a server uses it, and repairs it. */
export function checkCommand(program: Command): void {
  program
    .command('check')
    .description('look for damage in the file, while a server uses it')
    .option('--repair [new-file]', 'repair the file, or save what is readable of it in a new one')
    .option('--verbose', 'print each finding; otherwise the first three of a kind')
    .option(
      '--json',
      'print {"file", "sound", "schema", "tenants", "events", "findings", "remarks"}; ' +
        'with --repair also "repaired", or {"file", "newFile", "bytes", …, "losses", "remarks"}',
    )
    .addHelpText(
      'after',
      `
Without --repair it writes nothing. It runs the integrity check of SQLite, and then compares each tenant's
events with their counts and with the stored columns. It also finds keys, secrets and logs without an owner.
Each finding says what it means and how it is repaired. Exit code 0: the file is sound; 1: it is not, or it
cannot be read.

--repair rebuilds what is computed from the events; it needs the file for itself. --repair NEW-FILE never
writes the damaged file: it saves all that can be read of it in a new one, and lists what is lost. Stop the
server first. Exit code 0: nothing is wrong or lost any more; 1: something is.

Example:
  $ event-query check --db ./data/event-query.db
  $ event-query check --db ./data/event-query.db --repair ./data/repaired.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { json = false, verbose = false, repair } = self.optsWithGlobals<CheckFlags>();
      const places = placesOf(self);
      const { file, elsewhere } = fileToBackUp(places, 'check');
      if (typeof repair === 'string') checkName('--repair', repair);
      checkExists(file);
      const { connect } = await loadSqlite();
      const checked = { file, connect, holdsTenants: places.control.address === file };
      for (const line of elsewhere) note(line);
      if (typeof repair === 'string') return save(checked, resolve(repair), json);
      if (repair === true) return rebuild(checked, { json, verbose });
      const verified = attempt(`cannot check ${file}`, () =>
        withProgress((onProgress) =>
          verifySqlite(() => connectQuietly(file, connect), { ...checked, onProgress }),
        ),
      );
      await print(file, verified, { json, verbose });
    });
}

/** A file, how it is opened, and whether it holds the tenants of its events. */
interface Checked {
  readonly file: string;
  readonly connect: SqliteDriver['connect'];
  readonly holdsTenants: boolean;
}

/** `--repair`: rebuilds what is computed from the events, and says what is left. */
async function rebuild({ file, connect, holdsTenants }: Checked, how: Printing): Promise<void> {
  const { repaired, ...verified } = attempt(`cannot repair ${file}`, () =>
    withProgress((onProgress) => rebuildSqlite(() => connect(file), { holdsTenants, onProgress })),
  );
  if (!how.json)
    for (const line of firstOfEachKind(repaired, how, ({ message }) => `repaired: ${message}`))
      await write(`${line}\n`);
  await print(file, verified, how, { repaired });
}

/** `--repair NEW-FILE`: saves what is readable, and says what is lost. */
async function save(checked: Checked, to: string, json: boolean): Promise<void> {
  const { file, connect, holdsTenants } = checked;
  const saved = attempt(`nothing of ${file} was saved`, () => {
    makeFolder(dirname(to));
    return withProgress((onProgress) =>
      salvageSqlite({ read: () => connectQuietly(file, connect), write: (part) => connect(part) }, to, {
        holdsTenants,
        onProgress,
      }),
    );
  });
  const { losses, remarks, events, tenants } = saved;
  if (json) await printJson({ file, newFile: to, ...saved });
  else {
    for (const { message } of losses) await write(`lost: ${message}\n`);
    for (const remark of remarks) note(remark);
    await write(`saved ${events} events of ${tenants} tenants in ${to}\n`);
  }
  if (losses.length > 0) throw failure(`not all of ${file} could be saved: ${losses.length} losses`);
}

/** Works with a bar on a terminal. */
function withProgress<T>(work: (onProgress: (done: number, total: number) => void) => T): T {
  let progress: ReturnType<typeof createProgress> | undefined;
  try {
    return work((done, total) => {
      progress ??= createProgress(total);
      progress.update(done, done);
    });
  } finally {
    progress?.stop();
  }
}

/** How findings are printed. */
interface Printing {
  readonly json: boolean;
  /** Whether all are printed. */
  readonly verbose: boolean;
}

async function print(file: string, verified: Verification, how: Printing, more: object = {}): Promise<void> {
  const { schema, tenants, events, findings, remarks } = verified;
  const sound = findings.length === 0;
  if (how.json) await printJson({ file, sound, schema, tenants, events, findings, remarks, ...more });
  else {
    for (const line of firstOfEachKind(findings, how, describe)) await write(`${line}\n`);
    for (const remark of remarks) note(remark);
    if (sound) await write(`${file} is sound: ${events} events of ${tenants} tenants, schema ${schema}\n`);
  }
  if (sound) return;
  const flag = findings.every(({ repair }) => repair === 'here') ? '--repair' : '--repair NEW-FILE';
  throw failure(
    `${file} is not sound: ${findings.length} findings; stop the server and run "event-query check ${flag}"`,
  );
}

/** How many findings of a kind are printed: a broken disk damages hundreds of pages. */
const PRINTED_MAX = 3;

/** The lines of findings: those of a kind together, the first of them and how many more there are. */
function firstOfEachKind(
  findings: readonly FileFinding[],
  { verbose }: Printing,
  toLine: (finding: FileFinding) => string,
): string[] {
  if (verbose) return findings.map(toLine);
  const kinds = new Map<FileFinding['kind'], FileFinding[]>();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  return [...kinds.values()].flatMap((alike) => {
    const lines = alike.slice(0, PRINTED_MAX).map(toLine);
    const more = alike.length - lines.length;
    return more > 0 ? [...lines, `and ${more} more like these: --verbose or --json shows them`] : lines;
  });
}

/** The sentence of a finding: what it is, what it means, and how it is repaired. */
function describe({ message, matters, effect, repair }: FileFinding): string {
  return `${matters ? 'damage' : 'harmless'}: ${message}: ${effect}; ${REPAIRS[repair]}`;
}

const REPAIRS: Readonly<Record<FileFinding['repair'], string>> = {
  here: '--repair makes it anew',
  newFile: '--repair NEW-FILE saves the rest',
};
