import { Option, type Command } from 'commander';
import type { EventAppender, Storing } from '../events/appender.ts';
import { withAppender } from '../events/open-appender.ts';
import { ServerError } from '../events/remote-errors.ts';
import { addSendingOptions } from '../events/remote-options.ts';
import { toBatches, type RecordBatch } from '../import/batches.ts';
import { FORMAT_NAMES, type FormatName } from '../import/formats.ts';
import { findInputs, type ImportInput } from '../import/inputs.ts';
import { REPEATS_WINDOW } from '../import/insert-ids.ts';
import { isTimeZone } from '../import/mappings/instants.ts';
import { readInput, type InputPart } from '../import/read-input.ts';
import { LINE_BYTES_MAX } from '../import/readers/lines.ts';
import type { RecordUnit } from '../import/readers/records.ts';
import { CliError, failure, isMisuse, messageOf, misuse } from '../process/errors.ts';
import { note, printJson, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { createProgress, type Progress } from '../print/progress.ts';
import { listenForSignals } from '../process/signals.ts';

/** How many bad lines are reported without `--verbose`. */
const REJECTIONS_SAID = 20;

const HELP = `
A file holds events, {"eventName", "userId", "eventTs", "insertId"?, "properties"?}: one a line, as a JSON
array, or as the CSV that export writes. Or it is an export of another tool, which --from names where its
content does not. An event has at most ${LINE_BYTES_MAX} bytes, and needs eventTs. One without insertId gets
one derived from its content, so a second run recognises it. Identical events in a file are stored
separately if at most ${REPEATS_WINDOW} other events lie between them. Bad lines are reported on stderr as
"line N: reason": the first ${REJECTIONS_SAID}, or all with --verbose. The other lines are stored, and the
exit code is 1. An interrupted run can be run again: stored events count as duplicates.

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
  readonly salt?: string;
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
    .option('--time-zone <zone>', 'the zone of times without one, for instance Europe/Berlin', toTimeZone)
    .option('--salt <text>', 'hash the clients of access logs together with this text')
    .option('--verbose', 'report every bad line')
    .option('--json', 'print {"imported", "duplicates", "rejected"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, files: string[], _options: object, self: Command) => {
      const options = self.optsWithGlobals<ImportOptions>();
      if (files.includes('-') && [options.keyFile, options.tokenFile].includes('-'))
        throw misuse('stdin holds the events: name a file for the credential');
      const inputs = await findInputs(files);
      await withAppender(self, alias, (appender) => importInputs(appender, inputs, options));
    });
}

function toTimeZone(text: string): string {
  if (!isTimeZone(text)) throw misuse(`--time-zone takes a name such as Europe/Berlin or UTC, got "${text}"`);
  return text;
}

async function importInputs(
  appender: EventAppender,
  inputs: readonly ImportInput[],
  { json, verbose = false, ...reading }: ImportOptions,
): Promise<void> {
  const tally: Tally = { imported: 0, duplicates: 0, rejected: 0 };
  const sizes = inputs.map(({ size }) => size);
  const progress = createProgress(sizes.includes(0) ? 0 : sizes.reduce((sum, size) => sum + size));
  const signals = listenForSignals();
  const read = { bytes: 0 };
  const told = new Set<string>();
  const storing = { ending: signals.aborted, say: (line: string) => progress.say(printable(line)) };
  const run: ImportRun = { appender, storing, tally, progress, verbose, read };
  let ending: ImportEnd = {};
  for (const input of inputs) {
    const where = inputs.length === 1 ? '' : `${input.name}: `;
    const say = (text: string) => {
      if (!told.has(text)) for (const line of `${where}${text}`.split('\n')) progress.say(printable(line));
      told.add(text);
    };
    const onBytes = (bytes: number) => (read.bytes += bytes);
    const { aborted } = signals;
    const parts = readInput(input, { ...reading, say, onBytes, aborted });
    ending = await store(run, parts, where);
    if (ending.problem !== undefined) break;
  }
  progress.stop();
  signals.forget();
  if (isMisuse(ending.problem)) throw ending.problem;
  const { imported, duplicates, rejected } = tally;
  const untold = verbose ? 0 : rejected - REJECTIONS_SAID;
  if (untold > 0) note(`and ${untold} more lines; --verbose reports them all`);
  await (json === true
    ? printJson(tally)
    : write(`imported ${imported}, duplicates ${duplicates}, rejected ${rejected}\n`));
  if (ending.problem !== undefined) throw failure(ending.problem);
  if (rejected > 0) throw failure(rejected === 1 ? '1 line was rejected' : `${rejected} lines were rejected`);
}

/** What the files of one import have in common. */
interface ImportRun {
  readonly appender: EventAppender;
  readonly storing: Storing;
  readonly tally: Tally;
  readonly progress: Progress;
  readonly verbose: boolean;
  readonly read: { bytes: number };
}

/** Why an import ended before the end of its files, if it did: a wrong call, or a sentence. */
interface ImportEnd {
  readonly problem?: CliError | string;
}

/** Stores all batches of an input; `name` is how messages begin when there are other inputs. */
async function store(run: ImportRun, parts: AsyncIterable<InputPart>, name: string): Promise<ImportEnd> {
  let [last, unit, where]: [number, RecordUnit, string] = [0, 'line', name];
  try {
    for await (const part of parts) {
      [last, unit, where] = [0, part.unit, part.member === undefined ? name : `${name}${part.member}: `];
      for await (const batch of toBatches(part.records)) {
        await storeBatch(run, batch, `${where}${unit}`);
        last = batch.last;
      }
    }
    return {};
  } catch (problem) {
    if (isMisuse(problem)) return { problem: where === '' ? problem : misuse(`${where}${problem.message}`) };
    return { problem: `${where}${describeEnd(problem, unit, last)}` };
  }
}

async function storeBatch(run: ImportRun, { events, numbers }: RecordBatch, where: string): Promise<void> {
  const { tally, progress, verbose } = run;
  const { accepted, duplicates, rejected } = await run.appender.append(events, run.storing);
  tally.imported += accepted;
  tally.duplicates += duplicates;
  for (const { index, error } of rejected) {
    tally.rejected += 1;
    if (!verbose && tally.rejected > REJECTIONS_SAID) continue;
    progress.say(`${where} ${numbers[index] ?? 0}: ${printable(error)}`);
  }
  progress.update(run.read.bytes, tally.imported + tally.duplicates);
}

/** Says how much was stored and how to continue: repeating the command does not help a truncated file. */
function describeEnd(problem: unknown, unit: RecordUnit, last: number): string {
  const done = last === 0 ? 'none of it is stored' : `everything up to ${unit} ${last} is stored`;
  const isOfFile = problem instanceof CliError && !(problem instanceof ServerError);
  const next = isOfFile ? 'import the whole file when you have it' : 'run it again to continue';
  return `${messageOf(problem)}; ${done}; ${next}: events that are stored already count as duplicates`;
}
