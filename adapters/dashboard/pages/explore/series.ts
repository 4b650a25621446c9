import type { Breakdown, BreakdownBody } from '../../../../src/index.ts';
import { addsUp, askedFor, figureIn, type MaybeFigure, type Measure } from '../address/measure.ts';
import { AnswerError } from '../server/answer-error.ts';
import { periodBefore } from '../time/asked.ts';
import { endOf } from '../time/bounds.ts';
import { LENGTHS, unitsFor, type TimeRange, type Unit } from '../time/unit.ts';
import { byClock, isFiltered, type AskedQuestion } from './asked-question.ts';

/** A part of each bar: the events with one value, or those with none of the values shown. */
export interface BarPart {
  /** The value; undefined for the rest. */
  readonly value: string | number | boolean | undefined;
  readonly figures: readonly MaybeFigure[];
  /** The figure of all its events together. */
  readonly whole: MaybeFigure;
}

/** Events over time. */
export interface EventSeries {
  readonly unit: Unit;
  /** The zone of the buckets. */
  readonly zone: string;
  /** What is told of each bucket. */
  readonly measure: Measure;
  /** The first instants of the buckets, and the first instant after the last one. */
  readonly edges: readonly number[];
  /** How many events there are. */
  readonly events: number;
  /** The figure of each bucket. */
  readonly totals: readonly MaybeFigure[];
  /** The figure of all of them together. */
  readonly whole: MaybeFigure;
  /** The path whose values the parts are; undefined if the bars are not broken down. */
  readonly by: string | undefined;
  /** The parts of the bars; one if they are not broken down. */
  readonly parts: readonly BarPart[];
  /** The period before, if it is compared. */
  readonly before: Before | undefined;
  /** The range and the instant of the question. */
  readonly range: TimeRange;
  readonly since: number;
  /** Whether the question leaves out events of its range. */
  readonly isFiltered: boolean;
}

/** The period before: its figures, one for each bucket. */
export interface Before {
  /** Null for a bucket of which nothing is told. */
  readonly figures: readonly MaybeFigure[];
  readonly whole: MaybeFigure;
  readonly range: TimeRange;
}

/** How the events are shown over time. */
export interface SeriesOptions {
  /** The unit that the address names. */
  readonly unit: Unit | undefined;
  /** The path whose values are the parts of the bars. */
  readonly by: string | undefined;
  readonly measure: Measure;
  readonly compares: boolean;
}

/** The question of a chart. */
export type ChartQuestion = BreakdownBody & { readonly by: NonNullable<BreakdownBody['by']> };
/** Asks for a breakdown. */
export type AskBreakdown = (body: ChartQuestion) => Promise<Breakdown>;

/** A range of at most this many days is shown in hours. */
const FEW_DAYS = 3;
/** How many values are parts of the bars. */
export const PARTS_MAX = 5;
/** The most buckets of one answer. */
const BUCKETS_MAX = 2000;
/** How many buckets a range may have beyond its length: those at its ends are not whole. */
const ENDS = 3;

/**
 * Loads events over time by one question, and by one more for the period before. If the address names no
 * unit, it picks one that gives a few dozen buckets; of an open range, the answer by days says whether
 * another one is better.
 */
export async function loadSeries(
  asked: AskedQuestion,
  options: SeriesOptions,
  ask: AskBreakdown,
): Promise<EventSeries> {
  const [frame, before] = await Promise.all([
    frameOf(asked, options, ask),
    // Of an open range, there is none.
    options.compares ? beforeOf(asked, options, ask) : undefined,
  ]);
  const { edges, unit } = frame;
  return {
    ...{ ...frame, zone: asked.zone, measure: options.measure, range: asked.range, since: asked.since },
    ...{ by: options.by, isFiltered: isFiltered(asked.body) },
    before:
      before && edges.length > 1 ? inBars(before, { unit, edges, measure: options.measure }) : undefined,
  };
}

/** The question that a chart asks first; undefined if its range is empty. */
export function firstQuestion(asked: AskedQuestion, options: SeriesOptions): ChartQuestion | undefined {
  return isEmpty(asked.range) ? undefined : questionOf(asked, options, unitOf(asked.range, options.unit));
}

/** Whether the answer alone says where the events of a range begin or end. */
const isOpen = ({ from, until }: TimeRange) => !Number.isFinite(from) || !Number.isFinite(until);
const isEmpty = ({ from, until }: TimeRange) => until <= from;

/** The unit by which a range is asked for. */
function unitOf(range: TimeRange, said: Unit | undefined): Unit {
  if (said !== undefined) return said;
  if (isOpen(range)) return 'day';
  const fits = (unit: Unit) => (range.until - range.from) / LENGTHS[unit] + ENDS <= BUCKETS_MAX;
  return unitsFor(range).find((unit) => unit !== 'week' && fits(unit)) ?? 'month';
}

/** The question for buckets of a unit, and with a path for its most frequent values in each. */
function questionOf(
  asked: Pick<AskedQuestion, 'body' | 'range' | 'zone'>,
  { by, measure }: Pick<SeriesOptions, 'by' | 'measure'>,
  unit: Unit,
): ChartQuestion {
  return {
    ...byClock(asked),
    ...askedFor(measure),
    ...(by === undefined ? { by: unit } : { by: [by, unit], size: PARTS_MAX }),
  };
}

/** What an answer says of the buckets. */
type Frame = Pick<EventSeries, 'unit' | 'edges' | 'events' | 'totals' | 'whole' | 'parts'>;

async function frameOf(asked: AskedQuestion, options: SeriesOptions, ask: AskBreakdown): Promise<Frame> {
  const { range, zone } = asked;
  const { measure } = options;
  const unit = unitOf(range, options.unit);
  if (isEmpty(range)) return toFrame(NOTHING, { unit, zone, measure });
  const framed = async (by: Unit) =>
    toFrame(await askWith(asked, options, by, ask), { unit: by, zone, measure });
  if (options.unit !== undefined || !isOpen(range)) return framed(unit);
  try {
    const found = await framed(unit);
    return found.totals.length > 0 && found.totals.length <= FEW_DAYS ? await framed('hour') : found;
  } catch (error) {
    // There may be too many buckets for one answer.
    refused(error);
    return framed('month');
  }
}

const NOTHING: Breakdown = { total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal: 0, groups: [] };

/** Asks by the path; without it if it cannot be broken down, and the groups say why. */
async function askWith(asked: AskedQuestion, options: SeriesOptions, unit: Unit, ask: AskBreakdown) {
  try {
    return await ask(questionOf(asked, options, unit));
  } catch (error) {
    if (options.by === undefined) throw error;
    refused(error);
    return ask(questionOf(asked, { ...options, by: undefined }, unit));
  }
}

/** Throws an error that is not the refusal of a question. */
function refused(error: unknown): undefined {
  if (!(error instanceof AnswerError && error.status === 400)) throw error;
}

/** The bars of an answer, and their parts if it has rows. */
function toFrame(
  answer: Breakdown,
  { unit, zone, measure }: Pick<EventSeries, 'unit' | 'zone' | 'measure'>,
): Frame {
  const { columns, total } = answer;
  const buckets = columns ?? answer.groups;
  const starts = buckets.map(({ key }) => Date.parse(String(key)));
  const totals = buckets.map((each) => figureIn(each, measure));
  const whole = figureIn({ ...answer, count: total }, measure);
  const rows = columns === undefined ? [] : answer.groups.map((row) => ({ ...row, value: row.key }));
  const rest = answer.rest === undefined || answer.rest.count === 0 ? [] : [answer.rest];
  const parts: readonly BarPart[] =
    rows.length === 0
      ? [{ value: undefined, figures: totals, whole }]
      : [...rows, ...rest.map((row) => ({ ...row, value: undefined }))].map(
          ({ value, cells = [], ...row }) => ({
            ...{ value, whole: figureIn(row, measure) },
            figures: cells.map((cell) => figureIn(cell, measure)),
          }),
        );
  const last = starts.at(-1);
  const edges = last === undefined ? [0] : [...starts, endOf(unit, zone, last)];
  return { unit, edges, events: total, totals, whole, parts };
}

/** The answer about the period before, and where its bars would begin. */
interface AnswerBefore {
  readonly answer: Breakdown;
  readonly by: Unit;
  readonly range: TimeRange;
  readonly earlier: (instant: number) => number;
}

/**
 * Asks about the period before. Its weeks and months need not be as far from each other as those shown, so
 * events are asked for by days, of which each lies in one of these.
 */
async function beforeOf(
  asked: AskedQuestion,
  { unit: said, measure }: SeriesOptions,
  ask: AskBreakdown,
): Promise<AnswerBefore | undefined> {
  const { range } = asked;
  const found = periodBefore(asked);
  if (found === undefined || isEmpty(found.range)) return undefined;
  const unit = unitOf(range, said);
  const by = isCoarse(unit) && measure.take === 'events' ? 'day' : unit;
  try {
    const answer = await ask(questionOf({ ...asked, range: found.range }, { by: undefined, measure }, by));
    return { answer, by, ...found };
  } catch (error) {
    return refused(error);
  }
}

const isCoarse = (unit: Unit) => unit === 'week' || unit === 'month';

/** The figures of the period before by the bars. Each of its buckets lies where its middle does. */
function inBars(
  { answer, by, range, earlier }: AnswerBefore,
  { unit, edges, measure }: Pick<EventSeries, 'unit' | 'edges' | 'measure'>,
): Before {
  const starts = edges.slice(0, -1).map(earlier);
  const isSum = measure.take === 'events';
  const figures = starts.map((): MaybeFigure => (isSum ? 0 : null));
  const whole = figureIn({ ...answer, count: answer.total }, measure);
  // Only events of parts of a week or a month can be put together.
  if (isCoarse(unit) && !isSum) return { figures, whole, range };
  let at = 0;
  for (const bucket of answer.groups) {
    const middle = Date.parse(String(bucket.key)) + LENGTHS[by] / 2;
    while (at < starts.length - 1 && middle >= starts[at + 1]!) at += 1;
    const figure = figureIn(bucket, measure);
    figures[at] = isSum ? (figures[at] ?? 0) + (figure ?? 0) : figure;
  }
  return { figures, whole, range };
}

/** Whether the bars are broken down: one value that all events have is a part too. */
export const isBroken = (parts: readonly BarPart[]): boolean =>
  parts.some(({ value }) => value !== undefined);

/** Whether the parts of the bars stand on each other. */
export const isStacked = ({ measure, parts }: EventSeries): boolean =>
  parts.length === 1 ||
  (addsUp(measure) && parts.every(({ figures }) => figures.every((each) => (each ?? 0) >= 0)));
