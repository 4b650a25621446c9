/**
 * The ids of a log's events begin at its number times this: so a range of ids is a range of rows of one log.
 */
export const ROWS_PER_LOG = 2 ** 32;

/** An id is a whole number below 2^53, which leaves this many logs. */
export const LOGS_MAX = 2 ** 21;

/** A log as it is now: when some of its events are erased, another edition of it begins. */
export interface LogName {
  readonly number: number;
  readonly edition: number;
}

/** One number for an edition: what is derived from its rows is kept by it. */
export function toEditionId({ number, edition }: LogName): number {
  return edition * LOGS_MAX + number;
}

/** The edition that a number names. */
export function fromEditionId(id: number): LogName {
  return { number: id % LOGS_MAX, edition: Math.floor(id / LOGS_MAX) };
}
