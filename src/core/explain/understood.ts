import type { Includable } from '../event/event.ts';
import { toIsoInstant } from '../event/time.ts';
import { isEverything, type Condition, type Test } from '../filter/condition.ts';
import type { Filter, FilterEntry } from '../filter/filter.ts';
import { ALWAYS, withinCalendar, type InstantRange } from '../filter/instants.ts';
import { EQUALITY, OF_TIME, rowOf } from '../filter/operators.ts';
import { pathText } from '../filter/path.ts';
import type {
  BreakdownBody,
  CompareBody,
  CountBody,
  ExclusionBody,
  ExportBody,
  Including,
  ReachBody,
  RetentionBody,
  SequenceBody,
  StepBody,
  TopBody,
  UsersBody,
} from '../query/body.ts';
import type { AskedCompare } from '../query/compare.ts';
import { toCursor } from '../query/cursor.ts';
import type { EventQuery } from '../query/event-query.ts';
import { seriesOf, toMeasuring, type Dimension, type GroupPath, type TimeSeries } from '../query/grouping.ts';
import type { ExportQuery, GroupedQuery, PagedQuery, RankedQuery } from '../query/parse-query.ts';
import type { QuestionBodies, QuestionName } from '../query/questions.ts';
import type { AskedRetention } from '../query/retention.ts';
import type { AskedAttempts, AskedSequence } from '../query/sequence.ts';
import type { AskedStreams } from '../query/streams.ts';
import { toUsersCursor, type AskedUsers } from '../query/users.ts';

/**
 * A body as it was understood, in equivalent form: every name is a filter, every default is filled in, and
 * days are instants. Where time is cut, or where later events matter, the time keeps keys of its own; in any
 * other body it is a filter, too.
 */
export type UnderstoodBody<Name extends QuestionName = QuestionName> = {
  readonly [Each in Name]: QuestionBodies[Each] & {
    /** The filters, all of which must match. */
    readonly filterSet: readonly FilterEntry[];
  };
}[Name];

/** The keys of a body by which it differs from a count. */
type Own<Body extends CountBody> = Omit<Body, keyof CountBody>;

/** Writes a parsed query as an equivalent body. */
export function toUnderstoodBody({ query, page, include }: PagedQuery) {
  const { offset, size, after } = page;
  const pagination = after === undefined ? { offset, size } : { size, cursor: toCursor(query, after) };
  return { filterSet: toFilterSet(query), pagination, ...shown(include) } satisfies UnderstoodBody<'query'>;
}

/** Writes a parsed count as an equivalent body. */
export function toUnderstoodCount(query: EventQuery): UnderstoodBody<'count'> {
  return { filterSet: toFilterSet(query) };
}

/** Writes a parsed tail as an equivalent body. */
export function toUnderstoodTail({
  query,
  include,
}: Pick<PagedQuery, 'query' | 'include'>): UnderstoodBody<'tail'> {
  return { filterSet: toFilterSet(query), ...shown(include) };
}

/** Writes a parsed export as an equivalent body. */
export function toUnderstoodExport({ query, after, include }: ExportQuery): UnderstoodBody<'export'> {
  const start: Pick<ExportBody, 'pagination'> =
    after === undefined ? {} : { pagination: { cursor: toCursor(query, after) } };
  return { filterSet: toFilterSet(query), ...start, ...shown(include) };
}

/** Writes a parsed top as an equivalent body. */
export function toUnderstoodTop({ query, ranking, include }: RankedQuery): UnderstoodBody<'top'> {
  const { of, order, size } = ranking;
  const ranked: Own<TopBody> = { of: pathText(of), order, size };
  return { filterSet: toFilterSet(query), ...ranked, ...shown(include) };
}

/**
 * Writes a parsed comparison as an equivalent body. Its name stays a key, because it also chooses the paths
 * that are compared.
 */
export function toUnderstoodCompare(asked: AskedCompare): UnderstoodBody<'compare'> {
  const { query, isSelected, paths, event, size } = asked;
  const own: Own<CompareBody> = {
    selected: { filterSet: toFilterSet({ ...ALWAYS, condition: isSelected }) },
    ...(paths === undefined ? {} : { paths: paths.map(pathText) }),
    size,
  };
  if (event === undefined) return { filterSet: toFilterSet(query), ...own };
  const isName = (entry: FilterEntry) =>
    'property' in entry &&
    entry.property === 'eventName' &&
    entry.comparison === EQUALITY &&
    entry.value === event;
  return { event, filterSet: toFilterSet(query).filter((entry) => !isName(entry)), ...own };
}

/** Writes a parsed breakdown as an equivalent body. */
export function toUnderstoodBreakdown({ query, grouping }: GroupedQuery): UnderstoodBody<'breakdown'> {
  const { by, size, columns, distinct, measures, orderBy } = toMeasuring(grouping);
  const series = seriesOf(grouping);
  const rows = by === undefined ? undefined : { by, size };
  const hasRest =
    'measures' in grouping && rows !== undefined && columns === undefined && measures.length === 0;
  const asked: Own<BreakdownBody> = {
    ...(rows === undefined ? {} : groupsOf(rows, columns)),
    ...(distinct === undefined ? {} : { distinct: pathText(distinct) }),
    ...(measures.length === 0
      ? {}
      : {
          measures: measures.map(({ of, take }) => ({
            of: pathText(of),
            take: take.map(({ name }) => name),
          })),
        }),
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(hasRest ? { rest: true } : {}),
  };
  if (series === undefined) return { filterSet: toFilterSet(query), ...asked };
  return { ...toTimedBody(series, query, series), ...zoneOf(series), ...asked };
}

/** The dimensions of a breakdown. A size is written where not all groups are meant. */
function groupsOf(rows: Dimension, columns: Dimension | undefined): Pick<BreakdownBody, 'by' | 'size'> {
  const [first, second] = [byText(rows.by), columns && byText(columns.by)];
  const by = second === undefined ? first : ([first, second] as const);
  if (columns === undefined) return rows.size === Infinity ? { by } : { by, size: rows.size };
  // A size of all buckets cannot be written, and the most that can is a size as well.
  if (columns.size === Infinity) return { by, size: rows.size };
  return rows.size === Infinity ? { by } : { by, size: [rows.size, columns.size] };
}

const byText = (by: GroupPath | TimeSeries) => ('unit' in by ? by.unit : pathText(by));

const zoneOf = ({ zone }: TimeSeries) => (zone === undefined ? {} : { timeZone: zone.name });

/** Writes a parsed sequence as an equivalent body. */
export function toUnderstoodSequence(asked: AskedSequence): UnderstoodBody<'sequence'> {
  const { query, streams, range, within, by, size, percentiles } = asked;
  const names = percentiles.map(({ name }) => name as `p${number}`);
  const own: Own<SequenceBody> = {
    ...attemptsOf(asked, streams),
    distinct: pathText(streams.distinct),
    ...(by === undefined ? {} : { by: byText(by) }),
    ...(by === undefined || size === Infinity ? {} : { size }),
    ...(names.length === 0 ? {} : { percentiles: names }),
  };
  const zone = by !== undefined && 'unit' in by ? zoneOf(by) : {};
  return { ...toTimedBody(range, query, laterBy(range, within)), ...zone, ...own };
}

/** Writes a parsed retention as an equivalent body. */
export function toUnderstoodRetention(asked: AskedRetention): UnderstoodBody<'retention'> {
  const { query, streams, range, series, periods, periodsFrom } = asked;
  const own: Own<RetentionBody> = {
    steps: streams.bits.map(toStep),
    ...{ unit: series.unit, periods, periodsFrom, distinct: pathText(streams.distinct) },
  };
  return { ...toTimedBody(range, query, { from: range.from, until: Infinity }), ...zoneOf(series), ...own };
}

/** Writes a parsed question about users as an equivalent body. */
export function toUnderstoodUsers(asked: AskedUsers): UnderstoodBody<'users'> {
  const { query, streams, range, having, sequence, size, after } = asked;
  const conditionOf = (bit: number) => toStep(streams.bits[Math.log2(bit)]!);
  const limits = having.map(({ bit, atLeast, atMost }) => ({
    ...conditionOf(bit),
    ...{ atLeast, ...(atMost === Infinity ? {} : { atMost }) },
  }));
  const own: Own<UsersBody> = {
    distinct: pathText(streams.distinct),
    ...(limits.length === 0 ? {} : { having: limits }),
    ...(sequence === undefined ? {} : { sequence: toReach(sequence, streams) }),
    pagination: { size, ...(after === undefined ? {} : { cursor: toUsersCursor(asked, after) }) },
  };
  return { ...toTimedBody(range, query, laterBy(range, sequence?.within ?? 0)), ...own };
}

function toReach(sequence: NonNullable<AskedUsers['sequence']>, streams: AskedStreams): ReachBody {
  const { least, most, steps } = sequence;
  // At least the last step is the same as exactly the last.
  return { ...attemptsOf(sequence, streams), ...(most === steps ? { reached: least } : { stopped: least }) };
}

function attemptsOf({ steps, within, isStrict, without }: AskedAttempts, { bits, same }: AskedStreams) {
  const exclusions = without.map(({ after, bit }): ExclusionBody => {
    return { after, ...toStep(bits[Math.log2(bit)]!) };
  });
  return {
    steps: bits.slice(0, steps).map(toStep),
    ...(within === Infinity ? {} : { within: `${within / 1000}s` }),
    ...(isStrict ? { order: 'strict' as const } : {}),
    ...(exclusions.length === 0 ? {} : { without: exclusions }),
    ...(same.length === 0 ? {} : { same: same.map(pathText) }),
  };
}

function toStep(condition: Condition): StepBody {
  return isEverything(condition) ? {} : { filterSet: toFilterSet({ ...ALWAYS, condition }) };
}

const laterBy = ({ from, until }: InstantRange, ms: number) => ({ from, until: until + ms });

/**
 * A body whose time has keys of its own. A query reads a time that follows from them; what its filters leave
 * of that is a filter still.
 */
function toTimedBody(range: InstantRange, query: EventQuery, read: InstantRange) {
  const { from, until } = withinCalendar(range);
  const own = withinCalendar(read);
  const rest = {
    from: query.from === own.from ? -Infinity : query.from,
    until: query.until === own.until ? Infinity : query.until,
  };
  return {
    ...(from === -Infinity ? {} : { from: toIsoInstant(from) }),
    ...(until === Infinity ? {} : { until: toIsoInstant(until) }),
    filterSet: toFilterSet({ ...rest, condition: query.condition }),
  };
}

const shown = (include: readonly Includable[]): Including => (include.length === 0 ? {} : { include });

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
