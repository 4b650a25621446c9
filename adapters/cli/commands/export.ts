import { Option, type Command } from 'commander';
import { isApiError } from '../../../src/index.ts';
import { piecesOf, toCursor, type ExportQuery } from '../../../src/internal.ts';
import type { Position } from '../../../src/store-kit.ts';
import { failure, isBrokenPipe, messageOf, misuse } from '../process/errors.ts';
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
import { parseFile } from '../values/parse.ts';
import { note } from '../print/output.ts';
import { shellWord } from '../print/printable.ts';
import { createProgress } from '../print/progress.ts';
import { listenForSignals } from '../process/signals.ts';
import { withStores, type Workplace } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';

interface ExportOptions extends FilterOptions {
  readonly out?: string;
  readonly cursor?: string;
  readonly format: Format;
}

const HELP = `
Events are written newest first. NDJSON has one JSON object per line, and import accepts it. CSV and
Parquet have a column for each property path that events have when the export begins. Parquet keeps the
type of a path that holds only one type.

SIGINT and SIGTERM stop it after a complete event. For NDJSON they print the cursor that continues the
same command. With --out, a partial file grows next to the target (FILE.HASH-RANDOM.part, of the tenant
and the filters) and becomes FILE when it is complete. FILE is therefore always complete, and only its
owner can read it. The same command with --cursor appends to the partial file. A symbolic link is
followed. A pipe, a device or /dev/stdout is written directly.

Example:
  $ event-query export shop --event order_placed --out orders.ndjson
  $ event-query export shop --format parquet --out shop.parquet
  $ event-query export shop | gzip > all.ndjson.gz`;

/** `export ALIAS`: writes every event that matches, newest first. */
export function exportCommand(program: Command): void {
  const command = program
    .command('export <alias>')
    .description('write all matching events as NDJSON, CSV or Parquet');
  addFilterOptions(command)
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(RESUMABLE)).default('ndjson'),
    )
    .option('--out <file>', 'write to a file, which appears when it is complete', parseFile)
    .option('--cursor <cursor>', 'continue where an interrupted NDJSON export ended')
    .option('--json', 'print NDJSON, the default; --format overrides it')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: ExportOptions, self: Command) => {
      const { format, cursor } = options;
      if (cursor !== undefined && !RESUMABLE[format])
        throw misuse(`--cursor cannot be combined with ${format}`);
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

/** Writes all pieces of the export, or until a signal arrives. */
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
      // Yield between two pieces so that signals are noticed: some stores answer without yielding.
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
  // Errors of wrong usage keep their own exit code.
  if (isBrokenPipe(error) || (isApiError(error) && error.status === 400)) return error;
  const goesOn = last !== undefined && RESUMABLE[asked.format];
  const next = goesOn ? `; to continue: --cursor ${shellWord(toCursor(asked.query, last))}` : '';
  return failure(`${messageOf(error)} after ${events} events${next}`);
}
