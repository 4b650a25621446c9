import { periodBefore, type ShownRange } from './asked.ts';
import { isAllTime, type TimeRange } from './unit.ts';

/**
 * With what an address compares the events shown: those of the period before, the others of the same time, or
 * those of the rest of a range around it, written as an interval of ISO 8601 whose open ends are `..`.
 */
export type Against = 'before' | 'unmatched' | (string & {});

const OPEN = '..';

const endText = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : OPEN);

/** A range of time as an address says it. */
export const intervalText = ({ from, until }: TimeRange): string => `${endText(from)}/${endText(until)}`;

/** The range that a text of an address says; undefined if it says none. */
export function readInterval(text: string): TimeRange | undefined {
  const [from = '', until = '', ...more] = text.split('/');
  const range = {
    from: from === OPEN ? -Infinity : Date.parse(from),
    until: until === OPEN ? Infinity : Date.parse(until),
  };
  const isRange = more.length === 0 && range.from < range.until && intervalText(range) === text;
  return isRange ? range : undefined;
}

/** Whether an address may compare with it. */
export const isAgainst = (text: string): boolean =>
  text === 'before' || text === 'unmatched' || readInterval(text) !== undefined;

/**
 * What a question is compared with at first: the rest of the range out of which its own was chosen, if it
 * was, or the period before, or all other time. All time is compared with the events that do not match, and
 * if all match with nothing: undefined.
 */
export function firstAgainst(
  shown: ShownRange,
  outer: TimeRange | undefined,
  isFiltered: boolean,
): Against | undefined {
  if (outer !== undefined) return intervalText(outer);
  if (periodBefore(shown) !== undefined) return 'before';
  if (!isAllTime(shown.range)) return `${OPEN}/${OPEN}`;
  return isFiltered ? 'unmatched' : undefined;
}
