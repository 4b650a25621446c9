import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { backupSqlite } from '../../sqlite/index.ts';
import { note, printJson, write } from '../print/output.ts';
import { attempt, failure } from '../process/errors.ts';
import { fileToBackUp } from '../stores/backup-places.ts';
import { refuseDamaged } from '../stores/damage.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { placesOf } from '../stores/places.ts';
import { checkName, isThere, makeFolder } from '../stores/sqlite-file.ts';

/** The endings of SQLite's files. A log that is left from another file would be applied to this one. */
const ENDINGS = ['', '-wal', '-shm', '-journal'];

/** `restore BACKUP`: verifies a backup and copies it to the file's path, where no file may exist. */
export function restoreCommand(program: Command): void {
  program
    .command('restore <backup>')
    .description('verify a backup and copy it to the place of the file')
    .option('--json', 'print {"file", "bytes", "schema", "tenants", "events"}')
    .addHelpText(
      'after',
      `
It overwrites nothing: stop the server and move the old file away first, with its -wal and -shm. A backup of
an older schema is restored as it is; "serve" and "migrate" migrate it.

Example:
  $ event-query restore backups/event-query-2026-11-25T061500Z.db --db ./data/event-query.db`,
    )
    .action(async (backup: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ json?: boolean }>();
      const places = placesOf(self);
      const { file, elsewhere } = fileToBackUp(places, 'restore');
      const holdsTenants = places.control.address === file;
      checkName('BACKUP', backup);
      if (!isThere(backup)) throw failure(`there is no backup ${backup}`);
      const old = ENDINGS.map((ending) => file + ending).filter((path) => existsSync(path));
      if (old.length > 0)
        throw failure(
          `stop the server, and move ${old.join(' and ')} away first: restore overwrites nothing`,
        );
      const { connect } = await loadSqlite();
      const done = attempt(`cannot restore ${backup}`, () => {
        // A damaged backup is refused before anything is created.
        refuseDamaged(backup, { connect, holdsTenants });
        makeFolder(dirname(file));
        return backupSqlite(backup, file, connect);
      });
      for (const line of elsewhere) note(line);
      if (json === true) return printJson({ file, ...done });
      await write(
        `restored ${file} from ${backup}: ${done.events} events of ${done.tenants} tenants, ` +
          `schema ${done.schema}\n`,
      );
    });
}
