import { ApiError, invalid } from '../base/errors.ts';
import { UTC, type TimeZone } from '../base/zone.ts';
import { createZones, type Zones } from '../bounds/zones.ts';
import type { Includable } from '../event/event.ts';
import { INSERT_ID_PATTERN } from '../event/event-fields.ts';
import { isStorableText, quote } from '../event/text.ts';
import { DAY_MS, parseDay, parseInstant } from '../event/time.ts';
import { firstAt, TIME_UNITS, type TimeUnit } from '../event/time-unit.ts';
import { toAll, toDuring, type Condition } from '../filter/condition.ts';
import { withinCalendar, type InstantRange } from '../filter/instants.ts';
import { EQUALITY } from '../filter/operators.ts';
import { createFilterBudget, parseFilterSet } from '../filter/parse-filter.ts';
import { EVENT_FIELDS, EVENT_NAME, parsePath } from '../filter/path.ts';
import {
  BY_TWO_WORDS,
  BY_WORDS,
  CROSSED_SIZE_DEFAULT,
  GROUPS_SIZE_DEFAULT,
  INSTANT_WORDS,
  PAGE_SIZE_DEFAULT,
  TIME_ZONE_WORDS,
  type BreakdownBody,
  type ByBody,
  type CountBody,
  type ExportStart,
  type Pagination,
  type StepBody,
} from './body.ts';
import { parseCursor } from './cursor.ts';
import type { EventQuery, Page, Position } from './event-query.ts';
import {
  bucketsOf,
  CELLS_MAX,
  requireCells,
  type Dimension,
  type GroupOrder,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type TimeSeries,
} from './grouping.ts';
import { LATENESS_ROOT } from './lateness.ts';
import { parseMeasures, type AskedMeasure } from './measures.ts';
import { parseRankedPath, type Ranking } from './ranking.ts';
import {
  validateBreakdownBody,
  validateCountBody,
  validateExportBody,
  validateQueryBody,
  validateTailBody,
  validateTopBody,
} from './validate.ts';

/** What the events of an answer show. */
interface Included {
  /** The fields that they show in addition to those of every answer. */
  readonly include: readonly Includable[];
}

/** A query and the requested page. */
export interface PagedQuery extends Included {
  /** Which events match. */
  readonly query: EventQuery;
  /** Which of those, in the order of answers. */
  readonly page: Page;
}

/**
 * Parses the body of a query. Throws ApiError (400) if it is not valid. Here and below, `zones` are those of
 * the process; without them, what is known of the body's zone is forgotten afterwards.
 */
export function parseQueryBody(body: unknown, zones?: Zones): PagedQuery {
  const valid = validateQueryBody(body);
  const query = toEventQuery(valid, zoneOf(valid, zones));
  const { pagination = {}, include = [] } = valid;
  return { query, page: toPage(pagination, query), include };
}

/** Parses the body of a count. Throws ApiError (400) if it is not valid. */
export function parseCountBody(body: unknown, zones?: Zones): EventQuery {
  const valid = validateCountBody(body);
  return toEventQuery(valid, zoneOf(valid, zones));
}

/** A query, and which of the matching events come first. */
export interface RankedQuery extends Included {
  /** Which events match. */
  readonly query: EventQuery;
  /** Which of those are returned. */
  readonly ranking: Ranking;
}

/** Parses the body of a top. Throws ApiError (400) if it is not valid. */
export function parseTopBody(body: unknown, zones?: Zones): RankedQuery {
  const valid = validateTopBody(body);
  const { of, order = 'largest', size = PAGE_SIZE_DEFAULT, include = [] } = valid;
  const query = toEventQuery(valid, zoneOf(valid, zones));
  return { query, ranking: { of: parseRankedPath(of), order, size }, include };
}

/** A query whose answer are events. */
export interface TailQuery extends Included {
  /** Which events match. */
  readonly query: EventQuery;
}

/** Parses the body of a tail. Throws ApiError (400) if it is not valid. */
export function parseTailBody(body: unknown, zones?: Zones): TailQuery {
  const valid = validateTailBody(body);
  return { query: toEventQuery(valid, zoneOf(valid, zones)), include: valid.include ?? [] };
}

/** A query whose whole answer is returned, from a position on. */
export interface ExportQuery extends Included {
  /** Which events match. */
  readonly query: EventQuery;
  /** The position after which it starts; undefined to start at the newest event. */
  readonly after: Position | undefined;
  /** The event name that it is restricted to, if any. */
  readonly event: string | undefined;
}

/** Parses the body of an export. Throws ApiError (400) if it is not valid. */
export function parseExportBody(body: unknown, zones?: Zones): ExportQuery {
  const valid = validateExportBody(body);
  const query = toEventQuery(valid, zoneOf(valid, zones));
  const after = toStart(valid.pagination ?? {}, query);
  return { query, after, event: valid.event, include: valid.include ?? [] };
}

/** A query and the requested grouping: of a body without newer keys, one that every store can tell. */
export interface GroupedQuery<Body = unknown> {
  /** Selects the events to count. */
  readonly query: EventQuery;
  /** How to group them, or what to measure of them. */
  readonly grouping: Body extends {
    readonly by: string;
    readonly measures?: undefined;
    readonly rest?: undefined;
  }
    ? Grouping
    : Grouping | MeasuredGrouping;
}

/** Parses the body of a breakdown. Throws ApiError (400) if it is not valid. */
export function parseBreakdownBody<Body>(body: Body, zones?: Zones): GroupedQuery<Body> {
  const valid = validateBreakdownBody(body);
  const { by, distinct, measures } = valid;
  if (by === undefined && distinct === undefined && measures === undefined)
    throw invalid('by', `takes ${BY_WORDS}, or ${BY_TWO_WORDS}; got nothing`);
  const zone = zoneOf(valid, zones);
  return { query: toEventQuery(valid, zone), grouping: toGrouping(valid, zone) } as GroupedQuery<Body>;
}

function toGrouping(body: BreakdownBody, zone: TimeZone): Grouping | MeasuredGrouping {
  const { distinct, measures, orderBy, rest } = body;
  const [rows, columns] = toDimensions(body, zone);
  if (rows === undefined && rest === true)
    throw invalid('rest', 'takes groups that it is outside of: say what they are made of with by');
  const counted = distinct === undefined ? {} : { distinct: parsePath(distinct, 'distinct') };
  const asked = parseMeasures(measures ?? []);
  const order = orderBy === undefined ? {} : { orderBy: checkOrder(orderBy, asked, rows) };
  const isPlain = columns === undefined && measures === undefined && rest === undefined;
  if (rows !== undefined && isPlain) return { by: rows.by, ...counted, size: rows.size };
  const crossed = columns === undefined ? {} : { columns };
  return { by: rows?.by, ...crossed, ...counted, size: rows?.size ?? 0, measures: asked, ...order };
}

/** The order of the rows. Throws ApiError (400) where nothing is measured by which these can be ordered. */
function checkOrder(order: GroupOrder, measures: readonly AskedMeasure[], rows?: Dimension): GroupOrder {
  if (rows === undefined || 'unit' in rows.by)
    throw invalid('orderBy', 'takes groups of a path; buckets of time are in the order of time');
  const measure = measures[order.measure];
  if (measure === undefined)
    throw invalid(
      'orderBy.measure',
      `takes the place of one of the measures, which are ${measures.length}; got ${order.measure}`,
    );
  const names = measure.take.map(({ name }) => name);
  if (!names.includes(order.take))
    throw invalid(
      'orderBy.take',
      `takes a figure of that measure, ${names.join(', ')}; got ${quote(order.take)}`,
    );
  return order;
}

/** The dimensions of a body: none, one, or rows and columns. */
function toDimensions(
  { by, size, ...dates }: BreakdownBody,
  zone: TimeZone,
): readonly [rows?: Dimension, columns?: Dimension] {
  if (typeof by !== 'object') {
    if (typeof size === 'object') throw invalid('size', 'takes two numbers with two dimensions only');
    if (by === undefined) return [];
    return [toGroups(by, { ...dates, size }, zone)];
  }
  const sizes = typeof size === 'object' ? size : [size, undefined];
  const dimensionAt = (i: 0 | 1) =>
    toDimension(by[i], `by[${i}]`, { size: sizes[i], most: CROSSED_SIZE_DEFAULT, zone, dates });
  const [rows, columns] = [dimensionAt(0), dimensionAt(1)];
  const [isTime, areTimes] = ['unit' in rows.by, 'unit' in columns.by];
  if (isTime && areTimes)
    throw invalid('by', `takes at most one unit of time; got ${quote(by[0])} and ${quote(by[1])}`);
  if (!isTime && !areTimes) requireCells(rows.size, columns.size);
  return [crossWith(rows, columns.size), crossWith(columns, rows.size)];
}

/** The only dimension of a body, and how many of its groups are returned. Throws ApiError (400). */
export function toGroups(
  by: ByBody,
  { size, ...dates }: RangeBody & { readonly size?: number | undefined },
  zone: TimeZone,
): Dimension {
  const only = toDimension(by, 'by', { size, most: GROUPS_SIZE_DEFAULT, zone, dates });
  if ('unit' in only.by) refuseEarly(only.by);
  return only;
}

/** The keys of a body that bound its time. */
type RangeBody = Pick<CountBody, 'after' | 'before' | 'from' | 'until'>;

/** What of a body is about both of its dimensions. */
interface DimensionAsked {
  readonly size: number | undefined;
  /** The size of a path that is absent. */
  readonly most: number;
  readonly zone: TimeZone;
  readonly dates: RangeBody;
}

function toDimension(by: ByBody, where: string, { size, most, zone, dates }: DimensionAsked): Dimension {
  const unit = TIME_UNITS.find((name) => name === by);
  if (unit === undefined) return { by: parseGroupPath(by, where), size: size ?? most };
  return { by: toSeries(unit, toRange(dates, zone), zone), size: size ?? Infinity };
}

/** The pieces of time into which a unit cuts a range. */
export function toSeries<Unit extends TimeUnit>(
  unit: Unit,
  range: InstantRange,
  zone: TimeZone,
): TimeSeries & { readonly unit: Unit } {
  return { unit, ...(zone === UTC ? {} : { zone }), ...withinCalendar(range) };
}

/** A dimension next to one of so many groups. Throws ApiError (400) for too many cells. */
function crossWith({ by, size }: Dimension, groups: number): Dimension {
  if (!('unit' in by)) return { by, size };
  const series = size * groups > CELLS_MAX ? { ...by, beside: groups } : by;
  refuseEarly(series);
  return { by: series, size };
}

/**
 * Refuses a range of dates that is too long before the request is counted. The clock of another zone is read
 * when the request has its turn, so of such a zone only what is too long by days is refused here.
 */
function refuseEarly(series: TimeSeries): void {
  const { unit, zone, from, until } = series;
  if (zone === undefined) bucketsOf(series, undefined);
  else bucketsOf({ unit, from: from + 2 * DAY_MS, until: until - 2 * DAY_MS }, undefined);
}

function parseGroupPath(by: string, where: string): GroupPath {
  if (by === LATENESS_ROOT) return { root: by, segments: [] };
  const isPath = by.startsWith('properties.') || EVENT_FIELDS.some((field) => field === by);
  const takes = `takes ${BY_WORDS}`;
  if (!isPath) throw invalid(where, `${takes}; got ${quote(by)}; did you mean ${quote(`properties.${by}`)}?`);
  return parsePath(by, where);
}

/** The zone that a body names. Throws ApiError (400) for a name that is none, or is unknown here. */
export function zoneOf({ timeZone }: Pick<CountBody, 'timeZone'>, given: Zones | undefined): TimeZone {
  if (timeZone === undefined) return UTC;
  const zones = given ?? createZones();
  const zone = zones.of(timeZone);
  if (zone !== undefined) return zone;
  const nearest = zones.nearestTo(timeZone);
  const hint = nearest === undefined ? '' : `; did you mean ${quote(nearest)}?`;
  throw invalid('timeZone', `takes ${TIME_ZONE_WORDS}, that is known here; got ${quote(timeZone)}${hint}`);
}

/** The time that all bounds leave; `where` stands before the name of a field. */
export function toRange({ after, before, from, until }: RangeBody, zone: TimeZone, where = ''): InstantRange {
  const days = {
    from: after === undefined ? -Infinity : firstAt(zone, startOf(after)),
    until: before === undefined ? Infinity : firstAt(zone, startOf(before) + DAY_MS),
  };
  return {
    from: Math.max(days.from, from === undefined ? -Infinity : toInstant('from', from, where)),
    until: Math.min(days.until, until === undefined ? Infinity : toInstant('until', until, where)),
  };
}

function toEventQuery(body: CountBody, zone: TimeZone): EventQuery {
  return selectWithin(toRange(body, zone), toCondition(body));
}

/**
 * Which events a body means, or one of its steps; `where` stands before the name of a field. Throws ApiError
 * (400) for a name or a filter that is not valid.
 */
export function toCondition(
  { event, filterSet }: StepBody,
  where = '',
  budget = createFilterBudget(),
): Condition {
  return toAll([
    ...(event === undefined ? [] : [namedTest(event, `${where}event`)]),
    ...(filterSet === undefined ? [] : [parseFilterSet(filterSet, `${where}filterSet`, budget)]),
  ]);
}

/** The query for the events of some time that meet a condition. */
export function selectWithin(range: InstantRange, condition: Condition): EventQuery {
  const isBound = range.from !== -Infinity || range.until !== Infinity;
  return liftRange(isBound ? toAll([toDuring([range]), condition]) : condition);
}

/**
 * Extracts from a condition the range of time that every matching event lies in: a store keeps events in
 * order of time and can skip all others.
 */
function liftRange(condition: Condition): EventQuery {
  const parts = condition.kind === 'all' ? condition.of : [condition];
  // Ranges of time are merged into one part, which comes first.
  const [during] = parts;
  if (during?.kind !== 'during') return { from: -Infinity, until: Infinity, condition };
  const { ranges } = during;
  // Several ranges have gaps between them, which the condition still has to exclude.
  const rest = ranges.length > 1 ? condition : toAll(parts.slice(1));
  return { from: ranges[0]!.from, until: ranges.at(-1)!.until, condition: rest };
}

function namedTest(event: string, where: string): Condition {
  if (!isStorableText(event)) throw invalid(where, 'must be well-formed Unicode without U+0000');
  return { kind: 'test', path: EVENT_NAME, operator: EQUALITY, operand: event };
}

function startOf(day: string): number {
  const start = parseDay(day);
  if (start === undefined) throw new ApiError('invalidDate');
  return start;
}

function toInstant(name: 'from' | 'until', text: string, where: string): number {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const days = where + (name === 'from' ? 'after' : 'before');
  const hint = parseDay(text) === undefined ? '' : `; a whole day is for ${days}`;
  throw invalid(where + name, `takes ${INSTANT_WORDS}, got ${quote(text)}${hint}`);
}

function toPage(pagination: Pagination, query: EventQuery): Page {
  const { offset, size = PAGE_SIZE_DEFAULT, cursor } = pagination;
  if (cursor === undefined) return { offset: offset ?? 0, size };
  if (offset !== undefined) throw invalid('pagination', 'takes an offset or a cursor, not both');
  return { offset: 0, size, after: parseCursor(cursor, query, 'pagination.cursor') };
}

function toStart({ cursor, after }: ExportStart, query: EventQuery): Position | undefined {
  if (after === undefined) {
    return cursor === undefined ? undefined : parseCursor(cursor, query, 'pagination.cursor');
  }
  if (cursor !== undefined) throw invalid('pagination', 'takes a cursor or the event before, not both');
  const eventTs = parseInstant(after.eventTs);
  if (eventTs === undefined || !INSERT_ID_PATTERN.test(after.insertId)) {
    throw invalid('pagination.after', 'takes the eventTs and the insertId of an event, unchanged');
  }
  return { eventTs, insertId: after.insertId };
}
