/** Random numbers from a seed (mulberry32), so that a failure can be repeated. */
export interface Random {
  /** A number from 0 to 1, 1 not included. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** One of some values. */
  pick<T>(values: readonly T[]): T;
  /** Random bytes. */
  bytes(length: number): Buffer;
}

/** Makes a generator. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    below: (limit) => between(0, limit - 1),
    pick: (values) => values[between(0, values.length - 1)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, () => between(0, 255))),
  };
}
