import type { AskedMeasure, Figure, MeasuredNumbers } from '../../src/index.ts';
import { decimalOf, isBetween, RANK_MAX, sumOf, takesSum, toMeasured } from '../../src/store-kit.ts';
import { RECEIVED_AT, type Bind, type TreeDialect } from './compile.ts';
import type { Row } from './property-levels.ts';

/** See `fractionOf`. */
const LESS = 1 - 2 ** -50;

/**
 * The fraction by which an engine finds the place of a rank: PostgreSQL rounds its product with the number of
 * numbers up, and ClickHouse counts from 0 and rounds it down. The product of doubles may be too large, as
 * that of 0.07 and 100 is. So the fraction is too small by more than the roundings, and by less than a step
 * from one place to the next for up to eight billion numbers.
 */
export const fractionOf = (rank: number): number => (rank / RANK_MAX) * LESS;

/** What is selected of each event for a measure, and what is taken of these columns in each group. */
export interface MeasureColumns {
  readonly ofEvents: readonly string[];
  readonly ofGroups: readonly string[];
}

/** The ranks between the least number and the greatest, in the order of the request. */
const ranksOf = ({ take }: AskedMeasure) => take.filter(isBetween).map(({ kind }) => kind as number);

/** Writes the columns of a measure; their names end with its place among the measures. */
export function writeMeasure(
  { numbers }: TreeDialect,
  measure: AskedMeasure,
  place: number,
  bind: Bind,
): MeasureColumns {
  const { root, segments } = measure.of;
  const [value, other] = [`value_${place}`, `other_${place}`];
  const ends = [`min(${value}) as least_${place}`, `max(${value}) as greatest_${place}`];
  if (root !== 'properties')
    return {
      ofEvents: [`${root === 'eventTs' ? 'ts' : RECEIVED_AT} as ${value}`],
      ofGroups: [`count(${value}) as numbers_${place}`, ...ends],
    };
  const fractions = ranksOf(measure).map(fractionOf);
  return {
    ofEvents: [
      `${numbers.numberAt(segments, bind)} as ${value}`,
      `case when ${numbers.isOther(segments, bind)} then 1 end as ${other}`,
    ],
    ofGroups: [
      ...[`count(${value}) as numbers_${place}`, `count(${other}) as others_${place}`, ...ends],
      ...(takesSum(measure) ? [`${numbers.decimalsOf(value)} as decimals_${place}`] : []),
      ...(fractions.length === 0 ? [] : [`${numbers.atFractions(value, fractions)} as ranked_${place}`]),
    ],
  };
}

/** Reads the figures of a measure; without a row those of no events. */
export function readMeasure(row: Row | undefined, measure: AskedMeasure, place: number): MeasuredNumbers {
  const read = (name: string) => row?.[`${name}_${place}`];
  const numbers = Number(read('numbers') ?? 0);
  const ranked = read('ranked') as readonly (string | number)[] | undefined;
  const reached = new Map(ranksOf(measure).map((rank, i) => [rank, Number(ranked?.[i])]));
  const isSummed = numbers > 0 && takesSum(measure);
  return toMeasured(measure, {
    ...{ numbers, others: Number(read('others') ?? 0) },
    sum: isSummed ? sumOf((read('decimals') as readonly string[]).map(decimalOf)) : undefined,
    at: (rank) => reached.get(rank) ?? Number(read(rank === 0 ? 'least' : 'greatest')),
  });
}

/**
 * An expression over the numbers of a measure in a group that is not less than a figure of them, and null
 * where the figure is. Where it is not the figure itself, it is little more.
 */
export function writeUpper({ numbers }: TreeDialect, { kind }: Figure, place: number): string {
  const value = `value_${place}`;
  if (kind === 0) return `min(${value})`;
  if (kind === RANK_MAX) return `max(${value})`;
  if (typeof kind === 'number') return numbers.atFraction(value, fractionOf(kind));
  return kind === 'sum' ? numbers.sumOf(value) : numbers.averageOf(value);
}
