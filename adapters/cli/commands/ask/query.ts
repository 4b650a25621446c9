import type { Command } from 'commander';
import { exactJson, toEventJson, toReceivedAt } from '../../../../src/internal.ts';
import { toIsoInstant, type Includable, type StoredEvent } from '../../../../src/store-kit.ts';
import { noteEmptyAnswer, noteMissingNumbers } from '../../events/empty-answer.ts';
import { withReader } from '../../events/open-reader.ts';
import { addRemoteOptions } from '../../events/remote-options.ts';
import { note, printJson, printRows, write, writeJson } from '../../print/output.ts';
import { shellWord } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';
import { addAskOptions, ask } from './ask.ts';
import {
  addFilterOptions,
  addPageOptions,
  addShownOptions,
  addTopOptions,
  FILTER_HELP,
  toCountBody,
  toQueryBody,
  toTopBody,
  type FilterOptions,
  type PageOptions,
  type ShownOptions,
  type TopOptions,
} from '../../options/query-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const EVENT_COLUMNS: readonly TableColumn<StoredEvent>[] = [
  { head: 'EVENT TS', text: ({ eventTs }) => toIsoInstant(eventTs) },
  { head: 'EVENT NAME', text: ({ eventName }) => eventName },
  { head: 'USER ID', text: ({ userId }) => userId },
  { head: 'INSERT ID', text: ({ insertId }) => insertId },
  { head: 'PROPERTIES', text: ({ propertiesJson }) => exactJson(propertiesJson) },
];

/** The columns of events, with those that are included before the properties, which are long. */
function columnsOf(include: readonly Includable[] = []): readonly TableColumn<StoredEvent>[] {
  if (include.length === 0) return EVENT_COLUMNS;
  const arrival = { head: 'RECEIVED AT', text: (event: StoredEvent) => toReceivedAt(event) ?? '' };
  return EVENT_COLUMNS.toSpliced(-1, 0, arrival);
}

/** Prints events as a table, or as NDJSON for programs. */
async function printEvents(
  events: readonly StoredEvent[],
  include: readonly Includable[] | undefined,
  json: boolean | undefined,
): Promise<void> {
  if (json === true) await writeJson(events.map((event) => `${toEventJson(event, include)}\n`).join(''));
  else await printRows(events, columnsOf(include));
}

/** `query ALIAS`: a page of events, newest first. */
export function queryCommand(program: Command): void {
  const command = program
    .command('query <alias>')
    .description('print matching events, newest first, as the HTTP API does');
  addAskOptions(addShownOptions(addPageOptions(addFilterOptions(command))))
    .option('--json', 'print NDJSON: one event per line')
    .addHelpText('after', FILTER_HELP)
    .addHelpText(
      'after',
      `\nExample:\n  $ event-query query shop --event order_placed --after 2025-01-01 --size 10`,
    )
    .action(async (alias: string, options: FilterOptions & PageOptions & ShownOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toQueryBody(options);
      await ask(self, alias, { question: 'query', body }, async ({ reader }) => {
        const { events, nextCursor } = await reader.storedPage(body);
        await printEvents(events, body.include, json);
        if (events.length === 0) await noteEmptyAnswer(reader, body);
        // A full page may be followed by another.
        if (nextCursor !== undefined) note(`next page: --cursor ${shellWord(nextCursor)}`);
      });
    });
}

/** `top ALIAS`: the events with the largest or the smallest numbers at a path. */
export function topCommand(program: Command): void {
  const command = program
    .command('top <alias>')
    .description('print the matching events with the largest or smallest numbers at a path');
  addAskOptions(addShownOptions(addTopOptions(addFilterOptions(command))))
    .option('--json', 'print NDJSON: one event per line')
    .addHelpText('after', FILTER_HELP)
    .addHelpText(
      'after',
      `\nEvents with equal numbers come newest first; events without a number at the path are left out.\n` +
        `\nExample:\n  $ event-query top shop --of properties.total --event order_placed --size 10`,
    )
    .action(async (alias: string, options: FilterOptions & TopOptions & ShownOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toTopBody(options);
      await ask(self, alias, { question: 'top', body }, async ({ reader }) => {
        const events = await reader.storedTop(body);
        await printEvents(events, body.include, json);
        if (events.length > 0) return;
        await noteEmptyAnswer(reader, body);
        await noteMissingNumbers(reader, body.of);
      });
    });
}

/** `count ALIAS`: how many events match. */
export function countCommand(program: Command): void {
  const command = program.command('count <alias>').description('print how many events match');
  addAskOptions(addFilterOptions(command))
    .option('--json', 'print {"count": n}')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', `\nExample:\n  $ event-query count shop --filter 'properties.plan = "pro"'`)
    .action(async (alias: string, options: FilterOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toCountBody(options);
      await ask(self, alias, { question: 'count', body }, async ({ reader }) => {
        const count = await reader.count(body);
        await (json === true ? printJson({ count }) : write(`${count}\n`));
        if (count === 0) await noteEmptyAnswer(reader, body);
      });
    });
}

/** `names ALIAS`: the distinct event names. */
export function namesCommand(program: Command): void {
  addRemoteOptions(program.command('names <alias>').description('print the distinct event names'))
    .option('--json', 'print NDJSON: one name per line, as a JSON string')
    .addHelpText('after', '\nExample:\n  $ event-query names shop')
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      await withReader(self, alias, async ({ reader }) => {
        const names = await reader.eventNames();
        if (json === true) await writeJson(names.map((name) => `${JSON.stringify(name)}\n`).join(''));
        else await printRows(names, [{ head: 'EVENT NAME', text: (name) => name }]);
      });
    });
}
