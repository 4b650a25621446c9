import { invalid } from '../errors.ts';
import { describeValue, isStorableText } from '../event/text.ts';
import { parseDay, parseInstant } from '../event/time.ts';
import type { Condition, Operand, Scalar } from './condition.ts';
import { FILTER_LEVELS_MAX, FILTERS_MAX, type FilterEntry } from './filter-schema.ts';
import { COMPARISONS } from './operators.ts';
import { parsePath, type Path } from './path.ts';

/** Counts the comparisons of one filter set, nested ones included. */
interface Budget {
  filtersLeft: number;
}

/**
 * Turns a `filterSet` of the right shape into a condition: all entries have to match. Negative comparisons
 * become a `Not` around their positive, so that each is its complement by construction. Throws ApiError (400)
 * for bad paths, operands that the path does not take, more than 100 comparisons or 10 levels.
 */
export function parseFilterSet(entries: readonly FilterEntry[], where: string): Condition {
  return parseEntries(entries, where, 1, { filtersLeft: FILTERS_MAX }, 'all');
}

function parseEntries(
  entries: readonly FilterEntry[],
  where: string,
  level: number,
  budget: Budget,
  kind: 'all' | 'any',
): Condition {
  return { kind, of: entries.map((entry, i) => parseEntry(entry, `${where}[${i}]`, level, budget)) };
}

function parseEntry(entry: FilterEntry, where: string, level: number, budget: Budget): Condition {
  if (level > FILTER_LEVELS_MAX) throw invalid(where, `filters nest at most ${FILTER_LEVELS_MAX} levels`);
  if ('anyOf' in entry) return parseEntries(entry.anyOf, `${where}.anyOf`, level + 1, budget, 'any');
  if ('allOf' in entry) return parseEntries(entry.allOf, `${where}.allOf`, level + 1, budget, 'all');
  if ('not' in entry) return { kind: 'not', of: parseEntry(entry.not, `${where}.not`, level + 1, budget) };
  budget.filtersLeft -= 1;
  if (budget.filtersLeft < 0) throw invalid(where, `a filterSet takes at most ${FILTERS_MAX} filters`);
  const { operator, negated } = COMPARISONS[entry.comparison];
  const path = parsePath(entry.property, `${where}.property`);
  const operand = parseOperand(path, entry.comparison, entry.value, `${where}.value`);
  const test: Condition = { kind: 'test', path, operator, operand };
  return negated ? { kind: 'not', of: test } : test;
}

const DATE_FIELDS = {
  eventTs: {
    parse: (text: string) => parseDay(text) ?? parseInstant(text),
    takes: 'an ISO 8601 date, or date-time with an offset (2024-05-18T10:00:00Z)',
  },
  eventDate: {
    parse: (text: string) => (parseDay(text) === undefined ? undefined : text),
    takes: 'a real YYYY-MM-DD date',
  },
} as const;

function parseOperand(
  path: Path,
  comparison: keyof typeof COMPARISONS,
  value: Operand,
  where: string,
): Operand {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  for (const text of texts) {
    if (typeof text === 'string' && !isStorableText(text)) {
      throw invalid(where, 'must be well-formed Unicode without U+0000');
    }
  }
  if (value === null || (path.root !== 'eventTs' && path.root !== 'eventDate')) return value;
  const { operator } = COMPARISONS[comparison];
  if (operator === 'CONTAINS' || operator === 'STARTS_WITH' || operator === 'ENDS_WITH') {
    throw invalid(
      where,
      `${path.root} is compared as a date, which has no ${comparison}; use EQUALS, IN or an order`,
    );
  }
  const field = DATE_FIELDS[path.root];
  const read = (scalar: Scalar): Scalar => {
    const operand = typeof scalar === 'string' ? field.parse(scalar) : undefined;
    if (operand === undefined)
      throw invalid(where, `${path.root} takes ${field.takes}, got ${describeValue(scalar)}`);
    return operand;
  };
  return Array.isArray(value) ? value.map(read) : read(value as Scalar);
}
