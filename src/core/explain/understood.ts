import type { Includable } from '../event/event.ts';
import { toIsoInstant } from '../event/time.ts';
import type { Condition, Test } from '../filter/condition.ts';
import type { Filter, FilterEntry } from '../filter/filter.ts';
import type { InstantRange } from '../filter/instants.ts';
import { OF_TIME, rowOf } from '../filter/operators.ts';
import { pathText } from '../filter/path.ts';
import type { Pagination } from '../query/body.ts';
import { toCursor } from '../query/cursor.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { PagedQuery } from '../query/parse-query.ts';

/** A body as it was understood, in equivalent form: every date and name is written as a filter. */
export interface UnderstoodBody {
  /** The filters, all of which must match. */
  readonly filterSet: readonly FilterEntry[];
  /** The page, with every default filled in. */
  readonly pagination: Pagination;
  /** What events show besides the usual fields; absent where that is nothing. */
  readonly include?: readonly Includable[];
}

/** Writes a parsed query as an equivalent body. */
export function toUnderstoodBody({ query, page, include }: PagedQuery): UnderstoodBody {
  const { offset, size, after } = page;
  const pagination = after === undefined ? { offset, size } : { size, cursor: toCursor(query, after) };
  return { filterSet: toFilterSet(query), pagination, ...(include.length === 0 ? {} : { include }) };
}

/** The filters of a query, all of which must match. */
export function toFilterSet({ from, until, condition }: EventQuery): readonly FilterEntry[] {
  const rest = condition.kind === 'all' ? condition.of : [condition];
  return [...toTimes({ from, until }), ...rest.flatMap(toEntries)];
}

/** A condition as entries that all have to match: a range of time becomes two bounds. */
function toEntries(condition: Condition): readonly FilterEntry[] {
  if (condition.kind !== 'during' || condition.ranges.length !== 1) return [toEntry(condition)];
  return toTimes(condition.ranges[0]!);
}

function toEntry(condition: Condition): FilterEntry {
  switch (condition.kind) {
    case 'all':
      return { allOf: condition.of.flatMap(toEntries) };
    case 'any':
      return { anyOf: condition.of.map(toEntry) };
    case 'during': {
      const ranges = condition.ranges.map(toTimes);
      if (ranges.length !== 1) return { anyOf: ranges.map(toOne) };
      return toOne(ranges[0]!);
    }
    case 'not':
      return toComplement(condition.of);
    case 'test':
      return toFilter(condition, condition.operator);
  }
}

function toOne(entries: readonly FilterEntry[]): FilterEntry {
  return entries.length === 1 ? entries[0]! : { allOf: entries };
}

/** A complement uses the name of the negative comparison if its operator has one. */
function toComplement(condition: Condition): FilterEntry {
  const complement = condition.kind === 'test' ? rowOf(condition.operator).complement : undefined;
  if (condition.kind !== 'test' || complement === undefined) return { not: toEntry(condition) };
  return toFilter(condition, complement);
}

function toFilter({ path, operand }: Test, comparison: string): Filter {
  const value = path.root === 'receivedAt' ? toInstants(operand) : operand;
  // Such a filter produced the condition.
  return { property: pathText(path), comparison, value } as Filter;
}

/** Instants as filters write them. */
function toInstants(operand: Test['operand']): string | readonly string[] | null {
  if (operand === null) return null;
  return typeof operand === 'object'
    ? operand.map((ms) => toIsoInstant(Number(ms)))
    : toIsoInstant(Number(operand));
}

function toTimes({ from, until }: InstantRange): readonly Filter[] {
  const time = (when: keyof typeof OF_TIME, ms: number): Filter => {
    return { property: 'eventTs', comparison: OF_TIME[when], value: toIsoInstant(ms) };
  };
  if (until - from === 1) return [time('at', from)];
  return [
    ...(from === -Infinity ? [] : [time('from', from)]),
    ...(until === Infinity ? [] : [time('before', until)]),
  ];
}
