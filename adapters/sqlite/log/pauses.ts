import type { createIdleWork } from '../../../src/store-kit.ts';

type IdleWorkOptions = Parameters<typeof createIdleWork>[1];

/** For work that somebody asked for: the process goes on until it has ended. */
export const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What idle work rests by, which keeps no process from its end. */
export const idlePauses = (): Omit<IdleWorkOptions, 'scheduler'> => ({
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
  busyShare: createBusyShare(),
});

/** As `IdleOptions.busyShare`, by the event loop; all of the time where the runtime does not say. */
function createBusyShare(): () => number {
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
