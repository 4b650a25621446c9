import type { Command } from 'commander';
import { compactSqlite } from '../../sqlite/index.ts';
import { failure, messageOf, misuse } from '../process/errors.ts';
import { note, printJson, write } from '../print/output.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { placesOf } from '../stores/places.ts';
import { checkExists, reserveBytesOf } from '../stores/sqlite-file.ts';

/** `compact`: rewrites the file without deleted data. */
export function compactCommand(program: Command): void {
  program
    .command('compact')
    .description('rewrite the file at its smallest size, without traces of deleted data')
    .option('--json', 'print {"bytesBefore", "bytesAfter", "logEmptied"}')
    .addHelpText(
      'after',
      `
Writers wait meanwhile. The disk needs as much free space as the size of the file.

Example:
  $ event-query compact --db ./data/event-query.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ json?: boolean }>();
      const { kind, address: file } = placesOf(self).events;
      if (kind !== 'sqlite') throw misuse('compact is for events in a file; databases have their own tools');
      checkExists(file);
      const { connect } = await loadSqlite();
      const reserveBytes = reserveBytesOf(file);
      const compaction = await compactSqlite(() => connect(file), { reserveBytes }).catch(
        (error: unknown) => {
          throw failure(`cannot compact ${file}: ${messageOf(error)}`);
        },
      );
      const { bytesBefore, bytesAfter, logEmptied } = compaction;
      await (json === true
        ? printJson(compaction)
        : write(`${bytesBefore} bytes before, ${bytesAfter} now\n`));
      if (!logEmptied)
        note('another process was reading; run it again when none is, to empty the write-ahead log too');
    });
}
