import { readFileSync } from 'node:fs';

/** How many a server keeps for its files, its database and its log. */
const KEPT = 200;
/** A process that may open less serves a little still. */
const CONNECTIONS_MIN = 16;

const LIMIT_PATTERN = /^Max open files +(\d+)/m;

/**
 * How many connections a server may hold at once, of those that it would: as many as the process may open
 * files, less some for its own. Where there were no descriptors left, the kernel would close newcomers, and
 * no line of the log would say so.
 */
export function boundConnections(wanted: number, limits = readLimits()): number {
  const files = Number(LIMIT_PATTERN.exec(limits)?.[1] ?? Infinity);
  return Math.max(CONNECTIONS_MIN, Math.min(wanted, files - KEPT));
}

/** The limits of this process as Linux tells them; empty elsewhere. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
