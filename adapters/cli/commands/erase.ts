import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { ErasureReceipt } from '../../../src/index.ts';
import { attempt, misuse } from '../process/errors.ts';
import { withStores } from '../stores/open-stores.ts';
import { ofFirstServers, placesOf } from '../stores/places.ts';
import { addFilterOptions, FILTER_HELP, toCountBody, type FilterOptions } from '../options/query-options.ts';
import { parseFile } from '../values/parse.ts';
import { printJson, write } from '../print/output.ts';

interface EraseOptions extends FilterOptions {
  readonly receipt?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

interface ReadOptions {
  /** Whether the command may ask. */
  readonly input: boolean;
  readonly json?: boolean;
}

const HELP = `
Events must match all conditions. They disappear from all answers at once, and then from the file.
"event-query compact" removes copies that SQLite left within the file. An event that is sent again is
stored again. A receipt says how many events of which names were erased, from when to when they had
happened, when they were erased and by whom, with the id and the SHA-256 of the entry of the audit log. It
names no user.

Example:
  $ event-query erase shop --user u-1234 --dry-run
  $ event-query erase shop --user u-1234 --receipt request-17.json
  $ event-query erase shop --before 2024-12-31 --yes`;

/** `erase ALIAS`: erases the events that match, for good. */
export function eraseCommand(program: Command): void {
  const command = program.command('erase <alias>').description('erase matching events permanently');
  addFilterOptions(command)
    .option('--dry-run', 'only print how many events match')
    .option('--yes', 'do not ask for confirmation')
    .option('--receipt <file>', 'write the receipt as JSON to a new file', parseFile)
    .option('--json', 'print {"events", "erased", "receipt"}')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: EraseOptions, self: Command) => {
      const { json, input } = self.optsWithGlobals<ReadOptions>();
      requireChoice(options);
      const body = toCountBody(options);
      await withStores(ofFirstServers(placesOf(self)), 'existing', async ({ admin, engine }) => {
        const { id } = await admin.getTenant(alias);
        const events = await engine.tenant(id).count(body);
        const isAgreed =
          options.dryRun !== true &&
          (options.yes === true || (events > 0 && (await ask(alias, events, input))));
        const receipt = isAgreed
          ? await withReceipt(options.receipt, () => admin.eraseEvents(alias, body))
          : null;
        if (json === true) return printJson({ events, erased: receipt?.erased ?? 0, receipt });
        if (receipt !== null) return write(`${receipt.erased} events erased\n`);
        await write(`${events} events match; nothing was erased\n`);
      });
    });
}

/** Throws where nothing chooses events: that must not erase everything. */
function requireChoice({ event, user, after, before, from, until, filter, body }: EraseOptions): void {
  const given = [event, user, after, before, from, until, body, filter?.[0]];
  if (given.some((each) => each !== undefined)) return;
  const flags = '--user, --event, --after, --before, --from, --until, --filter or --body';
  throw misuse(`choose events with ${flags}`);
}

/**
 * Erases, and writes the receipt to a new file. The file is made before: what was erased could not be told a
 * second time.
 */
async function withReceipt(
  file: string | undefined,
  erase: () => Promise<ErasureReceipt>,
): Promise<ErasureReceipt> {
  if (file === undefined) return erase();
  const opened = attempt(`--receipt ${file}`, () => openSync(file, 'wx', 0o600));
  try {
    const receipt = await erase();
    const text = JSON.stringify(receipt, undefined, 2);
    const what = `the events are erased, but the receipt is in no file: ${text}`;
    attempt(what, () => writeSync(opened, `${text}\n`));
    return receipt;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
}

async function ask(alias: string, events: number, mayAsk: boolean): Promise<boolean> {
  if (!mayAsk || !process.stdin.isTTY) {
    throw misuse(`this erases ${events} events of ${alias} permanently; confirm with --yes`);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `This erases ${events} events of ${alias} permanently. Erase them? [y/N] `;
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}
