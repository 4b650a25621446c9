import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { verifySqlite, type FileFinding, type Verification } from '../../sqlite/index.ts';
import { note, printJson, write } from '../print/output.ts';
import { createProgress } from '../print/progress.ts';
import { attempt, failure } from '../process/errors.ts';
import { fileToBackUp } from '../stores/backup-places.ts';
import { loadSqlite, type SqliteDriver } from '../stores/drivers.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists } from '../stores/sqlite-file.ts';

interface CheckFlags {
  readonly json?: boolean;
}

/** `check`: looks for damage in the file while a server uses it. */
export function checkCommand(program: Command): void {
  program
    .command('check')
    .description('look for damage in the file, while a server uses it')
    .option('--json', 'print {"file", "sound", "schema", "tenants", "events", "findings", "remarks"}')
    .addHelpText(
      'after',
      `
It writes nothing. It runs the integrity check of SQLite, and then compares each tenant's events with their
counts and with the stored columns. It also finds keys, secrets and logs without an owner. Each finding says
what it means. Exit code 0: the file is sound; 1: it is not, or it cannot be read.

Example:
  $ event-query check --db ./data/event-query.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<CheckFlags>();
      const places = placesOf(self);
      const { file, elsewhere } = fileToBackUp(places, 'check');
      checkExists(file);
      const { connect } = await loadSqlite();
      const holdsTenants = places.control.address === file;
      const verified = attempt(`cannot check ${file}`, () => verify(file, connect, holdsTenants));
      for (const line of elsewhere) note(line);
      await print(file, verified, json === true);
    });
}

/** Verifies the file, with a bar on a terminal. */
function verify(file: string, connect: SqliteDriver['connect'], holdsTenants: boolean): Verification {
  let progress: ReturnType<typeof createProgress> | undefined;
  const onProgress = (done: number, total: number) => {
    progress ??= createProgress(total);
    progress.update(done, done);
  };
  try {
    return verifySqlite(() => connectQuietly(file, connect), { holdsTenants, onProgress });
  } finally {
    progress?.stop();
  }
}

/**
 * Opens a file without changing it or its write-ahead log. A connection that can write moves the log into
 * the file when it closes last, so a file with a log is opened read-only. A read-only connection creates an
 * empty log where there is none, so a file without a log is not.
 */
function connectQuietly(file: string, connect: SqliteDriver['connect']) {
  return connect(file, { readOnly: existsSync(`${file}-wal`) });
}

async function print(file: string, verified: Verification, json: boolean): Promise<void> {
  const { schema, tenants, events, findings, remarks } = verified;
  const sound = findings.length === 0;
  if (json) await printJson({ file, sound, schema, tenants, events, findings, remarks });
  else {
    for (const finding of findings) await write(`${describe(finding)}\n`);
    for (const remark of remarks) note(remark);
    if (sound) await write(`${file} is sound: ${events} events of ${tenants} tenants, schema ${schema}\n`);
  }
  if (!sound) throw failure(`${file} is not sound: ${findings.length} findings`);
}

/** The sentence of a finding: what it is, and what it means. */
function describe({ message, matters, effect }: FileFinding): string {
  return `${matters ? 'damage' : 'harmless'}: ${message}: ${effect}`;
}
