import { DAY_MS } from '../event/time.ts';

/** What a breakdown by lateness is asked with, in the place of a path. */
export const LATENESS_ROOT = 'lateness';

/**
 * The steps of lateness, from early to late: how many milliseconds after its own time an event of the step
 * arrived at most, and the words for that. An event without `receivedAt` has no step.
 */
export const LATENESS = [
  { upTo: -1, words: 'before its time' },
  { upTo: 60_000, words: 'within a minute' },
  { upTo: 3_600_000, words: 'within an hour' },
  { upTo: DAY_MS, words: 'within a day' },
  { upTo: 7 * DAY_MS, words: 'within 7 days' },
  { upTo: Infinity, words: 'later' },
] as const;

/** The number of the step of an event; undefined if its arrival was not recorded. */
export function latenessOf(eventTs: number, receivedAt: number | null | undefined): number | undefined {
  if (receivedAt === undefined || receivedAt === null) return undefined;
  return LATENESS.findIndex(({ upTo }) => receivedAt - eventTs <= upTo);
}

/** The words for a step. */
export function toLatenessWords(step: number): string {
  return LATENESS[step]!.words;
}
