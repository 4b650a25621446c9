import { aborted, type Signal } from '../../src/index.ts';

/** How often somebody who waits for an answer is asked whether he still does, in milliseconds. */
const SIGNAL_MS = 50;

/**
 * Does some work. Soon after nobody waits for it any more, as a signal that only says so tells, it is ended,
 * and this throws `aborted()`.
 */
export async function whileAwaited<T>(
  signal: Signal | undefined,
  end: () => void,
  work: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return work();
  const isLeft = () => signal.aborted;
  if (isLeft()) throw aborted();
  const timer = setInterval(() => {
    if (!isLeft()) return;
    clearInterval(timer);
    end();
  }, SIGNAL_MS);
  try {
    return await work();
  } catch (error) {
    throw isLeft() ? aborted() : error;
  } finally {
    clearInterval(timer);
  }
}
