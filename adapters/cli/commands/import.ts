import { Option, type Command } from 'commander';
import {
  checkImportOptions,
  createLeftOut,
  DECIMALS,
  EPOCH_UNITS,
  IMPORT_FORMATS,
  ImportError,
  LINE_BYTES_MAX,
  readEvents,
  REPEATS_WINDOW,
  toBatches,
  type CellType,
  type EventReading,
  type ImportedEvent,
  type ImportOptions,
} from '../../import/index.ts';
import type { EventAppender } from '../events/appender.ts';
import { withAppender } from '../events/open-appender.ts';
import { ServerError } from '../events/remote-errors.ts';
import { addSendingOptions } from '../events/remote-options.ts';
import { showingFirst, type TakeBatch } from '../import/dry-run.ts';
import { findInputs, type ImportInput } from '../import/inputs.ts';
import { createReasons, type Reasons } from '../import/reasons.ts';
import { FLAG_WORDS, parseMap, parseTypes, toFlags, type NamedSources } from '../options/table-options.ts';
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

/** What a user says of the files. */
interface ImportFlags extends Omit<ImportOptions, 'map' | 'types'> {
  readonly keyFile?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly map?: NamedSources;
  readonly types?: ReadonlyMap<string, string>;
  readonly dryRun?: boolean;
  readonly maxErrors?: number;
}

/** `import ALIAS FILE…`: stores the events of files in the formats of `IMPORT_FORMATS`. */
export function importCommand(program: Command): void {
  const command = program
    .command('import <alias> <files...>')
    .description('store the events of files in the formats of many tools; - is stdin');
  addSendingOptions(command)
    .addOption(
      new Option('--from <format>', 'what the files are; default: what their content says').choices(
        IMPORT_FORMATS,
      ),
    )
    .option('--list <path>', 'where the events are within an object of JSON: data.items')
    .option('--map <pairs>', 'the columns of a table: eventName=type,userId=uid,eventTs=date+time', parseMap)
    .option('--types <pairs>', 'what its columns are, if not text: price=number,paid=boolean', parseTypes)
    .option('--time-zone <zone>', 'the zone of times without one, for instance Europe/Berlin')
    .addOption(
      new Option(
        '--epoch <unit>',
        'what numbers count since 1970; default: what makes a time from 1990 on',
      ).choices(EPOCH_UNITS),
    )
    .option('--date-format <format>', 'how times of a table are written: DD.MM.YYYY HH:mm')
    .addOption(new Option('--decimal <sign>', 'the sign before fractions in a table').choices(DECIMALS))
    .option('--encoding <name>', 'how a text is written, if not in UTF-8: windows-1252')
    .option('--salt <text>', 'hash the clients of access logs together with this text')
    .option('--dry-run', 'show the first events and what would be rejected, and store nothing')
    .option('--max-errors <count>', 'stop when so many lines were rejected', parseCount)
    .option('--verbose', 'report every bad line')
    .option('--json', 'print {"imported", "duplicates", "rejected"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, files: string[], _options: object, self: Command) => {
      const options = self.optsWithGlobals<ImportFlags>();
      if (files.includes('-') && [options.keyFile, options.tokenFile].includes('-'))
        throw misuse('stdin holds the events: name a file for the credential');
      const reading = toReading(options);
      const inputs = await findInputs(files);
      if (files.includes('-')) noteTerminal('events');
      await withAppender(self, alias, options, (appender) =>
        importInputs(appender, inputs, reading, options),
      );
    });
}

/** How files are read, as the flags say it. */
function toReading(flags: ImportFlags): ImportOptions {
  const { map, types, ...others } = flags;
  const options: ImportOptions = {
    ...others,
    words: FLAG_WORDS,
    ...(map && { map: Object.fromEntries(map) }),
    ...(types && { types: Object.fromEntries(types) as Record<string, CellType> }),
  };
  try {
    checkImportOptions(options);
    return options;
  } catch (error) {
    throw toCliError(error);
  }
}

/** An error of a file, or of the flags by which it is read, as that of the command. */
function toCliError(error: unknown): unknown {
  if (!(error instanceof ImportError)) return error;
  const { fault, message, proposal } = error;
  if (fault === 'file') return failure(message);
  return misuse(proposal === undefined ? message : `${message}, for instance ${toFlags(proposal)}`);
}

async function importInputs(
  appender: EventAppender,
  inputs: readonly ImportInput[],
  options: ImportOptions,
  { json, verbose = false, dryRun = false, maxErrors = Infinity }: ImportFlags,
): Promise<void> {
  const tally: Tally = { imported: 0, duplicates: 0, rejected: 0 };
  const sizes = inputs.map(({ size }) => size);
  const progress = createProgress(sizes.includes(0) ? 0 : sizes.reduce((sum, size) => sum + size));
  const signals = listenForSignals();
  void signals.received.then(() =>
    progress.say('stopping when what was read is stored; Ctrl-C again ends at once'),
  );
  const read = { bytes: 0 };
  const told = new Set<string>();
  const { aborted: signal } = signals;
  const storing = { ending: signal, say: (line: string) => progress.say(printable(line)) };
  const append: TakeBatch = (events) => appender.append(events, storing);
  const show = (event: string) => progress.say(printable(`would store ${event}`));
  const take = dryRun ? showingFirst(append, show) : append;
  const reasons = createReasons();
  const leftOut = createLeftOut();
  const run: ImportRun = { take, tally, progress, reasons, verbose, maxErrors, signal, read };
  let problem: CliError | undefined;
  for (const input of inputs) {
    const where = inputs.length === 1 ? '' : `${input.name}: `;
    const say = (text: string) => {
      if (!told.has(text)) for (const line of `${where}${text}`.split('\n')) progress.say(printable(line));
      told.add(text);
    };
    const onBytes = (bytes: number) => (read.bytes += bytes);
    const reading = readEvents(input.source, { ...options, onNote: say, onBytes, signal });
    problem = await store(run, reading, where);
    for (const { what, count } of reading.leftOut()) leftOut.add(what, count);
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
  readonly signal: AbortSignal;
  readonly verbose: boolean;
  readonly read: { bytes: number };
}

const NOTHING_DONE = 'none of it is stored';

/**
 * Stores all batches of an input; `name` is how messages begin when there are other inputs. Returns the error
 * that ended the import, if one did.
 */
async function store(run: ImportRun, reading: EventReading, name: string): Promise<CliError | undefined> {
  let last: ImportedEvent | undefined;
  try {
    for await (const batch of toBatches(reading)) {
      await storeBatch(run, batch, name);
      last = batch.at(-1);
      // Where all was read already, no reading is left that the signal could end.
      run.signal.throwIfAborted();
      if (run.tally.rejected >= run.maxErrors)
        return failure(`${placeOf(last, name)}--max-errors: so many were rejected; ${describeDone(last)}`);
    }
    return undefined;
  } catch (error) {
    const isOfFile = error instanceof ImportError;
    // The error of a file in a zip names it, and nothing of it may have been read.
    const done = isOfFile && error.member !== last?.member ? NOTHING_DONE : describeDone(last);
    const where = isOfFile ? name : placeOf(last, name);
    const problem = toCliError(error);
    if (isMisuse(problem)) return where === '' ? problem : misuse(`${where}${problem.message}`);
    return failure(`${where}${describeEnd(problem, done)}`);
  }
}

/** How a message about a file begins. */
const placeOf = (event: ImportedEvent | undefined, name: string) =>
  event?.member === undefined ? name : `${name}${event.member}: `;

function describeDone(last: ImportedEvent | undefined): string {
  if (last === undefined) return NOTHING_DONE;
  if (!last.isInOrder) return 'a part of it is stored';
  return `everything up to ${last.unit} ${last.number} is stored`;
}

async function storeBatch(run: ImportRun, batch: readonly ImportedEvent[], name: string): Promise<void> {
  const { tally, progress, reasons, verbose } = run;
  const { accepted, duplicates, rejected } = await run.take(batch.map(({ event }) => event));
  tally.imported += accepted;
  tally.duplicates += duplicates;
  for (const { index, error } of rejected) {
    tally.rejected += 1;
    const of = batch[index]!;
    const place = `${placeOf(of, name)}${of.unit} ${of.number}`;
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
