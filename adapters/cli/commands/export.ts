import { InvalidArgumentError, Option, type Command } from 'commander';
import { isApiError } from '../../../src/index.ts';
import { parseExportBody, toCursor } from '../../../src/internal.ts';
import type { Separator } from '../../../src/transport-kit.ts';
import type { EventQuery, ExportBody, Position } from '../../../src/store-kit.ts';
import { failure, isBrokenPipe, isMisuse, messageOf, misuse } from '../process/errors.ts';
import { openTarget } from '../files/export-target.ts';
import type { ExportSink } from '../files/target.ts';
import { RESUMABLE, type Format } from '../formats/format.ts';
import { WRITERS, type CsvForm } from '../formats/writers.ts';
import {
  addFilterOptions,
  addShownOptions,
  FILTER_HELP,
  toExportBody,
  type FilterOptions,
  type ShownOptions,
} from '../options/query-options.ts';
import { parseFile } from '../values/parse.ts';
import { note } from '../print/output.ts';
import { shellWord } from '../print/printable.ts';
import { createProgress } from '../print/progress.ts';
import { listenForSignals } from '../process/signals.ts';
import type { EventReader } from '../events/reader.ts';
import { addAskOptions, ask } from './ask/ask.ts';

interface ExportOptions extends FilterOptions, ShownOptions {
  readonly out?: string;
  readonly cursor?: string;
  readonly format: Format;
  readonly separator?: Separator;
  readonly bom?: boolean;
  readonly times?: CsvForm['times'];
}

const HELP = `
Events are written newest first. NDJSON has one JSON object per line, and import accepts it. CSV and
Parquet have a column for each property path that events have when the export begins. Parquet keeps the
type of a path that holds only one type. Excel opens a CSV that has the list separator of its country:
--separator ';' --bom in most of Europe, --bom elsewhere. With --times spreadsheet it takes eventTs for a
time, in UTC; import does not.

From a server, an export is complete only when its last line says so.

SIGINT and SIGTERM stop it after a complete event. For NDJSON they print the cursor that continues the
same command. With --out, a partial file grows next to the target (FILE.HASH-RANDOM.part, of the tenant
and the filters) and becomes FILE when it is complete. FILE is therefore always complete, and only its
owner can read it. The same command with --cursor appends to the partial file. A symbolic link is
followed. A pipe, a device or /dev/stdout is written directly.

Example:
  $ event-query export shop --event order_placed --out orders.ndjson
  $ event-query export shop --format csv --separator ';' --bom --out shop.csv
  $ event-query export shop --format parquet --out shop.parquet
  $ event-query export shop | gzip > all.ndjson.gz`;

/** `export ALIAS`: writes every event that matches, newest first. */
export function exportCommand(program: Command): void {
  const command = program
    .command('export <alias>')
    .description('write all matching events as NDJSON, CSV or Parquet');
  addAskOptions(addShownOptions(addFilterOptions(command)))
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(RESUMABLE)).default('ndjson'),
    )
    .option('--out <file>', 'write to a file, which appears when it is complete', parseFile)
    .option('--cursor <cursor>', 'continue where an interrupted NDJSON export ended')
    .addOption(
      new Option('--separator <character>', 'between the cells of CSV: , or ; or tab').argParser(toSeparator),
    )
    .option('--bom', 'begin CSV with a byte order mark, by which Excel knows UTF-8')
    .addOption(
      new Option('--times <form>', 'how CSV writes times: iso, or as spreadsheets read them').choices([
        'iso',
        'spreadsheet',
      ]),
    )
    .option('--json', 'print NDJSON, the default; --format overrides it')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: ExportOptions, self: Command) => {
      const { format, cursor } = options;
      if (cursor !== undefined && !RESUMABLE[format])
        throw misuse(`--cursor cannot be combined with ${format}`);
      const { separator, bom, times } = options;
      if (format !== 'csv' && [separator, bom, times].some((flag) => flag !== undefined))
        throw misuse('--separator, --bom and --times are for --format csv');
      const body = toExportBody(options);
      const { query, after, include } = parseExportBody(body);
      await ask(self, alias, { question: 'export', body }, async ({ reader, tenantId }) => {
        const target = await openTarget(options.out, { tenantId, query, include, format, cursor });
        try {
          await writeEvents(reader, { body, query, after, options }, target);
        } finally {
          await target.close();
        }
      });
    });
}

interface ExportRequest {
  readonly body: ExportBody;
  readonly query: EventQuery;
  /** Where it begins. */
  readonly after: Position | undefined;
  readonly options: Pick<ExportOptions, 'format' | 'separator' | 'bom' | 'times'>;
}

/** Reads the value of `--separator`. */
function toSeparator(text: string): Separator {
  const named = text === 'tab' || text === '\\t' ? '\t' : text;
  if (named === ',' || named === ';' || named === '\t') return named;
  throw new InvalidArgumentError('It takes , or ; or tab.');
}

/** Writes all pieces of the export, or until a signal arrives. */
async function writeEvents(reader: EventReader, asked: ExportRequest, target: ExportSink): Promise<void> {
  const { include, pagination, ...chosen } = asked.body;
  const signals = listenForSignals();
  // What was exported before is not counted apart, so only a whole export knows how much there is.
  const total = process.stderr.isTTY && pagination === undefined ? await reader.count(chosen) : 0;
  const progress = createProgress(total);
  let events = 0;
  let last = asked.after;
  try {
    const properties = () => reader.properties({ event: chosen.event });
    const { format, separator, bom, times } = asked.options;
    const options = { include, separator, bom, times };
    const writer = await WRITERS[format]((piece) => target.write(piece), properties, options);
    for await (const piece of reader.storedPieces(asked.body, signals.aborted)) {
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
  if (isBrokenPipe(error) || isMisuse(error) || (isApiError(error) && error.status === 400)) return error;
  const goesOn = last !== undefined && RESUMABLE[asked.options.format];
  const next = goesOn ? `; to continue: --cursor ${shellWord(toCursor(asked.query, last))}` : '';
  return failure(`${messageOf(error)} after ${events} events${next}`);
}
