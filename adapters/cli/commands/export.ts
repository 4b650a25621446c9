import { Option, type Command } from 'commander';
import { isApiError } from '../../../src/index.ts';
import { piecesOf, toCursor, type ExportQuery } from '../../../src/internal.ts';
import type { Position } from '../../../src/store-kit.ts';
import { failure, isBrokenPipe, messageOf, misuse } from '../errors.ts';
import { openTarget } from '../files/export-target.ts';
import type { ExportSink } from '../files/target.ts';
import { RESUMABLE, type Format } from '../formats/format.ts';
import { WRITERS } from '../formats/writers.ts';
import {
  addFilterOptions,
  FILTER_HELP,
  toExportQuery,
  type FilterOptions,
} from '../options/query-options.ts';
import { parseFile } from '../options/values.ts';
import { note } from '../print/output.ts';
import { shellWord } from '../print/printable.ts';
import { createProgress } from '../print/progress.ts';
import { listenForSignals } from '../signals.ts';
import { withStores, type Workplace } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';

interface ExportOptions extends FilterOptions {
  readonly out?: string;
  readonly cursor?: string;
  readonly format: Format;
}

const HELP = `
Events leave newest first. NDJSON is one JSON object a line, and import takes it. CSV and Parquet have a
column for each property path that events have when the export begins; Parquet keeps the type of a path that
holds one.

SIGINT and SIGTERM end it behind a whole event and print the cursor with which the same command goes on, as
NDJSON. With --out, a part beside the file grows (FILE.HASH-RANDOM.part, of the tenant and the filters) and
becomes FILE when all is there, so that FILE is always whole and only its owner may read it; the same command
with --cursor appends to the part. Behind a link, that is done where the link leads. A pipe, a device or
/dev/stdout is written as the events come, and stays what it is.

Example:
  $ event-query export shop --event order_placed --out orders.ndjson
  $ event-query export shop --format parquet --out shop.parquet
  $ event-query export shop | gzip > all.ndjson.gz`;

/** `export ALIAS`: every matching event, newest first. */
export function exportCommand(program: Command): void {
  const command = program
    .command('export <alias>')
    .description('write every event that matches as NDJSON, CSV or Parquet');
  addFilterOptions(command)
    .addOption(
      new Option('--format <format>', 'how events are written')
        .choices(Object.keys(RESUMABLE))
        .default('ndjson'),
    )
    .option('--out <file>', 'write to a file, which appears when it is whole', parseFile)
    .option('--cursor <cursor>', 'go on where an interrupted export as NDJSON ended')
    .option('--json', 'the default: NDJSON, unless --format says otherwise')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: ExportOptions, self: Command) => {
      const { format, cursor } = options;
      if (cursor !== undefined && !RESUMABLE[format]) throw misuse(`--cursor does not go with ${format}`);
      const asked = toExportQuery(options);
      await withStores(placesOf(self), 'existing', async (workplace) => {
        const { id } = await workplace.admin.getTenant(alias);
        const target = await openTarget(options.out, { tenantId: id, query: asked.query, format, cursor });
        try {
          await writeEvents(workplace, { ...asked, tenantId: id, format }, target);
        } finally {
          await target.close();
        }
      });
    });
}

interface ExportRequest extends ExportQuery {
  readonly tenantId: string;
  readonly format: Format;
}

/** Writes piece behind piece until the last one, or until a signal comes. */
async function writeEvents(
  { stores, engine }: Workplace,
  asked: ExportRequest,
  target: ExportSink,
): Promise<void> {
  const { tenantId, query, event } = asked;
  const signals = listenForSignals();
  const total = process.stderr.isTTY ? await stores.events.count(tenantId, query) : 0;
  const progress = createProgress(total);
  let events = 0;
  let last = asked.after;
  try {
    const properties = () => engine.tenant(tenantId).properties(event === undefined ? {} : { event });
    const writer = await WRITERS[asked.format]((piece) => target.write(piece), properties);
    for await (const piece of piecesOf(stores.events, asked)) {
      // Signals are heard between two pieces only, because some stores answer without giving way.
      await new Promise((resolve) => setImmediate(resolve));
      if (signals.came()) throw new Error('interrupted');
      await writer.write(piece);
      events += piece.length;
      last = piece.at(-1) ?? last;
      progress.update(events, events);
    }
    await writer.end();
    progress.stop();
    target.finish();
    note(`exported ${events} events, complete`);
  } catch (error) {
    progress.stop();
    throw toFailure(error, events, last, asked);
  } finally {
    signals.forget();
  }
}

function toFailure(
  error: unknown,
  events: number,
  last: Position | undefined,
  asked: ExportRequest,
): unknown {
  // What was called wrongly is said as such.
  if (isBrokenPipe(error) || (isApiError(error) && error.status === 400)) return error;
  const goesOn = last !== undefined && RESUMABLE[asked.format];
  const next = goesOn ? `; to go on: --cursor ${shellWord(toCursor(asked.query, last))}` : '';
  return failure(`${messageOf(error)} after ${events} events${next}`);
}
