import { rest } from '../log/pauses.ts';
import type { Writer } from './writer.ts';

/** How long after each try another follows: together less than anybody would wait for the answer. */
const TRIES_AFTER_MS = [25, 50, 100, 200, 400];

/**
 * Empties the write-ahead log, where what was deleted still stands. A statement that reads an older state of
 * the file stops it, as those of the threads that read ahead do for some hundredths of a second each; who
 * begins to read after a try reads the file alone, and stops the next one no more. Where somebody reads on
 * and on, the log is emptied another time: by the next deletion, by `compact`, or when the file is closed.
 */
export async function emptyLog(writer: Writer): Promise<void> {
  for (const afterMs of TRIES_AFTER_MS) {
    if (await writer.run('emptyLog', [])) return;
    await rest(afterMs);
  }
  await writer.run('emptyLog', []);
}
