import type { FilterEntry } from '../../../../src/index.ts';
import {
  FILTER_LEVELS_MAX,
  FILTERS_MAX,
  OPERAND_KINDS,
  PATH_LENGTH_MAX,
  type OperandKind,
} from '../../../../src/store-kit.ts';

/** The kind of operand that a comparison takes; undefined for a name of none. */
export type Takes = (comparison: unknown) => OperandKind | undefined;

const UNREADABLE = 'This link contains an unreadable filter.';

/** The filters of an address, or what is wrong with them. */
type ReadFilters = { readonly filters: readonly FilterEntry[] } | { readonly problem: string };

/** The array that a text of an address has in JSON; undefined for any other text. */
export function readList(text: string): readonly unknown[] | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the filters of an address. A server would take them, but for paths and instants that it refuses. */
export function readFilters(text: string, takes: Takes): ReadFilters {
  if (text === '') return { filters: [] };
  const found = readList(text);
  if (found === undefined) return { problem: UNREADABLE };
  const left = { filters: FILTERS_MAX, entries: 10 * FILTERS_MAX };
  for (const entry of found) {
    const problem = problemOfEntry(entry, { takes, left, level: 1 });
    if (problem !== undefined) return { problem };
  }
  return { filters: found as readonly FilterEntry[] };
}

interface EntryContext {
  readonly takes: Takes;
  /** How many comparisons, and how many entries of any kind, there may still be. */
  readonly left: { filters: number; entries: number };
  readonly level: number;
}

function problemOfEntry(entry: unknown, { takes, left, level }: EntryContext): string | undefined {
  if (level > FILTER_LEVELS_MAX)
    return `This link contains groups of filters that nest deeper than ${FILTER_LEVELS_MAX} levels.`;
  left.entries -= 1;
  if (typeof entry !== 'object' || entry === null) return UNREADABLE;
  const within = groupOf(entry);
  if (within === undefined) {
    left.filters -= 1;
    if (!isFilter(entry, takes)) return UNREADABLE;
  } else if (!Array.isArray(within)) return UNREADABLE;
  if (left.filters < 0 || left.entries < 0) return `This link contains more than ${FILTERS_MAX} filters.`;
  for (const each of within ?? []) {
    const problem = problemOfEntry(each, { takes, left, level: level + 1 });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The entries of a group, which may be anything; undefined for a comparison. */
function groupOf(entry: object): readonly unknown[] | undefined {
  if ('not' in entry) return [entry.not];
  if ('anyOf' in entry) return entry.anyOf as readonly unknown[];
  return 'allOf' in entry ? (entry.allOf as readonly unknown[]) : undefined;
}

function isFilter(entry: object, takes: Takes): boolean {
  if (!('property' in entry) || !('comparison' in entry) || !('value' in entry)) return false;
  const { property, comparison, value } = entry;
  const kind = typeof comparison === 'string' ? takes(comparison) : undefined;
  const isPath = typeof property === 'string' && property.length <= PATH_LENGTH_MAX;
  return isPath && kind !== undefined && OPERAND_KINDS[kind].fits(value);
}
