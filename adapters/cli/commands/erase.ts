import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { misuse } from '../process/errors.ts';
import { withStores } from '../stores/open-stores.ts';
import { ofFirstServers, placesOf } from '../stores/places.ts';
import { addFilterOptions, FILTER_HELP, toCountBody, type FilterOptions } from '../options/query-options.ts';
import { printJson, write } from '../print/output.ts';

interface EraseOptions extends FilterOptions {
  readonly user?: string;
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
stored again.

Example:
  $ event-query erase shop --user u-1234 --dry-run
  $ event-query erase shop --before 2024-12-31 --yes`;

/** `erase ALIAS`: erases the events that match, for good. */
export function eraseCommand(program: Command): void {
  const command = program
    .command('erase <alias>')
    .description('erase matching events permanently')
    .option('--user <id>', 'only events of this user');
  addFilterOptions(command)
    .option('--dry-run', 'only print how many events match')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print {"events", "erased"}')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: EraseOptions, self: Command) => {
      const { json, input } = self.optsWithGlobals<ReadOptions>();
      const body = toCountBody(withUser(options));
      await withStores(ofFirstServers(placesOf(self)), 'existing', async ({ admin, engine }) => {
        const { id } = await admin.getTenant(alias);
        const events = await engine.tenant(id).count(body);
        const isAgreed =
          options.dryRun !== true &&
          (options.yes === true || (events > 0 && (await ask(alias, events, input))));
        const erased = isAgreed ? await admin.eraseEvents(alias, body) : 0;
        if (json === true) return printJson({ events, erased });
        if (isAgreed) return write(`${erased} events erased\n`);
        await write(`${events} events match; nothing was erased\n`);
      });
    });
}

/** Adds the filter on the user. Throws when there is no filter at all: that must not erase everything. */
function withUser({ user, ...options }: EraseOptions): FilterOptions {
  const { event, after, before, from, until, filter = [], body } = options;
  if ([user, event, after, before, from, until, body, filter[0]].every((each) => each === undefined)) {
    throw misuse(
      'choose events with --user, --event, --after, --before, --from, --until, --filter or --body',
    );
  }
  if (user === undefined) return options;
  if (body !== undefined) throw misuse('--user and --body cannot be combined');
  return { ...options, filter: [...filter, `userId = ${JSON.stringify(user)}`] };
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
