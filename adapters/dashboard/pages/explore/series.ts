import type { Breakdown, CountBody, Filter } from '../../../../src/index.ts';
import { AnswerError } from '../server/answer-error.ts';
import { edgesOf, endOf, planOf, rangeBefore, regroup, type FillPlan } from '../time/buckets.ts';
import { unitsFor, type TimeRange, type Unit } from '../time/unit.ts';
import { UTC } from '../time/zone.ts';
import { hasNoneOf, hasValue } from './filter/comparisons.ts';
import { within, withoutRange, type AskedQuestion } from './asked-question.ts';

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
export type AskBreakdown = (body: CountBody & { readonly by: string }) => Promise<Breakdown>;

/** How a chart gets its answers. */
export interface SeriesSources {
  readonly ask: AskBreakdown;
  /** Gives all buckets of an open range. */
  readonly all: () => Promise<AllBuckets>;
  /** Gives the groups by the path of the options. */
  readonly groups: () => Promise<Breakdown>;
}

/** A range of at most this many days is shown in hours. */
const FEW_DAYS = 3;
/** How many values are parts of the bars. */
const PARTS_MAX = 5;
const TOO_MANY = 'This range has too many buckets. Choose a coarser unit.';
/** How many questions of a chart are asked at once: a session may have sixteen. */
const AT_ONCE = 4;

/** Loads events over time. If the address names no unit, it picks one that gives a few dozen buckets. */
export async function loadSeries(
  asked: AskedQuestion,
  options: SeriesOptions,
  { ask, all, groups }: SeriesSources,
): Promise<EventSeries> {
  const limited = inTurn(ask);
  const [found, values] = await Promise.all([
    frameOf(asked, options.unit, all),
    // A path that cannot be broken down gives no parts, and the groups say why.
    options.by === undefined ? undefined : groups().catch(refused),
  ]);
  const { edges, parts } = await partsOf(asked.body, found, partsBy(options.by, values), limited);
  const { unit, zone } = found;
  return {
    ...{ unit, zone, edges, parts, range: asked.range, since: asked.since },
    before: options.compares ? await beforeOf(asked, { unit, zone, edges }, limited) : undefined,
  };
}

/** The question that a chart asks first; undefined if several follow from each other. */
export function firstQuestion(asked: AskedQuestion, { unit, by }: SeriesOptions) {
  if (!isOpen(asked.range) && (by !== undefined || asked.zone !== UTC)) return undefined;
  return { ...asked.body, by: unit ?? unitsFor(asked.range)[0]! };
}

/** Throws an error that is not the refusal of a question. */
function refused(error: unknown): undefined {
  if (!(error instanceof AnswerError && error.status === 400)) throw error;
}

/** Whether the answer alone says where the events of a range begin or end. */
const isOpen = ({ from, until }: TimeRange) => !Number.isFinite(from) || !Number.isFinite(until);

/** The buckets, how to fill them, and the answer that fills them if it is known already. */
interface Frame {
  readonly unit: Unit;
  readonly zone: string;
  readonly edges: readonly number[];
  readonly plan: FillPlan;
  readonly groups?: Breakdown['groups'];
}

const EMPTY: Omit<Frame, 'unit' | 'zone'> = { edges: [0], plan: { by: 'day', parts: [] } };

async function frameOf(
  { range, zone }: AskedQuestion,
  said: Unit | undefined,
  all: SeriesSources['all'],
): Promise<Frame> {
  if (!isOpen(range)) return frameWithin(range, zone, said);
  const { unit, groups } = await all();
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
export interface AllBuckets {
  readonly unit: Unit;
  readonly groups: Breakdown['groups'];
}

/** Asks for all buckets in UTC: by a unit, or by one that gives few enough of them. */
export async function groupsOfAll(
  body: CountBody,
  said: Unit | undefined,
  ask: AskBreakdown,
): Promise<AllBuckets> {
  const by = async (unit: Unit) => ({ unit, groups: (await ask({ ...body, by: unit })).groups });
  try {
    return await by(said ?? 'day');
  } catch (error) {
    // There may be too many buckets for one answer.
    if (said !== undefined) throw error;
    refused(error);
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
  throw new Error(TOO_MANY);
}

/** The buckets of a plan that have events of a body. */
async function bucketsOf(body: CountBody, { by, parts }: FillPlan, ask: AskBreakdown) {
  if (parts.length === 0) return [];
  const bodies = parts.length === 1 ? [body] : parts.map((part) => within(body, part));
  const answers = await Promise.all(bodies.map((each) => ask({ ...each, by })));
  return answers.flatMap(({ groups }) => groups.filter(({ count }) => count > 0));
}

/** A value whose events are a part of the bars, or `rest` for the events with none of the values. */
interface PartBy {
  readonly value: BarPart['value'];
  /** The filter for its events; undefined if it has none. */
  readonly filter: Filter | undefined;
}

/** The parts of the bars: the most frequent values, and the rest; none if the bars have no parts. */
function partsBy(by: string | undefined, answer: Breakdown | undefined): readonly PartBy[] {
  if (by === undefined || answer === undefined || answer.groups.length === 0) return [];
  const shown = answer.groups.slice(0, PARTS_MAX);
  const values = shown.map(({ key }) => key);
  const isAll = sumOf(shown.map(({ count }) => count)) === answer.total;
  return [
    ...values.map((value) => ({ value, filter: hasValue(by, value, false) })),
    { value: undefined, filter: isAll ? undefined : hasNoneOf(by, values) },
  ];
}

/** The body with one more filter; the body itself if it has this filter already. */
function withFilter(body: CountBody, filter: Filter): CountBody {
  const { filterSet = [] } = body;
  const text = JSON.stringify(filter);
  return filterSet.some((each) => JSON.stringify(each) === text)
    ? body
    : { ...body, filterSet: [...filterSet, filter] };
}

async function partsOf(body: CountBody, frame: Frame, by: readonly PartBy[], ask: AskBreakdown) {
  const bucketsIn = async (asked: CountBody) =>
    asked === body && frame.groups !== undefined ? frame.groups : bucketsOf(asked, frame.plan, ask);
  // Where the groups have all events, the rest is empty. If not, it is asked for as well: a difference
  // would be wrong if events arrive between two answers.
  const bucketsBy = async ({ filter }: PartBy) => (filter ? bucketsIn(withFilter(body, filter)) : []);
  const buckets = await Promise.all(by.length === 0 ? [bucketsIn(body)] : by.map(bucketsBy));
  const edges = edgesAround(frame, buckets);
  return {
    edges,
    parts: buckets.map((each, i) => ({ value: by[i]?.value, counts: regroup(edges, each) })),
  };
}

/** The edges of a frame, and those of buckets outside of it: events may have arrived since it is known. */
function edgesAround({ unit, zone, edges }: Frame, parts: readonly Breakdown['groups'][]): readonly number[] {
  // The buckets of a part ascend.
  const starts = parts
    .flatMap((buckets) => [...buckets.slice(0, 1), ...buckets.slice(-1)])
    .map(({ key }) => Date.parse(String(key)));
  const range = { from: Math.min(edges[0]!, ...starts), until: Math.max(edges.at(-1)! - 1, ...starts) + 1 };
  if (range.from === edges[0] && range.until === edges.at(-1)) return edges;
  const wider = edgesOf(unit, zone, range);
  if (wider === undefined) throw new Error(TOO_MANY);
  return wider;
}

async function beforeOf(
  { body, range, preset, zone, since }: AskedQuestion,
  { unit, zone: shown, edges }: Pick<Frame, 'unit' | 'zone' | 'edges'>,
  ask: AskBreakdown,
): Promise<Before | undefined> {
  // Today is compared with yesterday up to the same time.
  const whole = preset === 'today' ? { from: range.from, until: endOf('day', zone, range.from) } : range;
  const found = rangeBefore(whole, shown, since + 1);
  const moved = found && edges.map(found.earlier);
  const plan = moved && planOf(moved, unit);
  if (plan === undefined || edges.length < 2) return undefined;
  return {
    counts: regroup(moved!, await bucketsOf(within(withoutRange(body), found!.range), plan, ask)),
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
