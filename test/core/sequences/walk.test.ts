import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { createWalk } from '../../../src/core/sequences/walk.ts';

const WALKED = {
  steps: 2,
  range: { from: -Infinity, until: Infinity },
  within: Infinity,
  isStrict: false,
  without: [],
};

/** Longer than what is looked at between two pauses. */
const EVENTS = 20_000;

it('a long stream is walked in turns, none of whose events is left out', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const walk = createWalk(WALKED, memory.reservation('tenant'));
  const instants = Float64Array.from({ length: EVENTS }, (_, i) => i);
  const bits = new Uint32Array(EVENTS);
  let pauses = 0;
  const pacer = { now: () => 0, yieldIfDue: () => void (pauses += 1) };
  // A turn begins a multiple of a power of two before the end; the two steps are around each such place.
  for (let begin = EVENTS - 512; begin > 0; begin -= 512)
    for (const [first, last] of [
      [begin - 1, begin],
      [begin, begin + 1],
    ] as const) {
      bits[first] = 1;
      bits[last] = 2;
      expect(await walk.run({ instants, bits }, pacer)).toBe(2);
      expect([...walk.places]).toEqual([first, last]);
      bits.fill(0);
    }
  expect(pauses).toBeGreaterThan(2 * (EVENTS / 512));
});

/** Lengths around each power of two up to twice what is looked at between two pauses. */
const LENGTHS = Array.from({ length: 15 }, (_, power) => [-1, 0, 1].map((more) => 2 ** power + more)).flat();

it('a stream of any length is walked to its first event', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const walk = createWalk(WALKED, memory.reservation('tenant'));
  const pacer = { now: () => 0, yieldIfDue: () => undefined };
  for (const length of LENGTHS.filter((each) => each > 1)) {
    const bits = new Uint32Array(length);
    [bits[0], bits[length - 1]] = [1, 2];
    const instants = Float64Array.from(bits, (_, i) => i);
    expect([length, await walk.run({ instants, bits }, pacer)]).toEqual([length, 2]);
    expect([...walk.places]).toEqual([0, length - 1]);
  }
});
