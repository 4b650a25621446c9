import type { Mark } from '../../../../src/index.ts';
import type { TimeRange } from '../time/unit.ts';
import { within } from './asked-question.ts';

/** The question for the marks within a range. */
export function pathOfMarks(alias: string, range: TimeRange): string {
  const query = new URLSearchParams(Object.entries(within({}, range)) as [string, string][]).toString();
  return `marks/${alias}${query === '' ? '' : `?${query}`}`;
}

/** The marks within a range. */
export const marksWithin = (marks: readonly Mark[], { from, until }: TimeRange): readonly Mark[] =>
  marks.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < until);

/** How many marks are named at one place. */
const NAMED_MAX = 5;

/** The marks that are named at one place, and the words for the others, if there are any. */
export function namedOf(marks: readonly Mark[]) {
  const others = marks.length - NAMED_MAX;
  return { named: marks.slice(0, NAMED_MAX), more: others > 0 ? `and ${others} more` : undefined };
}
