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
