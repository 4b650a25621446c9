/**
 * The ids of a log's events begin at its number times this: so a range of ids is a range of rows of one log.
 */
export const ROWS_PER_LOG = 2 ** 32;

/** An id is a whole number below 2^53, which leaves this many logs. */
export const LOGS_MAX = 2 ** 21;

/** One version of a log. Each erasure of some of its events begins the next one; `edition` counts them. */
export interface LogName {
  readonly number: number;
  readonly edition: number;
}

/** One number for a version of a log. Data that is derived from its rows is stored under this number. */
export function toEditionId({ number, edition }: LogName): number {
  return edition * LOGS_MAX + number;
}

/** The version that a number names. */
export function fromEditionId(id: number): LogName {
  return { number: id % LOGS_MAX, edition: Math.floor(id / LOGS_MAX) };
}
