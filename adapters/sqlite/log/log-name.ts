/**
 * The ids of a log's events begin at its number times this: so a range of ids is a range of rows of one log.
 */
export const ROWS_PER_LOG = 2 ** 32;

/** An id is a whole number below 2^53, which leaves this many logs. */
export const LOGS_MAX = 2 ** 21;

/** All ids of events are below this. */
export const IDS_END = LOGS_MAX * ROWS_PER_LOG;

/** The number of the log that the id of an event belongs to. */
export const logOf = (id: number): number => Math.floor(id / ROWS_PER_LOG);

/** One version of a log. Each erasure of some of its events begins the next one; `version` counts them. */
export interface LogName {
  readonly number: number;
  readonly version: number;
}

/**
 * The numbers of this form of chunks begin here. Chunks of an older form have lower numbers, and are swept
 * away like those of an older version of a log.
 */
export const CHUNKS_FIRST = 2 ** 52;

/** One number for the chunks of a version of a log. */
export function toChunksId({ number, version }: LogName): number {
  return CHUNKS_FIRST + version * LOGS_MAX + number;
}

/** The version that a number names. */
export function fromChunksId(id: number): LogName {
  return { number: id % LOGS_MAX, version: Math.floor((id - CHUNKS_FIRST) / LOGS_MAX) };
}
