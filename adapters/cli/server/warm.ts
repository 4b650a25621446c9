import { setTimeout as sleep } from 'node:timers/promises';
import { parseBreakdownBody, parseCountBody, parseExportBody, parseQueryBody } from '../../../src/index.ts';

/** Whoever starts a server to ask it at once waits for nothing but its own question. */
const AFTER_MS = 1000;

const QUESTIONS: readonly (() => unknown)[] = [
  () => parseCountBody({}),
  () => parseQueryBody({}),
  () => parseBreakdownBody({ by: 'day' }),
  () => parseExportBody({}),
];

/**
 * Reads a body of each kind of question soon after a server began, each some time after the other: the first
 * of its kind has a validator compiled, which takes 20 to 80 ms that its client would wait for. It keeps no
 * process alive.
 */
export async function warmQuestions(): Promise<void> {
  for (const question of QUESTIONS) {
    await sleep(AFTER_MS, undefined, { ref: false });
    question();
  }
}
