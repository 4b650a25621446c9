import { createReadStream, statSync } from 'node:fs';
import type { Command } from 'commander';
import { invalid, parseJsonLine, type Engine } from '../../../src/index.ts';
import { failure, messageOf } from '../errors.ts';
import { createInsertIds, REPEATS_WINDOW } from '../files/insert-ids.ts';
import { LINE_BYTES_MAX, toLines, unpack, type Line } from '../files/lines.ts';
import { withStores } from '../open-stores.ts';
import { printJson, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { createProgress, type Progress } from '../print/progress.ts';

const BATCH_EVENTS_MAX = 2000;
const BATCH_BYTES_MAX = 4_194_304;

const HELP = `
A line is an event: {"eventName", "userId", "eventTs", "insertId"?, "properties"?}, as export writes it.
eventTs is needed. An event without insertId gets one made of its content, so that a second run finds it
again; identical events in a file count as several, where no more than ${REPEATS_WINDOW} others lie between.
A line has at most ${LINE_BYTES_MAX} bytes. Every bad line is reported on stderr as "line N: reason" and the
others are stored; the exit code is then 1. A run that was interrupted can be run again: what is stored
counts as a duplicate.

Example:
  $ event-query import shop events.ndjson.gz
  $ gunzip -c events.ndjson.gz | event-query import shop -`;

interface Tally {
  imported: number;
  duplicates: number;
  rejected: number;
}

/** A file on its way in. */
interface Source {
  readonly chunks: AsyncIterable<Buffer>;
  /** In bytes; 0 where it is not known. */
  readonly size: number;
  bytesRead: number;
}

/** `import ALIAS FILE|-`: events from NDJSON, plain or gzip. */
export function importCommand(program: Command): void {
  program
    .command('import <alias> <file>')
    .description('store the events of an NDJSON file, gzip or not; - is stdin')
    .option('--json', 'print {"imported", "duplicates", "rejected"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, file: string, _options: object, self: Command) => {
      const { db, json } = self.optsWithGlobals<{ db: string; json?: boolean }>();
      await withStores(db, 'existing', async ({ admin, engine }) => {
        const { id } = await admin.getTenant(alias);
        await importFile(engine, id, openSource(file), json === true);
      });
    });
}

function openSource(file: string): Source {
  const counted = (stream: AsyncIterable<Buffer>, size: number): Source => {
    async function* count() {
      for await (const chunk of stream) {
        source.bytesRead += chunk.length;
        yield chunk;
      }
    }
    const source: Source = { chunks: count(), size, bytesRead: 0 };
    return source;
  };
  if (file === '-') return counted(process.stdin, 0);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw failure(`there is no file ${file}`);
  if (stats.isDirectory()) throw failure(`${file} is a folder`);
  return counted(createReadStream(file), stats.isFile() ? stats.size : 0);
}

async function importFile(engine: Engine, tenantId: string, source: Source, json: boolean): Promise<void> {
  const tally: Tally = { imported: 0, duplicates: 0, rejected: 0 };
  const progress = createProgress(source.size);
  const problem = await run(engine, tenantId, source, tally, progress).then(
    () => undefined,
    (error: unknown) => error,
  );
  progress.stop();
  const { imported, duplicates, rejected } = tally;
  await (json
    ? printJson(tally)
    : write(`imported ${imported}, duplicates ${duplicates}, rejected ${rejected}\n`));
  if (problem !== undefined)
    throw failure(`${messageOf(problem)}; what came before is stored, so run it again`);
  if (rejected > 0) throw failure(rejected === 1 ? '1 line was rejected' : `${rejected} lines were rejected`);
}

async function run(engine: Engine, tenantId: string, source: Source, tally: Tally, progress: Progress) {
  const reject = (line: number, reason: string) => {
    tally.rejected += 1;
    progress.say(`line ${line}: ${printable(reason)}`);
  };
  const withInsertId = createInsertIds();
  let batch: unknown[] = [];
  let lineNumbers: number[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const [events, numbers] = [batch, lineNumbers];
    [batch, lineNumbers, bytes] = [[], [], 0];
    const { accepted, duplicates, rejected } = await engine.appendUnknown(tenantId, events);
    tally.imported += accepted;
    tally.duplicates += duplicates;
    for (const { index, error } of rejected) reject(numbers[index] ?? 0, error);
    progress.update(source.bytesRead, tally.imported + tally.duplicates);
  };
  try {
    for await (const line of toLines(unpack(source.chunks))) {
      const value = parseLine(line);
      if (value === undefined) continue;
      batch.push(withInsertId(value));
      lineNumbers.push(line.number);
      bytes += line.bytes;
      if (batch.length >= BATCH_EVENTS_MAX || bytes >= BATCH_BYTES_MAX) await flush();
    }
  } finally {
    // Where the file cannot be read on, what was read is still stored.
    await flush();
  }
}

/** The value of a line, an ApiError in its place where it has none, undefined for a blank line. */
function parseLine(line: Line): unknown {
  if ('problem' in line) return invalid('event', `its line ${line.problem}`);
  return line.text.trim() === '' ? undefined : parseJsonLine(line.text);
}
