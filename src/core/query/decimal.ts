/** A decimal without an end to its digits: `digits` times ten to the power of `exponent`. */
export interface ExactDecimal {
  /** Its digits, with its sign. */
  readonly digits: bigint;
  /** The power of ten that they are multiplied by. */
  readonly exponent: number;
}

/** Adds decimals exactly, in any order. */
export interface DecimalSum {
  /** Adds a number as it is written, so many times. */
  add(number: number, times: number): void;
  /** The exact sum of all that was added. */
  total(): ExactDecimal;
}

const WRITTEN = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** The decimal of a text such as `-12.50` or `1e+21`. */
export function decimalOf(text: string): ExactDecimal {
  const [, sign = '', whole = '0', fraction = '', power = '0'] = WRITTEN.exec(text) ?? [];
  return {
    digits: BigInt(sign + whole + fraction),
    exponent: Number(power) - fraction.length,
  };
}

/** The decimal of a number as it is written: the shortest that reads back as the same number. */
export function toDecimal(number: number): ExactDecimal {
  return decimalOf(String(number));
}

/** The exact sum of some decimals. */
export function sumOf(decimals: Iterable<ExactDecimal>): ExactDecimal {
  const parts = [...decimals];
  const exponent = parts.reduce((least, part) => Math.min(least, part.exponent), 0);
  const digits = parts.reduce((sum, part) => sum + part.digits * tenTo(part.exponent - exponent), 0n);
  return { digits, exponent };
}

/** Adds numbers one by one, by their texts: what a sum is. */
export function createDecimalSum(): DecimalSum {
  /** What was added, by exponent. */
  const parts = new Map<number, bigint>();
  return {
    add(number, times) {
      const { digits, exponent } = toDecimal(number);
      parts.set(exponent, (parts.get(exponent) ?? 0n) + digits * BigInt(times));
    },
    total: () => sumOf(Array.from(parts, ([exponent, digits]) => ({ digits, exponent }))),
  };
}

/**
 * The number nearest to a decimal that is divided by a whole number of 1 or more, rounded once, ties to even;
 * undefined if it is too large for a number.
 */
export function toNumber({ digits, exponent }: ExactDecimal, divisor = 1): number | undefined {
  const above = digits * tenTo(Math.max(0, exponent));
  const number = roundRatio(above < 0n ? -above : above, BigInt(divisor) * tenTo(Math.max(0, -exponent)));
  if (!Number.isFinite(number)) return undefined;
  return above < 0n && number !== 0 ? -number : number;
}

const tenTo = (power: number) => 10n ** BigInt(power);

/** How many bits the significand of a number has. */
const SIGNIFICAND_BITS = 53;
/** The last bit of the smallest number is two to this power, below zero. */
const LAST_BIT = 1074;

/** The number nearest to a ratio of 0 or more; infinity beyond the largest. */
function roundRatio(above: bigint, below: bigint): number {
  if (above === 0n) return 0;
  // Two bits more than a number has, so that the last one and the rest decide how the others are rounded.
  const wanted = SIGNIFICAND_BITS + 2 - (bitLength(above) - bitLength(below));
  const scale = Math.min(wanted, LAST_BIT + 2);
  const [scaled, unit] = scale >= 0 ? [above << BigInt(scale), below] : [above, below << BigInt(-scale)];
  const quotient = scaled / unit;
  const surplus = Math.max(bitLength(quotient) - SIGNIFICAND_BITS, scale - LAST_BIT);
  const rounded = roundBits(quotient, BigInt(surplus), scaled % unit !== 0n);
  return timesTwoTo(Number(rounded), surplus - scale);
}

/** A whole number without its last bits, of which there are one or more, rounded to even. */
function roundBits(whole: bigint, bits: bigint, hasRest: boolean): bigint {
  const half = 1n << (bits - 1n);
  const kept = whole >> bits;
  const last = whole & ((1n << bits) - 1n);
  const isUp = last > half || (last === half && (hasRest || (kept & 1n) === 1n));
  return isUp ? kept + 1n : kept;
}

const bitLength = (whole: bigint) => whole.toString(2).length;

/** Multiplies exactly in two steps, because the power itself may be out of range. */
function timesTwoTo(whole: number, power: number): number {
  const first = Math.max(-LAST_BIT + SIGNIFICAND_BITS, Math.min(power, LAST_BIT - SIGNIFICAND_BITS));
  return whole * 2 ** first * 2 ** (power - first);
}
