import type { Breakdown, CountBody } from '../../../../src/index.ts';
import { AnswerError } from '../server/api.ts';
import { edgesOf, endOf, planOf, rangeBefore, regroup, type FillPlan } from '../time/buckets.ts';
import { unitsFor, type TimeRange, type Unit } from '../time/unit.ts';
import { UTC } from '../time/zone.ts';
import { hasNoneOf, hasValue } from './filter/comparisons.ts';
import { within, withoutRange, type AskedQuestion } from './time.ts';

/** A part of each bar: the events with one value, or those with none of the values shown. */
export interface BarPart {
  /** The value; undefined for the rest. */
  readonly value: string | number | boolean | undefined;
  readonly counts: readonly number[];
}

/** Events over time. */
export interface EventSeries {
  readonly unit: Unit;
  /** The zone of the buckets. */
  readonly zone: string;
  /** The first instants of the buckets, and the first instant after the last one. */
  readonly edges: readonly number[];
  /** The parts of the bars; one if they are not broken down. */
  readonly parts: readonly BarPart[];
  /** The period before, if it is compared. */
  readonly before: Before | undefined;
  /** The range and the instant of the question. */
  readonly range: TimeRange;
  readonly since: number;
}

/** The period before: its counts, one for each bucket. */
export interface Before {
  readonly counts: readonly number[];
  readonly range: TimeRange;
}

/** How the events are shown over time. */
export interface SeriesOptions {
  /** The unit that the address names. */
  readonly unit: Unit | undefined;
  /** The path whose values are the parts of the bars. */
  readonly by: string | undefined;
  readonly compares: boolean;
}

/** Asks for a breakdown. */
export type AskBreakdown = (
  body: CountBody & { readonly by: string; readonly size?: number },
) => Promise<Breakdown>;

/** A range of at most this many days is shown in hours. */
const FEW_DAYS = 3;
/** How many values are parts of the bars. */
const PARTS_MAX = 5;
/** How many questions of a chart are asked at once: a session may have sixteen. */
const AT_ONCE = 4;

/** Loads events over time. If the address names no unit, it picks one that gives a few dozen buckets. */
export async function loadSeries(
  asked: AskedQuestion,
  options: SeriesOptions,
  ask: AskBreakdown,
): Promise<EventSeries> {
  const limited = inTurn(ask);
  const frame = await frameOf(asked, options.unit, limited);
  const parts = await partsOf(asked.body, frame, options.by, limited);
  const { unit, zone, edges } = frame;
  return {
    ...{ unit, zone, edges, parts, range: asked.range, since: asked.since },
    before: options.compares ? await beforeOf(asked, frame, limited) : undefined,
  };
}

/** The question that a chart asks first; undefined if several follow from each other. */
export function firstQuestion(asked: AskedQuestion, { unit, by }: SeriesOptions) {
  if (by !== undefined || asked.zone !== UTC) return undefined;
  return { ...asked.body, by: unit ?? unitsFor(asked.range)[0]! };
}

/** The buckets, how to fill them, and the answer that fills them if it is known already. */
interface Frame {
  readonly unit: Unit;
  readonly zone: string;
  readonly edges: readonly number[];
  readonly plan: FillPlan;
  readonly groups?: Breakdown['groups'];
}

const EMPTY: Omit<Frame, 'unit' | 'zone'> = { edges: [0], plan: { by: 'day', parts: [] } };

async function frameOf(asked: AskedQuestion, said: Unit | undefined, ask: AskBreakdown): Promise<Frame> {
  const { body, range, zone } = asked;
  if (Number.isFinite(range.from) && Number.isFinite(range.until)) return frameWithin(range, zone, said);
  // The range is open, so the answer says where the events begin and end.
  const [unit, groups] = await groupsOfAll(body, said, ask);
  const starts = groups.map(({ key }) => Date.parse(String(key)));
  const [earliest, latest] = [starts[0], starts.at(-1)];
  if (earliest === undefined || latest === undefined) return { ...EMPTY, unit, zone };
  const extent = { from: earliest, until: endOf(unit, UTC, latest) };
  const isFew = said === undefined && unit === 'day' && groups.length <= FEW_DAYS;
  if (isFew || zone !== UTC) {
    const clipped = {
      from: Math.max(range.from, extent.from),
      until: Math.min(range.until, extent.until),
    };
    return frameWithin(clipped, zone, said ?? (isFew ? undefined : unit));
  }
  return { unit, zone, edges: [...starts, extent.until], groups, plan: { by: unit, parts: [extent] } };
}

/** All buckets in UTC from the first event to the last. */
async function groupsOfAll(body: CountBody, said: Unit | undefined, ask: AskBreakdown) {
  const by = async (unit: Unit) => [unit, (await ask({ ...body, by: unit })).groups] as const;
  try {
    return await by(said ?? 'day');
  } catch (error) {
    // Status 400: there are too many buckets for one answer.
    const isTooMany = said === undefined && error instanceof AnswerError && error.status === 400;
    if (!isTooMany) throw error;
    return by('month');
  }
}

/** The buckets of a range: of the zone, or of UTC if the zone's take too many answers. */
function frameWithin(range: TimeRange, zone: string, said: Unit | undefined): Frame {
  if (range.until <= range.from) return { ...EMPTY, unit: said ?? 'day', zone };
  const units = said === undefined ? unitsFor(range).filter((unit) => unit !== 'week') : [said];
  for (const unit of units) {
    for (const each of new Set([zone, UTC])) {
      const edges = edgesOf(unit, each, range);
      const plan = edges && planOf(edges, unit);
      if (edges !== undefined && plan !== undefined) return { unit, zone: each, edges, plan };
    }
  }
  throw new Error('This range has too many buckets. Choose a coarser unit.');
}

/** The number of events of a body in each bucket. */
async function fill(body: CountBody, { edges, plan }: Pick<Frame, 'edges' | 'plan'>, ask: AskBreakdown) {
  const [one, ...more] = plan.parts;
  if (one === undefined) return [];
  const parts = more.length === 0 ? [body] : plan.parts.map((part) => within(body, part));
  const answers = await Promise.all(parts.map((part) => ask({ ...part, by: plan.by })));
  return regroup(
    edges,
    answers.flatMap(({ groups }) => groups),
  );
}

async function partsOf(
  body: CountBody,
  frame: Frame,
  by: string | undefined,
  ask: AskBreakdown,
): Promise<readonly BarPart[]> {
  const values = by === undefined ? [] : await valuesOf(body, by, ask);
  if (by === undefined || values.length === 0) {
    const counts =
      frame.groups === undefined ? await fill(body, frame, ask) : regroup(frame.edges, frame.groups);
    return [{ value: undefined, counts }];
  }
  // The rest is asked for as well: a difference would be wrong if events arrive between two answers.
  const filters = [...values.map((value) => hasValue(by, value, false)), hasNoneOf(by, values)];
  const parts = await Promise.all(
    filters.map((filter) => fill({ ...body, filterSet: [...(body.filterSet ?? []), filter] }, frame, ask)),
  );
  return parts.map((counts, i) => ({ value: values[i], counts }));
}

/** The most frequent values at a path; none if the path cannot be broken down, which the groups report. */
async function valuesOf(body: CountBody, by: string, ask: AskBreakdown) {
  try {
    return (await ask({ ...body, by, size: PARTS_MAX })).groups.map(({ key }) => key);
  } catch (error) {
    if (error instanceof AnswerError && error.status === 400) return [];
    throw error;
  }
}

async function beforeOf(
  { body, range, preset, zone, since }: AskedQuestion,
  { unit, zone: shown, edges }: Frame,
  ask: AskBreakdown,
): Promise<Before | undefined> {
  // Today is compared with yesterday up to the same time.
  const whole = preset === 'today' ? { from: range.from, until: endOf('day', zone, range.from) } : range;
  const found = rangeBefore(whole, shown, since + 1);
  const moved = found && edges.map(found.earlier);
  const plan = moved && planOf(moved, unit);
  if (plan === undefined || edges.length < 2) return undefined;
  return {
    counts: await fill(within(withoutRange(body), found!.range), { edges: moved!, plan }, ask),
    range: found!.range,
  };
}

/** The sum of counts. */
export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

/** Asks a few questions at once; the others wait for their turn. */
function inTurn(ask: AskBreakdown): AskBreakdown {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (body) => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await ask(body);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
