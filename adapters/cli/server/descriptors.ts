import { readFileSync } from 'node:fs';

/** How many file descriptors a server reserves for its files, its database and its log. */
const KEPT = 200;
/** The least number of connections, so that a process with a low limit still serves. */
const CONNECTIONS_MIN = 16;

const LIMIT_PATTERN = /^Max open files +(\d+)/m;

/**
 * Bounds the wanted number of connections by the file descriptors that the process may open, minus a reserve
 * for its own. Without free descriptors, new connections would be closed and the log would not show it.
 */
export function boundConnections(wanted: number, limits = readLimits()): number {
  const files = Number(LIMIT_PATTERN.exec(limits)?.[1] ?? Infinity);
  return Math.max(CONNECTIONS_MIN, Math.min(wanted, files - KEPT));
}

/** The limits of this process in the format of Linux; empty on other systems. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
