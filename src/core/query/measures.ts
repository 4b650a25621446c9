import { invalid } from '../base/errors.ts';
import { quote } from '../event/text.ts';
import { toIsoInstant } from '../event/time.ts';
import { parsePath, type FilterPath } from '../filter/path.ts';
import { toNumber, type ExactDecimal } from './decimal.ts';

/** How many paths are measured at most. */
export const MEASURES_MAX = 5;
/** How many figures are taken of a path at most. */
export const FIGURES_MAX = 10;

/** The name of a figure: `p95` is the least number that at least 95 % of the numbers do not exceed. */
export type FigureName = 'sum' | 'avg' | 'min' | 'max' | `p${number}`;

/** What to take of the numbers at a path. */
export interface MeasureBody {
  /** A path below `properties`; `eventTs` and `receivedAt` take `min` and `max` only. */
  readonly of: string;
  /** 1 to 10 figures: `sum`, `avg`, `min`, `max`, and percentiles from `p0` to `p100`, such as `p99.9`. */
  readonly take: readonly FigureName[];
}

/** A figure of some numbers: their sum, their average, or the number at a rank. */
export interface Figure {
  /** What the answer calls it. */
  readonly name: FigureName;
  /** Its rank in thousandths of a percent: 0 of the least number, 100,000 of the greatest. */
  readonly kind: 'sum' | 'avg' | number;
}

/** What to take of the numbers at a path; parsed. */
export interface AskedMeasure {
  /** Where the numbers are. */
  readonly of: FilterPath;
  /** In the order of the answer. */
  readonly take: readonly Figure[];
}

/** The figures of some events at a path. What is taken of no number is null, but for a sum, which is 0. */
export interface MeasuredNumbers {
  /** How many events have a number there; absent for instants. */
  readonly numbers?: number;
  /** How many have a string, a boolean, an array or an object there; absent for instants. */
  readonly others?: number;
  /** The exact sum of the numbers as they are written, rounded once; null if no number is as large. */
  readonly sum?: number | null;
  /** That sum by how many numbers there are, rounded once. */
  readonly avg?: number | null;
  /** The least. */
  readonly min?: number | string | null;
  /** The greatest. */
  readonly max?: number | string | null;
  /** The percentiles by nearest rank. */
  readonly [percentile: `p${number}`]: number | null;
}

/** What was found of some events at a path. */
export interface FoundNumbers {
  /** How many events have a number there. */
  readonly numbers: number;
  /** How many have a string, a boolean, an array or an object there. */
  readonly others: number;
  /** The exact sum; undefined if no figure takes it. */
  readonly sum: ExactDecimal | undefined;
  /** The number at a rank; it is asked only if there are numbers. */
  readonly at: (rank: number) => number;
}

/** The rank of the greatest number, in thousandths of a percent. */
export const RANK_MAX = 100_000;

/** What `of` takes, for error messages. */
export const OF_WORDS = 'a path below properties, eventTs or receivedAt';
/** What `take` takes, for error messages. */
export const FIGURE_WORDS = 'sum, avg, min, max, or a percentile from p0 to p100 such as p95 or p99.9';

/** What `percentiles` takes, for error messages. */
export const PERCENTILE_WORDS = 'a percentile from p0 to p100, such as p50 or p99.9';

/** The place of a rank among so many ascending numbers, from 1. Whole numbers make it exact. */
export function placeOf(rank: number, numbers: number): number {
  return Math.max(1, Math.ceil((rank * numbers) / RANK_MAX));
}

/** Whether a figure is neither the sum nor an end of the numbers, so that they have to be in order. */
export function isBetween({ kind }: Figure): boolean {
  return typeof kind === 'number' && kind > 0 && kind < RANK_MAX;
}

/** Whether figures are taken that need the sum. */
export function takesSum({ take }: AskedMeasure): boolean {
  return take.some(({ kind }) => typeof kind !== 'number');
}

/** Whether instants are measured. */
function isOfInstants({ of }: AskedMeasure): boolean {
  return of.root !== 'properties';
}

/** Parses measures. Throws ApiError (400) for a path or a figure that is none. */
export function parseMeasures(measures: readonly MeasureBody[]): readonly AskedMeasure[] {
  return measures.map(({ of, take }, i) => parseMeasure(of, take, `measures[${i}]`));
}

function parseMeasure(text: string, names: readonly string[], where: string): AskedMeasure {
  const isInstant = text === 'eventTs' || text === 'receivedAt';
  if (!isInstant && !text.startsWith('properties.')) {
    const meant = quote(`properties.${text}`);
    throw invalid(`${where}.of`, `takes ${OF_WORDS}; got ${quote(text)}; did you mean ${meant}?`);
  }
  const take = names.map((name, i) => parseFigure(name, `${where}.take[${i}]`));
  take.forEach(({ name, kind }, i) => {
    const at = `${where}.take[${i}]`;
    if (isInstant && name !== 'min' && name !== 'max')
      throw invalid(at, `${text} takes min and max only, got ${quote(name)}`);
    refuseRepeat(names, i, at, 'figure');
    if (typeof kind === 'number' && kind > RANK_MAX)
      throw invalid(at, `takes ${FIGURE_WORDS}, got ${quote(name)}`);
  });
  return { of: parsePath(text, `${where}.of`), take };
}

/** Throws ApiError (400) if a text of a list is there before; `what` says what the list is of. */
export function refuseRepeat(texts: readonly string[], i: number, where: string, what: string): void {
  const text = texts[i]!;
  if (texts.indexOf(text) !== i) throw invalid(where, `takes each ${what} once, got ${quote(text)} again`);
}

const PERCENTILE = /^p(0|[1-9]\d{0,2})(?:\.(\d{1,3}))?$/;

function parseFigure(name: string, where: string): Figure {
  if (name === 'sum' || name === 'avg') return { name, kind: name };
  if (name === 'min') return { name, kind: 0 };
  if (name === 'max') return { name, kind: RANK_MAX };
  const rank = rankOf(name);
  if (rank === undefined) throw invalid(where, `takes ${FIGURE_WORDS}, got ${quote(name)}`);
  return { name: name as FigureName, kind: rank };
}

/** Parses the name of a percentile to its rank. Throws ApiError (400). */
export function parsePercentile(
  name: string,
  where: string,
): { readonly name: FigureName; readonly rank: number } {
  const rank = rankOf(name);
  if (rank === undefined || rank > RANK_MAX)
    throw invalid(where, `takes ${PERCENTILE_WORDS}, got ${quote(name)}`);
  return { name: name as FigureName, rank };
}

/** The rank that the name of a percentile means, in thousandths of a percent; undefined for another name. */
function rankOf(name: string): number | undefined {
  const [, whole, thousandths = ''] = PERCENTILE.exec(name) ?? [];
  return whole === undefined ? undefined : Number(whole) * 1000 + Number(thousandths.padEnd(3, '0'));
}

/** Writes the figures of what was found. */
export function toMeasured(measure: AskedMeasure, found: FoundNumbers): MeasuredNumbers {
  const figures = measure.take.map(({ name, kind }) => [name, figureOf(kind, found)] as const);
  if (!isOfInstants(measure))
    return {
      numbers: found.numbers,
      others: found.others,
      ...Object.fromEntries(figures),
    };
  const textOf = (instant: number | null) => (instant === null ? null : toIsoInstant(instant));
  return Object.fromEntries(figures.map(([name, instant]) => [name, textOf(instant)])) as MeasuredNumbers;
}

function figureOf(kind: Figure['kind'], { numbers, sum, at }: FoundNumbers): number | null {
  if (typeof kind === 'number') return numbers === 0 ? null : at(kind);
  if (kind === 'sum') return numbers === 0 ? 0 : (toNumber(sum!) ?? null);
  return numbers === 0 ? null : (toNumber(sum!, numbers) ?? null);
}

/** The figures of no events. */
export function measuredOfNone(measures: readonly AskedMeasure[]): readonly MeasuredNumbers[] {
  const none = { numbers: 0, others: 0, sum: undefined, at: () => 0 };
  return measures.map((measure) => toMeasured(measure, none));
}
