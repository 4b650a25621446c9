import { expect, it } from 'vitest';
import { divideBySame } from '../../../src/core/sequences/by-same.ts';

it('a long stream is divided in turns, and events without a value are left out', async () => {
  const length = 40_000;
  const stream = {
    key: 'only',
    instants: Float64Array.from({ length }, (_, i) => i),
    bits: new Uint32Array(length).fill(1),
    same: Float64Array.from({ length }, (_, i) => (i % 4) - 1),
  };
  let pauses = 0;
  const pacer = { now: () => 0, yieldIfDue: () => void (pauses += 1) };
  const divided = [...(await divideBySame(stream, pacer))];
  expect(divided.map(({ places }) => [places.length, places[0], places.at(-1)])).toEqual([
    [10_000, 1, length - 3],
    [10_000, 2, length - 2],
    [10_000, 3, length - 1],
  ]);
  expect(pauses).toBe(4);
});
