import type { AskedMeasure } from '../../src/core/query/measures.ts';
import type { MeasuredNumbers } from '../../src/index.ts';

/** No number has a digit behind this place. */
const PLACES = 400n;
const ONE = 10n ** PLACES;

/**
 * The figures of what some events have at a path, by the definition: numbers are added as they are written,
 * as whole numbers of a tiny unit, and the runtime's own reader rounds the digits of the result.
 */
export function measuredOf(values: readonly unknown[], { of, take }: AskedMeasure): MeasuredNumbers {
  if (of.root !== 'properties') return instantsOf(values as (string | undefined)[], take);
  const numbers: number[] = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const others = values.filter((value) => value !== undefined && value !== null).length - numbers.length;
  const count = BigInt(numbers.length);
  const sum = numbers.reduce((total, number) => total + unitsOf(number), 0n);
  const figures = take.map(({ name, kind }): [string, number | null] => {
    if (kind === 'sum') return [name, read(sum, 1n)];
    if (numbers.length === 0) return [name, null];
    if (kind === 'avg') return [name, read(sum, count)];
    const [whole, rest] = [(BigInt(kind) * count) / 100_000n, (BigInt(kind) * count) % 100_000n];
    const place = Number(rest === 0n ? whole : whole + 1n);
    return [name, numbers[Math.max(place, 1) - 1]!];
  });
  return { numbers: numbers.length, others, ...(Object.fromEntries(figures) as MeasuredNumbers) };
}

function instantsOf(texts: readonly (string | undefined)[], take: AskedMeasure['take']): MeasuredNumbers {
  const instants = texts.filter((text) => text !== undefined).sort();
  return Object.fromEntries(
    take.map(({ name }) => [name, (name === 'min' ? instants[0] : instants.at(-1)) ?? null]),
  ) as MeasuredNumbers;
}

/** A number as a whole number of units. */
function unitsOf(number: number): bigint {
  const [digits = '', power = '0'] = number.toExponential().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction) * 10n ** (PLACES + BigInt(power) - BigInt(fraction.length));
}

/** A ratio of units as the runtime reads its digits; a last digit stands for all that are left out. */
function read(units: bigint, divisor: bigint): number | null {
  const scaled = units * ONE;
  const digits = `${scaled / divisor}${scaled % divisor === 0n ? '0' : '1'}`;
  const number = Number(`${digits}e-${PLACES * 2n + 1n}`) + 0;
  return Number.isFinite(number) ? number : null;
}
