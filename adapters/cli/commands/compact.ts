import type { Command } from 'commander';
import { compactSqlite } from '../../sqlite/index.ts';
import { failure, messageOf } from '../errors.ts';
import { checkExists, loadDriver } from '../open-stores.ts';
import { note, printJson, write } from '../print/output.ts';

/** `compact`: the file anew, without what was deleted. */
export function compactCommand(program: Command): void {
  program
    .command('compact')
    .description('write the file anew, as small as it can be, without a trace of what was deleted')
    .option('--json', 'print {"bytesBefore", "bytesAfter", "logEmptied"}')
    .addHelpText(
      'after',
      `
Writers wait meanwhile, and the disk needs as much free space as the file has.

Example:
  $ event-query compact --db ./data/event-query.db`,
    )
    .action(async (_options: object, self: Command) => {
      const { db, json } = self.optsWithGlobals<{ db: string; json?: boolean }>();
      checkExists(db);
      const { connect } = await loadDriver();
      const compaction = await compactSqlite(() => connect(db)).catch((error: unknown) => {
        throw failure(`cannot compact ${db}: ${messageOf(error)}`);
      });
      const { bytesBefore, bytesAfter, logEmptied } = compaction;
      await (json === true
        ? printJson(compaction)
        : write(`${bytesBefore} bytes before, ${bytesAfter} now\n`));
      if (!logEmptied)
        note('another process was reading: run it again when none is, so that its log is emptied too');
    });
}
