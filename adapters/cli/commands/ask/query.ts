import type { Command } from 'commander';
import { collect, cursorAfter, toEventJson } from '../../../../src/internal.ts';
import { toIsoInstant, type StoredEvent } from '../../../../src/store-kit.ts';
import { withStores } from '../../stores/open-stores.ts';
import { placesOf } from '../../stores/places.ts';
import { note, printJson, printRows, write, writeJson } from '../../print/output.ts';
import { shellWord } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';
import {
  addFilterOptions,
  addPageOptions,
  FILTER_HELP,
  toEventQuery,
  toPagedQuery,
  type FilterOptions,
  type PageOptions,
} from '../../options/query-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const EVENT_COLUMNS: readonly TableColumn<StoredEvent>[] = [
  { head: 'EVENT TS', text: ({ eventTs }) => toIsoInstant(eventTs) },
  { head: 'EVENT NAME', text: ({ eventName }) => eventName },
  { head: 'USER ID', text: ({ userId }) => userId },
  { head: 'INSERT ID', text: ({ insertId }) => insertId },
  { head: 'PROPERTIES', text: ({ propertiesJson }) => propertiesJson },
];

/** `query ALIAS`: a page of events, newest first, read directly from the stores. */
export function queryCommand(program: Command): void {
  const command = program
    .command('query <alias>')
    .description('print matching events, newest first, as the HTTP API does');
  addPageOptions(addFilterOptions(command))
    .option('--json', 'print NDJSON: one event per line')
    .addHelpText('after', FILTER_HELP)
    .addHelpText(
      'after',
      `\nExample:\n  $ event-query query shop --event order_placed --after 2025-01-01 --size 10`,
    )
    .action(async (alias: string, options: FilterOptions & PageOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const paged = toPagedQuery(options);
      await withStores(placesOf(self), 'existing', async ({ admin, stores }) => {
        const { id } = await admin.getTenant(alias);
        const found = await stores.events.query(id, paged.query, paged.page);
        const events = await collect(found);
        const nextCursor = cursorAfter(paged, found);
        if (json === true) await writeJson(events.map((event) => `${toEventJson(event)}\n`).join(''));
        else await printRows(events, EVENT_COLUMNS);
        // A full page may be followed by another.
        if (nextCursor !== undefined) note(`next page: --cursor ${shellWord(nextCursor)}`);
      });
    });
}

/** `count ALIAS`: how many events match. */
export function countCommand(program: Command): void {
  addFilterOptions(program.command('count <alias>').description('print how many events match'))
    .option('--json', 'print {"count": n}')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', `\nExample:\n  $ event-query count shop --filter 'properties.plan EQUALS "pro"'`)
    .action(async (alias: string, options: FilterOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const query = toEventQuery(options);
      await withStores(placesOf(self), 'existing', async ({ admin, stores }) => {
        const count = await stores.events.count((await admin.getTenant(alias)).id, query);
        await (json === true ? printJson({ count }) : write(`${count}\n`));
      });
    });
}

/** `names ALIAS`: the distinct event names. */
export function namesCommand(program: Command): void {
  program
    .command('names <alias>')
    .description('print the distinct event names')
    .option('--json', 'print NDJSON: one name per line, as a JSON string')
    .addHelpText('after', '\nExample:\n  $ event-query names shop')
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      await withStores(placesOf(self), 'existing', async ({ admin, stores }) => {
        const names = await stores.events.eventNames((await admin.getTenant(alias)).id);
        if (json === true) await writeJson(names.map((name) => `${JSON.stringify(name)}\n`).join(''));
        else await printRows(names, [{ head: 'EVENT NAME', text: (name) => name }]);
      });
    });
}
