import { rest } from '../log/pauses.ts';
import type { Writer } from './writer.ts';

/** The delays of the attempts; together they are shorter than anyone would wait for the answer. */
const RESTS_MS = [0, 25, 50, 100, 200, 400];

/**
 * Empties the write-ahead log, which still contains deleted data. A statement that reads an older state of
 * the file prevents it, as those of the threads that read ahead do for some hundredths of a second each. A
 * reader that starts after an attempt reads only the file and does not prevent the next one. It never throws,
 * because the deletion itself is complete: if readers persist or the stores close, the log is emptied later,
 * by the next deletion, by `compact`, or when the file is closed.
 */
export async function emptyLog(writer: Writer): Promise<void> {
  try {
    for (const ms of RESTS_MS) {
      if (ms > 0) await rest(ms);
      if (await writer.run('emptyLog', [])) return;
    }
  } catch {
    // No writes are possible now.
  }
}
