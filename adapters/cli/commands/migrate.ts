import type { Command } from 'commander';
import { migrateSqlite } from '../../sqlite/index.ts';
import { attempt, misuse } from '../process/errors.ts';
import { printJson, write } from '../print/output.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { filesOf } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists, describeMigration } from '../stores/sqlite-file.ts';

/** `migrate`: brings a file to the schema of this version. */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the file to the schema of this version, as serve does at start')
    .option('--json', 'print an array of {"file", "from", "to"}')
    .addHelpText(
      'after',
      `
The migration is done completely or not at all. An older event-query that has the file open stops
answering, and older versions cannot open it any more: make a backup first.

Example:
  $ event-query migrate --db ./data/event-query.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ json?: boolean }>();
      const files = filesOf(placesOf(self));
      if (files.length === 0) throw misuse('migrate is for files; serve migrates databases');
      files.forEach(checkExists);
      const { connect } = await loadSqlite();
      const done = files.map((file) => ({
        file,
        ...attempt(`cannot migrate ${file}`, () => migrateSqlite(() => connect(file))),
      }));
      if (json === true) return printJson(done);
      for (const { file, from, to } of done)
        await write(
          from === to ? `${file} has schema ${to} already\n` : `${describeMigration(file, from, to)}\n`,
        );
    });
}
