import type { Logger } from '../../../src/index.ts';

/** Tells the log what may happen thousands of times in a second. */
export interface Reports {
  /** Whether everything that was noted is written. */
  readonly isEmpty: boolean;
  /** Notes that something happened; what is said of it is said of the first time. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes what was noted: for each message one line in a second, and how often it happened. */
  flush(): void;
}

const LINE_EVERY_MS = 1_000;

interface Noted {
  readonly fields: Readonly<Record<string, unknown>>;
  times: number;
}

/** Makes the reports of a server. `flush` is called again and again by its timer. */
export function createReports(log: Logger): Reports {
  const noted = new Map<string, Noted>();
  let flushedAt = -Infinity;
  return {
    get isEmpty() {
      return noted.size === 0;
    },
    note(message, fields = {}) {
      const known = noted.get(message);
      if (known === undefined) noted.set(message, { fields, times: 1 });
      else known.times += 1;
    },
    flush() {
      if (noted.size === 0 || performance.now() - flushedAt < LINE_EVERY_MS) return;
      flushedAt = performance.now();
      for (const [message, { fields, times }] of noted) log.error({ ...fields, times }, message);
      noted.clear();
    },
  };
}
