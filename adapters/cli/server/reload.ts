import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../../src/index.ts';
import { messageOf } from '../process/errors.ts';
import type { ServerOptions } from '../options/server-options.ts';

/** The options that a running server can change, each with a function that applies it. */
export type Reloadable = {
  readonly [Name in keyof ServerOptions]?: (options: ServerOptions) => void;
};

/**
 * Makes a function that reloads the configuration: `read` reads it again, and an invalid configuration
 * changes nothing. The log says what has changed, and what needs a restart.
 */
export function createReload(
  first: ServerOptions,
  { read, reloadable, log }: { read: () => ServerOptions; reloadable: Reloadable; log: Logger },
): () => void {
  let current = first;
  return () => {
    try {
      const next = read();
      const changed = changedNames(current, next);
      const taken = changed.filter((name) => reloadable[name] !== undefined);
      current = { ...current, ...Object.fromEntries(taken.map((name) => [name, next[name]])) };
      const waiting = changed.filter((name) => !taken.includes(name));
      log.info({ changed: taken, needsRestart: waiting }, toWords(taken, waiting));
      for (const name of taken) reloadable[name]!(next);
    } catch (error) {
      log.error(
        { reason: messageOf(error) },
        'SIGHUP: the configuration is invalid, and nothing was changed',
      );
    }
  };
}

function changedNames(before: ServerOptions, now: ServerOptions): (keyof ServerOptions)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]) as Set<keyof ServerOptions>;
  return [...names].filter((name) => !isDeepStrictEqual(before[name], now[name])).sort();
}

function toWords(taken: readonly string[], waiting: readonly string[]): string {
  if (taken.length === 0 && waiting.length === 0) return 'SIGHUP: nothing has changed';
  return waiting.length === 0 ? 'SIGHUP: reloaded' : 'SIGHUP: some changes wait for a restart';
}
