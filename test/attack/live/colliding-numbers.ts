/** The inverse of an odd number modulo 2^32, by Newton's steps. */
function invert(odd: number): number {
  let inverse = odd;
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

/** Undoes `x ^= x >>> shift`. */
function unshift(mixed: number, shift: number): number {
  let value = mixed;
  for (let known = shift; known < 32; known += shift) value = mixed ^ (value >>> shift);
  return value;
}

/**
 * Whole numbers that a hash table of V8 puts into the same place: its hash of a small integer has no secret,
 * and can be undone step by step. What is inserted n-th then takes n steps.
 */
export function collidingNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    // Tables look at the lowest bits of the hash, so only the others differ.
    let value = Math.imul(i + 1, 1 << 16);
    value = unshift(value, 16);
    value = Math.imul(value, invert(2057));
    value = unshift(value, 4);
    value = Math.imul(value, invert(5));
    value = unshift(value, 12);
    return Math.imul(value + 1, invert(32_767)) | 0;
  });
}

const MASK = (1n << 64n) - 1n;

/** The inverse of an odd number modulo 2^64. */
function invert64(odd: bigint): bigint {
  let inverse = odd;
  for (let i = 0; i < 6; i++) inverse = (inverse * (2n - odd * inverse)) & MASK;
  return inverse;
}

function unshift64(mixed: bigint, shift: bigint): bigint {
  let value = mixed;
  for (let known = shift; known < 64n; known += shift) value = mixed ^ (value >> shift);
  return value;
}

/** Doubles of which V8 makes the very same hash: its hash of 64 bits has no secret either. */
export function collidingDoubles(count: number): number[] {
  const [of65, of21, of18] = [invert64(65n), invert64(21n), invert64((1n << 18n) - 1n)];
  const view = new DataView(new ArrayBuffer(8));
  const doubles: number[] = [];
  for (let i = 1n; doubles.length < count; i++) {
    // The hash is the lowest 30 bits, so that only the others differ.
    let bits = unshift64(i << 30n, 22n);
    bits = unshift64((bits * of65) & MASK, 11n);
    bits = unshift64((bits * of21) & MASK, 31n);
    view.setBigUint64(0, ((bits + 1n) * of18) & MASK);
    const double = view.getFloat64(0);
    if (Number.isFinite(double) && !Number.isInteger(double)) doubles.push(double);
  }
  return doubles;
}
