import { rest } from '../log/pauses.ts';
import type { Writer } from './writer.ts';

/** When it is tried: together less than anybody would wait for the answer. */
const RESTS_MS = [0, 25, 50, 100, 200, 400];

/**
 * Empties the write-ahead log, where what was deleted still stands. A statement that reads an older state of
 * the file stops it, as those of the threads that read ahead do for some hundredths of a second each; who
 * begins to read after a try reads the file alone, and stops the next one no more. It never throws, since the
 * deletion stands: where somebody reads on and on, or the stores close, the log is emptied another time, by
 * the next deletion, by `compact`, or when the file is closed.
 */
export async function emptyLog(writer: Writer): Promise<void> {
  try {
    for (const ms of RESTS_MS) {
      if (ms > 0) await rest(ms);
      if (await writer.run('emptyLog', [])) return;
    }
  } catch {
    // Nobody writes now.
  }
}
