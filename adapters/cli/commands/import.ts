import { Option, type Command } from 'commander';
import { isApiError } from '../../../src/index.ts';
import { EPOCH_UNITS, type EpochUnit } from '../../../src/internal.ts';
import type { EventAppender } from '../events/appender.ts';
import { withAppender } from '../events/open-appender.ts';
import { ServerError } from '../events/remote-errors.ts';
import { addSendingOptions } from '../events/remote-options.ts';
import { showingFirst, type TakeBatch } from '../import/dry-run.ts';
import { toBatches, type RecordBatch } from '../import/batches.ts';
import { FORMAT_NAMES, type FormatName } from '../import/formats.ts';
import { findInputs, type ImportInput } from '../import/inputs.ts';
import { REPEATS_WINDOW } from '../import/insert-ids.ts';
import { DECIMALS, type CellSources, type CellType, type Decimal } from '../import/mappings/csv.ts';
import { compileDateFormat, type WrittenTime } from '../import/mappings/date-format.ts';
import { isTimeZone } from '../import/mappings/instants.ts';
import { createReasons, type Reasons } from '../import/reasons.ts';
import { createLeftOut } from '../import/readers/left-out.ts';
import { readInput, type InputPart } from '../import/read-input.ts';
import { LINE_BYTES_MAX } from '../import/readers/lines.ts';
import { parseMap, parseTypes } from '../options/table-options.ts';
import { CliError, failure, isMisuse, messageOf, misuse } from '../process/errors.ts';
import { note, noteTerminal, printJson, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { createProgress, type Progress } from '../print/progress.ts';
import { listenForSignals } from '../process/signals.ts';
import { parseCount } from '../values/parse.ts';

/** How many bad lines are reported without `--verbose`. */
const REJECTIONS_SAID = 20;

const HELP = `
A file holds events, {"eventName", "userId", "eventTs", "insertId"?, "properties"?}: one a line, as a JSON
array, or as the CSV that export writes. Or it is an export of another tool, or the log of a web server,
which --from names where its content does not. --map takes columns of any other table: the first that holds
a value, of userId=account,userId=visitor,userId="anonymous"; date+time joins two. An event has at most
${LINE_BYTES_MAX} bytes, and needs eventTs. One without insertId gets one derived from its content, so a
second run recognises it. Identical events in a file are stored separately if at most ${REPEATS_WINDOW}
other events lie between them. Bad lines are reported on stderr as "line N: reason": the first
${REJECTIONS_SAID}, or all with --verbose. The other lines are stored, and the exit code is 1. An
interrupted run can be run again: stored events count as duplicates.

Examples:
  $ event-query import shop events.ndjson.gz
  $ event-query import shop 'mixpanel/*.gz' more.csv
  $ event-query import shop access.log --salt "$SECRET"
  $ gunzip -c events.ndjson.gz | event-query import shop -`;

interface Tally {
  imported: number;
  duplicates: number;
  rejected: number;
}

interface ImportOptions {
  readonly keyFile?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly from?: FormatName;
  readonly timeZone?: string;
  readonly epoch?: EpochUnit;
  readonly salt?: string;
  readonly dateFormat?: (text: string) => WrittenTime | undefined;
  readonly decimal?: Decimal;
  readonly encoding?: string;
  readonly list?: string;
  readonly map?: CellSources;
  readonly types?: ReadonlyMap<string, CellType>;
  readonly dryRun?: boolean;
  readonly maxErrors?: number;
}

/** `import ALIAS FILE…`: stores the events of files in the formats of `FORMAT_NAMES`. */
export function importCommand(program: Command): void {
  const command = program
    .command('import <alias> <files...>')
    .description('store the events of files in the formats of many tools; - is stdin');
  addSendingOptions(command)
    .addOption(
      new Option('--from <format>', 'what the files are; default: what their content says').choices(
        FORMAT_NAMES,
      ),
    )
    .option('--list <path>', 'where the events are within an object of JSON: data.items')
    .option('--map <pairs>', 'the columns of a table: eventName=type,userId=uid,eventTs=date+time', parseMap)
    .option('--types <pairs>', 'what its columns are, if not text: price=number,paid=boolean', parseTypes)
    .option('--time-zone <zone>', 'the zone of times without one, for instance Europe/Berlin', toTimeZone)
    .addOption(
      new Option(
        '--epoch <unit>',
        'what numbers count since 1970; default: what makes a time from 1990 on',
      ).choices(EPOCH_UNITS),
    )
    .option('--date-format <format>', 'how times of a table are written: DD.MM.YYYY HH:mm', toDateFormat)
    .addOption(new Option('--decimal <sign>', 'the sign before fractions in a table').choices(DECIMALS))
    .option('--encoding <name>', 'how a text is written, if not in UTF-8: windows-1252', toEncoding)
    .option('--salt <text>', 'hash the clients of access logs together with this text')
    .option('--dry-run', 'show the first events and what would be rejected, and store nothing')
    .option('--max-errors <count>', 'stop when so many lines were rejected', parseCount)
    .option('--verbose', 'report every bad line')
    .option('--json', 'print {"imported", "duplicates", "rejected"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, files: string[], _options: object, self: Command) => {
      const options = self.optsWithGlobals<ImportOptions>();
      if (files.includes('-') && [options.keyFile, options.tokenFile].includes('-'))
        throw misuse('stdin holds the events: name a file for the credential');
      const inputs = await findInputs(files);
      if (files.includes('-')) noteTerminal('events');
      await withAppender(self, alias, options, (appender) => importInputs(appender, inputs, options));
    });
}

function toTimeZone(text: string): string {
  if (!isTimeZone(text)) throw misuse(`--time-zone takes a name such as Europe/Berlin or UTC, got "${text}"`);
  return text;
}

function toDateFormat(text: string): (text: string) => WrittenTime | undefined {
  try {
    return compileDateFormat(text);
  } catch (error) {
    throw isApiError(error) ? misuse(error.message) : error;
  }
}

function toEncoding(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw misuse(`--encoding takes a name such as windows-1252, utf-16le or shift_jis, got "${text}"`);
  }
}

async function importInputs(
  appender: EventAppender,
  inputs: readonly ImportInput[],
  options: ImportOptions,
): Promise<void> {
  const { json, verbose = false, dryRun = false, maxErrors = Infinity, ...others } = options;
  const { map, types, decimal, ...reading } = others;
  const table = map && { map, types: types ?? new Map<string, CellType>(), ...(decimal && { decimal }) };
  const alone = Object.entries({ types, 'date-format': others.dateFormat, decimal }).find(([, set]) => set);
  if (alone !== undefined && map === undefined) throw misuse(`--${alone[0]} goes with --map`);
  const tally: Tally = { imported: 0, duplicates: 0, rejected: 0 };
  const sizes = inputs.map(({ size }) => size);
  const progress = createProgress(sizes.includes(0) ? 0 : sizes.reduce((sum, size) => sum + size));
  const signals = listenForSignals();
  void signals.received.then(() =>
    progress.say('stopping when what was read is stored; Ctrl-C again ends at once'),
  );
  const read = { bytes: 0 };
  const told = new Set<string>();
  const { aborted } = signals;
  const storing = { ending: aborted, say: (line: string) => progress.say(printable(line)) };
  const append: TakeBatch = (events) => appender.append(events, storing);
  const show = (event: string) => progress.say(printable(`would store ${event}`));
  const take = dryRun ? showingFirst(append, show) : append;
  const reasons = createReasons();
  const leftOut = createLeftOut();
  const run: ImportRun = { take, tally, progress, reasons, verbose, maxErrors, aborted, read };
  let problem: CliError | undefined;
  for (const input of inputs) {
    const where = inputs.length === 1 ? '' : `${input.name}: `;
    const say = (text: string) => {
      if (!told.has(text)) for (const line of `${where}${text}`.split('\n')) progress.say(printable(line));
      told.add(text);
    };
    const onBytes = (bytes: number) => (read.bytes += bytes);
    const how = { ...reading, ...(table && { table }), say, leftOut, onBytes, aborted };
    const parts = readInput(input, how);
    problem = await store(run, parts, where);
    if (problem !== undefined) break;
  }
  progress.stop();
  signals.forget();
  const { imported, duplicates, rejected } = tally;
  if (isMisuse(problem) && imported + duplicates + rejected === 0) throw problem;
  const untold = verbose ? 0 : rejected - REJECTIONS_SAID;
  if (untold > 0) note(`and ${untold} more lines; --verbose reports them all`);
  if (rejected > REJECTIONS_SAID) for (const line of reasons.lines()) note(line);
  for (const { what, count } of leftOut.kinds()) note(printable(`left out: ${what} (${count})`));
  const lost = leftOut.kinds().length > 0 && { leftOut: leftOut.kinds() };
  const twice = duplicates > 0 ? `, duplicates ${duplicates}` : '';
  if (json === true) {
    const counts = { duplicates, rejected, ...lost };
    await printJson(dryRun ? { wouldImport: imported, ...counts } : { imported, ...counts });
  } else if (dryRun)
    await write(`would import ${imported}${twice}, would reject ${rejected}; nothing is stored\n`);
  else await write(`imported ${imported}, duplicates ${duplicates}, rejected ${rejected}\n`);
  if (problem !== undefined) throw problem;
  if (rejected > 0) throw failure(rejected === 1 ? '1 line was rejected' : `${rejected} lines were rejected`);
}

/** What the files of one import have in common. */
interface ImportRun {
  readonly take: TakeBatch;
  readonly tally: Tally;
  readonly progress: Progress;
  readonly reasons: Reasons;
  readonly maxErrors: number;
  readonly aborted: AbortSignal;
  readonly verbose: boolean;
  readonly read: { bytes: number };
}

const NOTHING_DONE = 'none of it is stored';

/**
 * Stores all batches of an input; `name` is how messages begin when there are other inputs. Returns the error
 * that ended the import, if one did.
 */
async function store(
  run: ImportRun,
  parts: AsyncIterable<InputPart>,
  name: string,
): Promise<CliError | undefined> {
  let [done, where] = [NOTHING_DONE, name];
  try {
    for await (const part of parts) {
      const { unit, unordered = false, records, member } = part;
      [done, where] = [NOTHING_DONE, member === undefined ? name : `${name}${member}: `];
      for await (const batch of toBatches(records)) {
        await storeBatch(run, batch, `${where}${unit}`);
        done = unordered ? 'a part of it is stored' : `everything up to ${unit} ${batch.last} is stored`;
        // A zip and a Parquet file have no stream that a signal could end.
        run.aborted.throwIfAborted();
        if (run.tally.rejected >= run.maxErrors)
          return failure(`${where}--max-errors: so many were rejected; ${done}`);
      }
    }
    return undefined;
  } catch (problem) {
    if (isMisuse(problem)) return where === '' ? problem : misuse(`${where}${problem.message}`);
    return failure(`${where}${describeEnd(problem, done)}`);
  }
}

async function storeBatch(run: ImportRun, { events, numbers }: RecordBatch, where: string): Promise<void> {
  const { tally, progress, reasons, verbose } = run;
  const { accepted, duplicates, rejected } = await run.take(events);
  tally.imported += accepted;
  tally.duplicates += duplicates;
  for (const { index, error } of rejected) {
    tally.rejected += 1;
    const place = `${where} ${numbers[index] ?? 0}`;
    reasons.add(printable(error), place);
    if (!verbose && tally.rejected > REJECTIONS_SAID) continue;
    progress.say(`${place}: ${printable(error)}`);
  }
  progress.update(run.read.bytes, tally.imported + tally.duplicates);
}

/** Says how much was stored and how to continue: repeating the command does not help a truncated file. */
function describeEnd(problem: unknown, done: string): string {
  const isOfFile = problem instanceof CliError && !(problem instanceof ServerError);
  const next = isOfFile ? 'import the whole file when you have it' : 'run it again to continue';
  const already = 'events that are stored already count as duplicates';
  return `${messageOf(problem)}; ${done}; ${next}: ${already}`;
}
