/** Resolves when the event loop has taken in what came meanwhile. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** For work that somebody asked for: the process goes on until it has ended. */
export const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * For idle work, which keeps no process from its end. It counts from the next turn of the event loop on: Node
 * counts a timer from when the turn began, so that after a step that took longer than its rest there would be
 * none, not even for what came meanwhile.
 */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => void setImmediate(() => setTimeout(resolve, ms).unref()).unref());

/**
 * How much of the time since it was asked before the event loop was at work, from 0 to 1: all of it where the
 * runtime does not say.
 */
export function createBusyShare(): () => number {
  const look = (performance as Partial<typeof performance>).eventLoopUtilization?.bind(performance);
  let before = look?.();
  return () => {
    const now = look?.();
    const active = (now?.active ?? 1) - (before?.active ?? 0);
    const idle = (now?.idle ?? 0) - (before?.idle ?? 0);
    before = now;
    return active + idle > 0 ? active / (active + idle) : 1;
  };
}
