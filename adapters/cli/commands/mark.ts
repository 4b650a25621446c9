import type { Command } from 'commander';
import type { Mark, MarkOptions } from '../../../src/index.ts';
import { printJson, printList, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import type { TableColumn } from '../print/table.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';

interface Printing {
  readonly json?: boolean;
}

/** A mark as it is printed. */
type MarkView = Omit<Mark, 'tenantId'>;

const COLUMNS: readonly TableColumn<MarkView>[] = [
  { head: 'ID', text: ({ id }) => id },
  { head: 'TIME', text: ({ time }) => time },
  { head: 'NAME', text: ({ name }) => name },
  { head: 'URL', text: ({ url }) => url ?? '' },
];

const FIELDS_HELP = `
A mark in JSON has id, time (in UTC), name and url, which is null if it has none.`;

interface AddOptions {
  readonly time?: string;
  readonly link?: string | null;
}

/** `mark`: add, list, remove. */
export function markCommand(program: Command): void {
  const mark = program
    .command('mark')
    .description('mark releases and the like in the chart of the dashboard')
    .addHelpText('after', '\nExample:\n  $ event-query mark add shop v1.2');
  addSubcommand(mark);
  listSubcommand(mark);
  removeSubcommand(mark);
}

const ADD_HELP = `${FIELDS_HELP}
A tenant has at most 1,000 marks. What runs on another machine sets one over HTTP, with an admin key: POST to
/v1/admin/marks/create/ALIAS.

Examples:
  $ event-query mark add shop v1.2 --link https://shop.example/releases/1.2
  $ event-query mark add shop 'Prices changed' --time 2026-05-18T09:00:00+02:00`;

function addSubcommand(mark: Command): void {
  mark
    .command('add <alias> <name>')
    .description('add a mark, at this moment unless --time names another one')
    .option('--time <instant>', 'when it happened: an ISO 8601 instant, such as 2026-05-18T09:00:00+02:00')
    // Everywhere else, --url is the address of a server.
    .option('--link <url>', 'a page about it, by http or https')
    .option('--json', 'print the mark as JSON')
    .addHelpText('after', ADD_HELP)
    .action(async (alias: string, name: string, { time, link = null }: AddOptions, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      const said: MarkOptions = { name, url: link, ...(time === undefined ? {} : { time }) };
      await withStores(placesOf(self), 'existing', async ({ admin }) => {
        const view = toView(await admin.createMark(alias, said));
        if (json === true) await printJson(view);
        else await write(`added ${printable(view.name)} at ${view.time} (${view.id})\n`);
      });
    });
}

function listSubcommand(mark: Command): void {
  mark
    .command('list <alias>')
    .description('list the marks of a tenant, oldest first')
    .option('--json', 'print an array of marks as JSON')
    .addHelpText('after', `${FIELDS_HELP}\n\nExample:\n  $ event-query mark list shop`)
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin }) =>
        printList((await admin.listMarks(alias)).map(toView), COLUMNS, json),
      );
    });
}

function removeSubcommand(mark: Command): void {
  mark
    .command('remove <alias> <id>')
    .description('remove a mark')
    .addHelpText('after', '\nExample:\n  $ event-query mark remove shop 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11')
    .action(async (alias: string, id: string, _options: object, self: Command) => {
      await withStores(placesOf(self), 'existing', async ({ admin }) => {
        await admin.deleteMark(alias, id);
        await write(`removed ${printable(id)}\n`);
      });
    });
}

function toView({ id, time, name, url }: Mark): MarkView {
  return { id, time, name, url };
}
