import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Engine } from '../../../src/index.ts';
import { CliError, failure, isMisuse, messageOf } from '../process/errors.ts';
import { toBatches } from '../files/batches.ts';
import { REPEATS_WINDOW } from '../files/insert-ids.ts';
import { LINE_BYTES_MAX, refuseOtherForms, toLines, unpack } from '../files/lines.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { note, printJson, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { createProgress, type Progress } from '../print/progress.ts';
import { listenForSignals } from '../process/signals.ts';

/** How many bad lines are reported without `--verbose`. */
const REJECTIONS_SAID = 20;

const HELP = `
Each line is an event: {"eventName", "userId", "eventTs", "insertId"?, "properties"?}, as export writes
it. eventTs is required. An event without insertId gets one derived from its content, so a second run
recognises it. Identical events in a file are stored separately if at most ${REPEATS_WINDOW} other events
lie between them. A line has at most ${LINE_BYTES_MAX} bytes. Bad lines are reported on stderr as "line
N: reason": the first ${REJECTIONS_SAID}, or all with --verbose. The other lines are stored, and the exit
code is 1. An interrupted run can be run again: stored events count as duplicates.

Example:
  $ event-query import shop events.ndjson.gz
  $ gunzip -c events.ndjson.gz | event-query import shop -`;

interface Tally {
  imported: number;
  duplicates: number;
  rejected: number;
}

interface ImportOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** A file to import. */
interface ImportFile {
  readonly stream: Readable;
  /** In bytes; 0 when it is unknown. */
  readonly size: number;
}

/** `import ALIAS FILE|-`: stores events from NDJSON, plain or gzip. */
export function importCommand(program: Command): void {
  program
    .command('import <alias> <file>')
    .description('store the events of an NDJSON file, plain or gzip; - is stdin')
    .option('--verbose', 'report every bad line')
    .option('--json', 'print {"imported", "duplicates", "rejected"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, file: string, _options: object, self: Command) => {
      const options = self.optsWithGlobals<ImportOptions>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) => {
        const { id } = await admin.getTenant(alias);
        await importFile(engine, id, openSource(file), options);
      });
    });
}

function openSource(file: string): ImportFile {
  if (file === '-') return { stream: process.stdin, size: 0 };
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw failure(`there is no file ${file}`);
  if (stats.isDirectory()) throw failure(`${file} is a folder`);
  return { stream: createReadStream(file), size: stats.isFile() ? stats.size : 0 };
}

async function importFile(
  engine: Engine,
  tenantId: string,
  { stream, size }: ImportFile,
  { json, verbose = false }: ImportOptions,
): Promise<void> {
  const tally: Tally = { imported: 0, duplicates: 0, rejected: 0 };
  const progress = createProgress(size);
  const signals = listenForSignals();
  void signals.received.then(() => stream.destroy(new Error('interrupted')));
  const ending = await store(engine, tenantId, stream, tally, progress, verbose);
  progress.stop();
  signals.forget();
  if (isMisuse(ending.problem)) throw ending.problem;
  const { imported, duplicates, rejected } = tally;
  const untold = verbose ? 0 : rejected - REJECTIONS_SAID;
  if (untold > 0) note(`and ${untold} more lines; --verbose reports them all`);
  await (json === true
    ? printJson(tally)
    : write(`imported ${imported}, duplicates ${duplicates}, rejected ${rejected}\n`));
  if (ending.problem !== undefined) throw toFailure(ending.problem, ending.lastLine);
  if (rejected > 0) throw failure(rejected === 1 ? '1 line was rejected' : `${rejected} lines were rejected`);
}

/** Stores all batches; returns the last line that was stored, and the error that ended the import, if any. */
async function store(
  engine: Engine,
  tenantId: string,
  stream: Readable,
  tally: Tally,
  progress: Progress,
  verbose: boolean,
): Promise<{ lastLine: number; problem?: unknown }> {
  const source = { bytesRead: 0 };
  let lastLine = 0;
  try {
    for await (const batch of toBatches(refuseOtherForms(toLines(unpack(counted(stream, source)))))) {
      const { accepted, duplicates, rejected } = await engine.tenant(tenantId).append(batch.events);
      tally.imported += accepted;
      tally.duplicates += duplicates;
      for (const { index, error } of rejected) {
        tally.rejected += 1;
        if (!verbose && tally.rejected > REJECTIONS_SAID) continue;
        progress.say(`line ${batch.lineNumbers[index] ?? 0}: ${printable(error)}`);
      }
      lastLine = batch.lastLine;
      progress.update(source.bytesRead, tally.imported + tally.duplicates);
    }
    return { lastLine };
  } catch (problem) {
    return { lastLine, problem };
  }
}

async function* counted(stream: Readable, source: { bytesRead: number }): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    source.bytesRead += chunk.length;
    yield chunk;
  }
}

/** Says how much was stored and how to continue: repeating the command does not help a truncated file. */
function toFailure(problem: unknown, lastLine: number): CliError {
  const done = lastLine === 0 ? 'none of it is stored' : `everything up to line ${lastLine} is stored`;
  const next =
    problem instanceof CliError ? 'import the whole file when you have it' : 'run it again to continue';
  return failure(
    `${messageOf(problem)}; ${done}; ${next}: events that are stored already count as duplicates`,
  );
}
