import { compareCodePoints } from '../../src/core/event/text.ts';
import { toIsoDay } from '../../src/core/event/time.ts';
import type { TimeUnit } from '../../src/core/event/time-unit.ts';
import { toEventView, valueBelow } from '../../src/core/filter/predicate.ts';
import type { TimeSeries } from '../../src/core/query/grouping.ts';
import type { Breakdown, AskedMeasure, MeasuredNumbers, Whole } from '../../src/index.ts';
import { plainClock } from './plain-clock.ts';
import {
  toIsoInstant,
  type EventView,
  type Group,
  type Grouping,
  type GroupPath,
  type MeasuredGrouping,
  type StoredEvent,
} from '../../src/store-kit.ts';
import { measuredOf } from './expected-measures.ts';

type Scalar = string | number | boolean;

/** The groups of some events by the definition, all of them at hand; undefined for too many buckets. */
export function breakdownOf(events: readonly StoredEvent[], grouping: Grouping): Breakdown | undefined {
  return measuredBreakdownOf(events, { ...grouping, measures: [] }) as Breakdown | undefined;
}

/** The same with what is measured of each group and of all. */
export function measuredBreakdownOf(
  events: readonly StoredEvent[],
  { by, distinct, size, measures }: MeasuredGrouping,
): Breakdown | Whole | undefined {
  const views = events.map(toEventView);
  const total = views.length;
  const figuresOf = (members: readonly EventView[]) => ({
    ...(distinct === undefined ? {} : { distinct: scalarsOf(members, distinct).size }),
    ...(measures.length === 0 ? {} : { measures: measures.map((one) => measuredAt(members, one)) }),
  });
  const measure = (members: readonly EventView[]) => ({
    count: members.length,
    ...figuresOf(members),
  });
  const whole = figuresOf(views);
  if (by === undefined) return { total, ...whole };
  if ('unit' in by) {
    const starts = bucketsOf(by, views);
    if (starts === undefined) return undefined;
    const groups = starts.map((key) => ({
      key,
      ...measure(views.filter(({ eventTs }) => bucketOf(by, eventTs) === key)),
    }));
    const counts = { total, missing: 0, arrays: 0, objects: 0, groupsTotal: groups.length };
    return { ...counts, groups: groups.slice(0, size), ...whole };
  }
  const values = views.map((view) => valueAt(view, by));
  const groups = [...scalarsOf(views, by)].map((text): Group => {
    const members = views.filter((_, i) => JSON.stringify(values[i]) === text);
    return { key: JSON.parse(text) as Scalar, ...measure(members) };
  });
  return {
    total,
    missing: values.filter((value) => value === undefined || value === null).length,
    arrays: values.filter((value) => Array.isArray(value)).length,
    objects: values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
      .length,
    groupsTotal: groups.length,
    groups: groups.sort(by.root === 'lateness' ? compareSteps : compareGroups).slice(0, size),
    ...whole,
  };
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

/** Groups of lateness come by count, then from early to late. */
export function compareSteps(a: Group, b: Group): number {
  return b.count - a.count || STEPS.indexOf(a.key as string) - STEPS.indexOf(b.key as string);
}

/** The distinct scalars that a path holds, as JSON. */
function scalarsOf(views: readonly EventView[], path: GroupPath): Set<string> {
  const values = views.map((view) => valueAt(view, path));
  return new Set(
    values.filter((value) => value !== undefined && typeof value !== 'object').map((v) => JSON.stringify(v)),
  );
}

export function compareGroups(a: Group, b: Group): number {
  if (a.count !== b.count) return b.count - a.count;
  const rank = (key: Scalar) => ['boolean', 'number', 'string'].indexOf(typeof key);
  if (rank(a.key) !== rank(b.key)) return rank(a.key) - rank(b.key);
  if (typeof a.key === 'string') return compareCodePoints(a.key, b.key as string);
  return Number(a.key) - Number(b.key);
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
