import { existsSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { backupSqlite } from '../../sqlite/index.ts';
import { rotateBackups, toBackupName } from '../files/backup-name.ts';
import { writeLastBackup } from '../files/last-backup.ts';
import { isQuiet, note, printJson, write } from '../print/output.ts';
import { attempt, messageOf, misuse } from '../process/errors.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { fileToBackUp } from '../stores/backup-places.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists, checkName, makeFolder } from '../stores/sqlite-file.ts';
import { parseCount } from '../values/parse.ts';

interface BackupFlags {
  readonly keep?: number;
  readonly json?: boolean;
}

/** `backup [TARGET]`: copies the file while a server writes it, and verifies the copy. */
export function backupCommand(program: Command): void {
  program
    .command('backup [target]')
    .description('copy the file while a server uses it, and verify the copy')
    .option('--keep <number>', 'in a folder: remove all but the newest backups of this file', parseCount)
    .option('--json', 'print {"file", "bytes", "schema", "tenants", "events", "removed"}')
    .addHelpText(
      'after',
      `
TARGET is a file that does not exist, or a folder, where the backup gets the file's name and the time; by
default it is the folder "backups" beside the file. The copy is of one moment. It appears under its name when
it is complete and verified, and only its owner can read it. --keep removes older backups only then.

Example:
  $ event-query backup
  $ event-query backup /backups/ --keep 7
  $ event-query backup before-the-move.db`,
    )
    .action(async (target: string | undefined, _options: object, self: Command) => {
      const { keep, json } = self.optsWithGlobals<BackupFlags>();
      if (target !== undefined) checkName('TARGET', target);
      const { file, elsewhere } = fileToBackUp(placesOf(self), 'backup');
      checkExists(file);
      const { connect } = await loadSqlite();
      const place = findTarget(file, target);
      if (keep !== undefined && !place.isFolder) throw misuse('--keep is for a folder of backups');
      const beganAt = performance.now();
      const done = attempt(`cannot back up ${file}`, () =>
        inFolder(dirname(place.path), () =>
          copyTo(place.path, () => backupSqlite(file, place.path, connect)),
        ),
      );
      noteBackup(file, Math.round(performance.now() - beganAt));
      const removed = attempt(`${place.path} is complete, but not all older backups were removed`, () =>
        keep === undefined ? [] : rotateBackups(dirname(place.path), file, place.path, keep),
      );
      for (const line of elsewhere) note(line);
      if (json === true) return printJson({ file: place.path, ...done, removed });
      if (isQuiet()) return;
      await write(`${place.path}: ${done.events} events of ${done.tenants} tenants, ${done.bytes} bytes\n`);
      for (const path of removed) await write(`removed ${path}\n`);
    });
}

/** Does some work in a folder, which is made for it. If the work fails, a new folder is removed again. */
function inFolder<T>(folder: string, work: () => T): T {
  const isNew = !existsSync(folder);
  makeFolder(folder);
  try {
    return work();
  } catch (error) {
    if (isNew) rmdirSync(folder);
    throw error;
  }
}

/** Makes a file. Until it is complete it has another name, which an error need not know. */
function copyTo<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const fault = error as NodeJS.ErrnoException;
    if (fault.path?.startsWith(path) === true) fault.path = path;
    throw error;
  }
}

/** Writes down the backup for the metrics of a server; the backup is as good without that. */
function noteBackup(file: string, durationMs: number): void {
  try {
    writeLastBackup(file, { endedAt: Date.now(), durationMs });
  } catch (error) {
    note(`the metrics of the server will not show this backup: ${messageOf(error)}`);
  }
}

/** The path of the backup. A folder is one that exists, or ends as one. */
function findTarget(
  file: string,
  target = join(dirname(file), 'backups') + sep,
): { readonly path: string; readonly isFolder: boolean } {
  const isFolder =
    /[/\\]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return { path: resolve(isFolder ? join(target, toBackupName(file, new Date())) : target), isFolder };
}
