import type { Command } from 'commander';
import {
  parseCursor,
  toCursor,
  toEventJson,
  type EventQuery,
  type Page,
  type Position,
} from '../../../src/index.ts';
import { failure, isBrokenPipe, messageOf } from '../errors.ts';
import { openTarget } from '../files/export-target.ts';
import type { Target } from '../files/target.ts';
import { withStores, type Workplace } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { parseFile } from '../options/values.ts';
import { note } from '../print/output.ts';
import { shellWord } from '../print/printable.ts';
import { createProgress } from '../print/progress.ts';
import { listenForSignals } from '../signals.ts';
import { addFilterOptions, FILTER_HELP, toEventQuery, type FilterOptions } from '../options/query-options.ts';

interface ExportOptions extends FilterOptions {
  readonly out?: string;
  readonly cursor?: string;
}

const PAGE_EVENTS = 1000;

const HELP = `
Events leave newest first, one JSON object a line, in pages of ${PAGE_EVENTS}; import takes what export
writes. SIGINT and SIGTERM end it behind a whole page and print the cursor with which the same command goes
on. With --out, a part beside the file grows (FILE.HASH-RANDOM.part, of the tenant and the filters) and
becomes FILE when all is there, so that FILE is always whole and only its owner may read it; the same command
with --cursor appends to the part. Behind a link, that is done where the link leads. A pipe, a device or
/dev/stdout is written as the events come, and stays what it is.

Example:
  $ event-query export shop --event order_placed --out orders.ndjson
  $ event-query export shop | gzip > all.ndjson.gz`;

/** `export ALIAS`: every matching event as NDJSON, newest first. */
export function exportCommand(program: Command): void {
  const command = program.command('export <alias>').description('write every event that matches as NDJSON');
  addFilterOptions(command)
    .option('--out <file>', 'write to a file, which appears when it is whole', parseFile)
    .option('--cursor <cursor>', 'go on where an interrupted export ended')
    .option('--json', 'the default: what leaves is always NDJSON')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: ExportOptions, self: Command) => {
      const query = toEventQuery(options);
      const after = options.cursor === undefined ? undefined : parseCursor(options.cursor, query, '--cursor');
      await withStores(placesOf(self), 'existing', async (workplace) => {
        const { id } = await workplace.admin.getTenant(alias);
        const target = await openTarget(options.out, { tenantId: id, query, cursor: options.cursor });
        try {
          await writePages(workplace, id, query, after, target);
        } finally {
          await target.close();
        }
      });
    });
}

/** Writes page behind page until the last one, or until a signal comes. */
async function writePages(
  { stores }: Workplace,
  tenantId: string,
  query: EventQuery,
  after: Position | undefined,
  target: Target,
): Promise<void> {
  const signals = listenForSignals();
  const total = process.stderr.isTTY ? await stores.events.count(tenantId, query) : 0;
  const progress = createProgress(total);
  let events = 0;
  let last = after;
  try {
    for (;;) {
      const page: Page = { offset: 0, size: PAGE_EVENTS, ...(last === undefined ? {} : { after: last }) };
      const found = await stores.events.query(tenantId, query, page);
      for await (const piece of found.pieces()) {
        await target.write(piece.map((event) => `${toEventJson(event)}\n`).join(''));
        events += piece.length;
        last = piece.at(-1) ?? last;
        progress.update(events, events);
      }
      if (found.length < PAGE_EVENTS) break;
      // Signals are heard between two pages only, because the stores answer without giving way.
      await new Promise((resolve) => setImmediate(resolve));
      if (signals.came()) throw new Error('interrupted');
    }
    progress.stop();
    target.finish();
    note(`exported ${events} events, complete`);
  } catch (error) {
    progress.stop();
    throw toFailure(error, events, last, query);
  } finally {
    signals.forget();
  }
}

function toFailure(error: unknown, events: number, last: Position | undefined, query: EventQuery): unknown {
  if (isBrokenPipe(error)) return error;
  const next = last === undefined ? '' : `; to go on: --cursor ${shellWord(toCursor(query, last))}`;
  return failure(`${messageOf(error)} after ${events} events${next}`);
}
