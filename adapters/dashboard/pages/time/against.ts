import { periodBefore, type ShownRange } from './asked.ts';
import type { TimeRange } from './unit.ts';

/**
 * With which time an address compares the range shown: the period before, or the rest of a range around it,
 * written as an interval of ISO 8601 whose open ends are `..`.
 */
export type Against = 'before' | (string & {});

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

/** Whether an address may compare with a time. */
export const isAgainst = (text: string): boolean => text === 'before' || readInterval(text) !== undefined;

/**
 * The time of both: of the range shown, and of what it is compared with, with what lies between them.
 * Undefined if there is nothing to compare the range with.
 */
export function timeOfBoth(shown: ShownRange, against: Against): TimeRange | undefined {
  const other = against === 'before' ? periodBefore(shown)?.range : readInterval(against);
  if (other === undefined) return undefined;
  const { from, until } = shown.range;
  return { from: Math.min(from, other.from), until: Math.max(until, other.until) };
}

/**
 * What a range of time is compared with at first: the rest of the range out of which it was chosen, if it
 * was, or the period before, or all time. Undefined for all time.
 */
export function firstAgainst(shown: ShownRange, around: TimeRange | undefined): Against | undefined {
  if (around !== undefined) return intervalText(around);
  if (periodBefore(shown) !== undefined) return 'before';
  const { from, until } = shown.range;
  return from === -Infinity && until === Infinity ? undefined : `${OPEN}/${OPEN}`;
}
