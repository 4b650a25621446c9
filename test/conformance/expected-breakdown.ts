import { compareCodePoints } from '../../src/core/event/text.ts';
import { toIsoDay } from '../../src/core/event/time.ts';
import type { TimeUnit } from '../../src/core/event/time-unit.ts';
import { toEventView, valueBelow } from '../../src/core/filter/predicate.ts';
import type { TimeSeries } from '../../src/core/query/grouping.ts';
import { withoutRest } from '../../src/core/query/group-table.ts';
import type { Breakdown, AskedMeasure, MeasuredNumbers, Whole } from '../../src/index.ts';
import { plainClock } from './plain-clock.ts';
import {
  toIsoInstant,
  type EventView,
  type Dimension,
  type Grouping,
  type GroupPath,
  type MeasuredGrouping,
  type StoredEvent,
  type Told,
} from '../../src/store-kit.ts';
import { measuredOf } from './expected-measures.ts';

type Scalar = string | number | boolean;

/** The groups of some events by the definition, all of them at hand; undefined for too many buckets. */
export function breakdownOf(events: readonly StoredEvent[], grouping: Grouping): Breakdown | undefined {
  const found = measuredBreakdownOf(events, { ...grouping, measures: [] });
  return found && withoutRest(found as Breakdown);
}

/** Groups of one dimension: each with its events, in order, and all of them. */
interface ExpectedGroups {
  readonly returned: readonly { readonly key: Scalar; readonly members: readonly EventView[] }[];
  readonly total: number;
}

/** What is told beyond a breakdown: two dimensions, the rest, and what is measured of all these. */
export function measuredBreakdownOf(
  events: readonly StoredEvent[],
  { by, size, columns, distinct, measures, orderBy }: MeasuredGrouping,
): Breakdown | Whole | undefined {
  const views = events.map(toEventView);
  const tell = (members: readonly EventView[]): Told => ({
    count: members.length,
    ...(distinct === undefined ? {} : { distinct: scalarsOf(members, distinct).size }),
    ...(measures.length === 0 ? {} : { measures: measures.map((one) => measuredAt(members, one)) }),
  });
  const { count: total, ...whole } = tell(views);
  if (by === undefined) return { total, ...whole };
  const rows = groupsOf(
    views,
    { by, size },
    orderBy && ((members) => tell(members).measures![orderBy.measure]![orderBy.take]!),
  );
  const across = columns && groupsOf(views, columns);
  if (rows === undefined || (columns !== undefined && across === undefined)) return undefined;
  const rowOf = (members: readonly EventView[]) => ({
    ...tell(members),
    ...(across && {
      cells: across.returned.map((column) => tell(members.filter((view) => column.members.includes(view)))),
      rest: tell(outsideOf(members, across)),
    }),
  });
  const values = 'unit' in by ? [] : views.map((view) => valueAt(view, by));
  return {
    total,
    missing: values.filter((value) => value === undefined || value === null).length,
    arrays: values.filter((value) => Array.isArray(value)).length,
    objects: values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
      .length,
    groupsTotal: rows.total,
    groups: rows.returned.map(({ key, members }) => ({ key, ...rowOf(members) })),
    ...whole,
    ...(across && {
      columns: across.returned.map(({ key, members }) => ({ key, ...tell(members) })),
      columnsTotal: across.total,
    }),
    rest: rowOf(outsideOf(views, rows)),
  };
}

/** The events that are in none of the groups returned. */
function outsideOf(views: readonly EventView[], { returned }: ExpectedGroups): readonly EventView[] {
  return views.filter((view) => !returned.some(({ members }) => members.includes(view)));
}

/** The groups of one dimension; by a figure, the greatest first, or by count. */
function groupsOf(
  views: readonly EventView[],
  { by, size }: Dimension,
  figureOf?: (members: readonly EventView[]) => number | string | null,
): ExpectedGroups | undefined {
  if ('unit' in by) {
    const starts = bucketsOf(by, views);
    return (
      starts && {
        returned: starts.slice(0, size).map((key) => ({
          key,
          members: views.filter(({ eventTs }) => bucketOf(by, eventTs) === key),
        })),
        total: starts.length,
      }
    );
  }
  const texts = views.map((view) => JSON.stringify(valueAt(view, by)));
  const groups = [...scalarsOf(views, by)].map((text) => {
    const members = views.filter((_, i) => texts[i] === text);
    return { key: JSON.parse(text) as Scalar, members, figure: figureOf?.(members) };
  });
  const compare = compareOf(by);
  groups.sort((a, b) => compareRanks(a, b) || compare(a.key, b.key));
  return { returned: groups.slice(0, size), total: groups.length };

  function compareRanks(a: (typeof groups)[number], b: (typeof groups)[number]): number {
    if (figureOf === undefined) return b.members.length - a.members.length;
    const [one, other] = [a.figure ?? undefined, b.figure ?? undefined];
    if (one === other) return 0;
    if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
    return one > other ? -1 : 1;
  }
}

function measuredAt(views: readonly EventView[], measure: AskedMeasure): MeasuredNumbers {
  return measuredOf(
    views.map((view) => valueAt(view, measure.of)),
    measure,
  );
}

/** What a path finds, as answers write it. */
export function valueAt(view: EventView, { root, segments }: GroupPath) {
  if (root === 'properties') return valueBelow(view.properties, segments);
  if (root === 'eventTs') return toIsoInstant(view.eventTs);
  if (root === 'lateness') return latenessOf(view);
  if (root === 'receivedAt') return view.receivedAt === undefined ? undefined : toIsoInstant(view.receivedAt);
  return root === 'eventDate' ? toIsoDay(view.eventTs) : view[root];
}

const STEPS = [
  'before its time',
  'within a minute',
  'within an hour',
  'within a day',
  'within 7 days',
  'later',
];

/** How long after its own time an event arrived, in words. */
function latenessOf({ eventTs, receivedAt }: EventView): string | undefined {
  if (receivedAt === undefined) return undefined;
  const minutes = (receivedAt - eventTs) / 60_000;
  if (minutes < 0) return STEPS[0];
  if (minutes <= 1) return STEPS[1];
  if (minutes <= 60) return STEPS[2];
  if (minutes <= 60 * 24) return STEPS[3];
  return minutes <= 60 * 24 * 7 ? STEPS[4] : STEPS[5];
}

/** The order of groups that are equal otherwise; those of lateness come from early to late. */
export const compareOf = ({ root }: GroupPath) => (root === 'lateness' ? compareSteps : compareKeys);

function compareSteps(a: Scalar, b: Scalar): number {
  return STEPS.indexOf(a as string) - STEPS.indexOf(b as string);
}

/** The distinct scalars that a path holds, as JSON. */
function scalarsOf(views: readonly EventView[], path: GroupPath): Set<string> {
  const values = views.map((view) => valueAt(view, path));
  return new Set(
    values.filter((value) => value !== undefined && typeof value !== 'object').map((v) => JSON.stringify(v)),
  );
}

/** The order of keys: booleans, numbers, then texts by code point. */
export function compareKeys(a: Scalar, b: Scalar): number {
  const rank = (key: Scalar) => ['boolean', 'number', 'string'].indexOf(typeof key);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'string') return compareCodePoints(a, b as string);
  return Number(a) - Number(b);
}

/** The first instant of a bucket as text, cut out of the text of an instant. */
function utcBucketOf(unit: TimeUnit, instant: number): string {
  const text = toIsoInstant(instant);
  if (unit === 'minute') return `${text.slice(0, 16)}:00.000Z`;
  if (unit === 'hour') return `${text.slice(0, 13)}:00:00.000Z`;
  if (unit === 'month') return `${text.slice(0, 7)}-01T00:00:00.000Z`;
  const day = new Date(`${text.slice(0, 10)}T00:00:00.000Z`);
  if (unit === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString();
}

/** The key of the bucket that an instant lies in. */
export function bucketOf({ unit, zone }: TimeSeries, instant: number): string {
  if (zone === undefined) return utcBucketOf(unit, instant);
  const clock = plainClock(zone.name);
  return clock.toKey(clock.startOf(unit, instant));
}

function nextOf({ unit, zone }: TimeSeries, start: string): string {
  if (zone === undefined) return utcNextOf(unit, start);
  const clock = plainClock(zone.name);
  return clock.toKey(clock.nextOf(unit, Date.parse(start)));
}

export function bucketsOf(series: TimeSeries, views: readonly EventView[]): string[] | undefined {
  const { from, until } = series;
  const instants = views.map(({ eventTs }) => eventTs);
  const first = from === -Infinity ? Math.min(...instants) : from;
  const last = until === Infinity ? Math.max(...instants) : until - 1;
  const starts: string[] = [];
  if (!Number.isFinite(first) || !Number.isFinite(last) || last < first) return starts;
  const end = bucketOf(series, last);
  for (let start = bucketOf(series, first); ; start = nextOf(series, start)) {
    starts.push(start);
    if (starts.length > 2000) return undefined;
    if (start === end) return starts;
  }
}

function utcNextOf(unit: TimeUnit, start: string): string {
  const date = new Date(start);
  if (unit === 'minute') date.setUTCMinutes(date.getUTCMinutes() + 1);
  if (unit === 'hour') date.setUTCHours(date.getUTCHours() + 1);
  if (unit === 'day') date.setUTCDate(date.getUTCDate() + 1);
  if (unit === 'week') date.setUTCDate(date.getUTCDate() + 7);
  if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString();
}
