/** The units of epoch numbers, by the first number that is too large for one. */
const UNITS = [
  { below: 1e10, name: 'seconds', perMs: 1e-3 },
  { below: 1e13, name: 'milliseconds', perMs: 1 },
  { below: 1e16, name: 'microseconds', perMs: 1e3 },
] as const;

/** An instant, and the unit in which its number counts. */
export interface EpochInstant {
  /** Epoch milliseconds; fractions of one are dropped. */
  readonly ms: number;
  readonly unit: (typeof UNITS)[number]['name'];
}

const EPOCH_PATTERN = /^-?\d{1,16}(\.\d{1,9})?$/;

/** Whether a text is a number since 1970. */
export function isEpochText(text: string): boolean {
  return EPOCH_PATTERN.test(text);
}

/**
 * Reads a number since 1970, or its digits, whose unit its size says: below 10^10 it counts seconds, below
 * 10^13 milliseconds, below 10^16 microseconds. Undefined for a larger one.
 */
export function readEpoch(value: number | string): EpochInstant | undefined {
  const digits = typeof value === 'number' ? toDigits(value) : value;
  const size = Math.abs(Number(digits));
  const unit = UNITS.find(({ below }) => size < below);
  if (unit === undefined) return undefined;
  // The digits are exact where the product of a double would not be.
  const [whole = '', fraction = ''] = digits.split('.');
  const ms =
    unit.perMs === 1e-3
      ? Number(`${whole}${fraction.padEnd(3, '0').slice(0, 3)}`)
      : Math.floor(Number(whole) / unit.perMs);
  return { ms, unit: unit.name };
}

/** The digits of a number, which are few enough to need no exponent. */
function toDigits(value: number): string {
  return Number.isInteger(value) ? value.toFixed(0) : String(value);
}
