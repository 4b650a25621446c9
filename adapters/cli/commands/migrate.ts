import type { Command } from 'commander';
import { attempt, misuse } from '../process/errors.ts';
import { printJson, write } from '../print/output.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { filesOf } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists } from '../stores/sqlite-file.ts';
import { describeUpgrade, upgradeFile } from '../stores/upgrade.ts';

/** `migrate`: brings a file to the schema of this version. */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the file to the schema of this version, as serve does at start')
    .option('--no-backup', 'do not copy the file first')
    .option('--json', 'print an array of {"file", "from", "to", "backup"}')
    .addHelpText(
      'after',
      `
It first copies the file beside itself, as "backup" does: event-query-before-schema-2-TIME.db. The migration
is done completely or not at all. Stop an older event-query first: while another process has the file open,
nothing is changed. Older versions cannot open the file any more; they can open the copy.

Example:
  $ event-query migrate --db ./data/event-query.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { json, backup } = self.optsWithGlobals<{ json?: boolean; backup: boolean }>();
      const files = filesOf(placesOf(self));
      if (files.length === 0) throw misuse('migrate is for files; serve migrates databases');
      files.forEach(checkExists);
      const { connect } = await loadSqlite();
      const done = files.map((file) => ({
        file,
        ...attempt(`cannot migrate ${file}`, () => upgradeFile(file, connect, backup)),
      }));
      if (json === true) return printJson(done);
      for (const { file, ...upgrade } of done)
        await write(
          upgrade.from === upgrade.to
            ? `${file} has schema ${upgrade.to} already\n`
            : `${describeUpgrade(file, upgrade)}\n`,
        );
    });
}
