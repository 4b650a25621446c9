import { aborted, type Signal } from '../../src/index.ts';

/** How often the signal is polled, in milliseconds. */
const SIGNAL_MS = 50;

/** Runs some work. Soon after a signal without events aborts, it stops the work and throws `aborted()`. */
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
