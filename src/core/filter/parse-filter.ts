import { invalid } from '../base/errors.ts';
import { describeValue, isStorableText } from '../event/text.ts';
import { DAY_MS, parseDay, parseInstant } from '../event/time.ts';
import { toAll, toAny, toDuring, toNot, type Condition, type Test } from './condition.ts';
import { COMPARISONS, FILTER_LEVELS_MAX, FILTERS_MAX, type Filter, type FilterEntry } from './filter.ts';
import { ALWAYS, withinCalendar, type InstantRange } from './instants.ts';
import type { Operand } from './operands.ts';
import { rowOf, type ComparisonName } from './operators.ts';
import { parsePath } from './path.ts';

/** Counts the comparisons of a body, including nested ones. */
export interface FilterBudget {
  /** How many more it may have. */
  filtersLeft: number;
}

/** The comparisons that a body may have. */
export function createFilterBudget(): FilterBudget {
  return { filtersLeft: FILTERS_MAX };
}

/**
 * Turns a `filterSet` of valid shape into a condition that all entries must match. A negative comparison
 * becomes the complement of its positive, and dates become ranges of instants, so no layer below deals with
 * either. Filter sets of one body share a budget. Throws ApiError (400) for an invalid path, an operand that
 * the path does not accept, more than 100 comparisons or more than 10 levels.
 */
export function parseFilterSet(
  entries: readonly FilterEntry[],
  where: string,
  budget = createFilterBudget(),
): Condition {
  return toAll(parseEntries(entries, where, 1, budget));
}

function parseEntries(
  entries: readonly FilterEntry[],
  where: string,
  level: number,
  budget: FilterBudget,
): Condition[] {
  return entries.map((entry, i) => parseEntry(entry, `${where}[${i}]`, level, budget));
}

function parseEntry(entry: FilterEntry, where: string, level: number, budget: FilterBudget): Condition {
  if (level > FILTER_LEVELS_MAX) throw invalid(where, `filters nest at most ${FILTER_LEVELS_MAX} levels`);
  if ('anyOf' in entry) return toAny(parseEntries(entry.anyOf, `${where}.anyOf`, level + 1, budget));
  if ('allOf' in entry) return toAll(parseEntries(entry.allOf, `${where}.allOf`, level + 1, budget));
  if ('not' in entry) return toNot(parseEntry(entry.not, `${where}.not`, level + 1, budget));
  budget.filtersLeft -= 1;
  if (budget.filtersLeft < 0) throw invalid(where, `a filterSet takes at most ${FILTERS_MAX} filters`);
  const positive = parseFilter(entry, where);
  return COMPARISONS[entry.comparison].negated ? toNot(positive) : positive;
}

function parseFilter({ property, comparison, value }: Filter, where: string): Condition {
  const { root, segments } = parsePath(property, `${where}.property`);
  if (typeof value === 'object') value?.forEach((operand) => checkText(operand, where));
  else checkText(value, where);
  const { operator } = COMPARISONS[comparison];
  if (root === 'eventTs' || root === 'eventDate')
    return toDuring(parseTimes(root, comparison, value, `${where}.value`).map(rowOf(operator).instants!));
  if (root === 'receivedAt') {
    const ranges = parseTimes(root, comparison, value, `${where}.value`);
    const instants = ranges.map((range) => withinCalendar(range).from);
    const operand = value === null ? null : Array.isArray(value) ? instants : instants[0];
    return { kind: 'test', path: { root, segments }, operator, operand } as Test;
  }
  // The schema guarantees that the operand fits the operator.
  return { kind: 'test', path: { root, segments }, operator, operand: value } as Test;
}

function checkText(operand: Operand, where: string): void {
  if (typeof operand !== 'string' || isStorableText(operand)) return;
  throw invalid(`${where}.value`, 'must be well-formed Unicode without U+0000');
}

function operandsOf(value: Operand): readonly Operand[] {
  return typeof value === 'object' ? (value ?? []) : [value];
}

const instant = {
  parse: (text: string) => toMillisecond(parseDay(text) ?? parseInstant(text)),
  takes: 'an ISO 8601 date, or date-time with an offset (2024-05-18T10:00:00Z)',
} as const;

/** The operands of dates: each stands for a range of instants, a millisecond or a day. */
const TIMES = {
  eventTs: instant,
  eventDate: { parse: (text: string) => toDay(parseDay(text)), takes: 'a real YYYY-MM-DD date' },
  receivedAt: instant,
} as const;

function toMillisecond(instant: number | undefined): InstantRange | undefined {
  return instant === undefined ? undefined : { from: instant, until: instant + 1 };
}

function toDay(start: number | undefined): InstantRange | undefined {
  return start === undefined ? undefined : { from: start, until: start + DAY_MS };
}

/** The range of each operand; null stands for all instants. Throws ApiError (400) for what is no date. */
function parseTimes(
  field: keyof typeof TIMES,
  comparison: ComparisonName,
  value: Operand,
  where: string,
): readonly InstantRange[] {
  if (!COMPARISONS[comparison].ofDates) {
    const right = Object.entries(COMPARISONS).filter(([, { ofDates }]) => ofDates);
    const names = right.map(([name]) => name).join(', ');
    throw invalid(where, `${field} is compared as a date, which has no ${comparison}; use one of ${names}`);
  }
  if (value === null) return [ALWAYS];
  const { parse, takes } = TIMES[field];
  return operandsOf(value).map((operand) => {
    const range = typeof operand === 'string' ? parse(operand) : undefined;
    if (range === undefined) throw invalid(where, `${field} takes ${takes}, got ${describeValue(operand)}`);
    return range;
  });
}
