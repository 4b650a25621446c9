import type { Logger } from '../../../src/index.ts';

/** Logs events that may happen thousands of times per second, one line per kind. */
export interface Reports {
  /** Whether all noted events are written to the log. */
  readonly isEmpty: boolean;
  /** Counts an event. The log line has the fields of its first occurrence. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes one line per message, with its count. It does nothing if it wrote within the last second. */
  flush(): void;
}

const LINE_EVERY_MS = 1_000;

interface Noted {
  readonly fields: Readonly<Record<string, unknown>>;
  times: number;
}

/** Makes the reports of a server, whose timer calls `flush` regularly. */
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
