import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import type { AskedAttempts } from '../../../src/core/query/sequence.ts';
import type { Stream } from '../../../src/core/query/streams.ts';
import { createAttempts } from '../../../src/core/sequences/attempts.ts';
import { casesOf } from '../../support/cases.ts';

/** How many random streams are walked. */
const STREAMS = 20_000;

/** Up to ten steps and three exclusions, of which an event may meet any. */
const attempts: fc.Arbitrary<AskedAttempts> = fc.nat({ max: 9 }).chain((more) => {
  const steps = more + 1;
  const exclusion = fc.record({
    after: fc.integer({ min: 1, max: Math.max(1, steps - 1) }),
    bit: fc.integer({ min: steps, max: steps + 2 }).map((place) => 2 ** place),
  });
  return fc.record({
    steps: fc.constant(steps),
    range: fc.record({ from: fc.constantFrom(-Infinity, 3), until: fc.constantFrom(Infinity, 12) }),
    within: fc.constantFrom(Infinity, 0, 1, 4),
    isStrict: fc.boolean(),
    without: steps === 1 ? fc.constant([]) : fc.array(exclusion, { maxLength: 3 }),
  });
});

/** Few instants and few bits at once, so that events share both. */
const streams: fc.Arbitrary<Stream> = fc
  .array(
    fc.record({
      instant: fc.nat({ max: 15 }),
      bits: fc.oneof(
        fc.nat({ max: 12 }).map((place) => 2 ** place),
        fc.nat({ max: 2 ** 13 - 1 }),
        fc.nat({ max: 7 }),
      ),
      same: fc.integer({ min: -1, max: 2 }),
    }),
    { maxLength: 14, size: 'max' },
  )
  .chain((events) => {
    const inOrder = events.toSorted((a, b) => a.instant - b.instant);
    const stream = {
      key: 'u',
      instants: inOrder.map(({ instant }) => instant),
      bits: inOrder.map(({ bits }) => bits),
    };
    return fc
      .boolean()
      .map((isApart) => (isApart ? { ...stream, same: inOrder.map(({ same }) => same) } : stream));
  });

/** The places of an attempt that begins at one event: each step takes the next event that matches it. */
function attemptFrom(start: number, { instants, bits, same }: Stream, asked: AskedAttempts): number[] {
  const places = [start];
  const isOther = (i: number) => same !== undefined && same[i] !== same[start];
  for (let i = start + 1; i < bits.length && places.length < asked.steps; i++) {
    if (isOther(i)) continue;
    if (instants[i]! > instants[start]! + asked.within) break;
    if ((bits[i]! & (2 ** places.length)) !== 0) places.push(i);
    else if (asked.isStrict) break;
    else if (asked.without.some(({ after, bit }) => after === places.length && (bits[i]! & bit) !== 0)) break;
  }
  return places;
}

/** The attempt that counts: of those that come furthest, the first; every beginning is tried. */
function definition(stream: Stream, asked: AskedAttempts): number[] {
  const { from, until } = asked.range;
  let best: number[] = [];
  for (let start = 0; start < stream.bits.length; start++) {
    const instant = stream.instants[start]!;
    if ((stream.bits[start]! & 1) === 0 || instant < from || instant >= until) continue;
    if (stream.same !== undefined && stream.same[start]! < 0) continue;
    const found = attemptFrom(start, stream, asked);
    if (found.length > best.length) best = found;
  }
  return best;
}

it('the walk of a stream finds the attempt that the definition says', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const pacer = { now: () => 0, yieldIfDue: () => undefined };
  let began = 0;
  await fc.assert(
    fc.asyncProperty(attempts, fc.array(streams, { minLength: 10, maxLength: 10 }), async (asked, all) => {
      const room = memory.reservation('tenant');
      const findBest = createAttempts(asked, room);
      for (const stream of all) {
        const { places, reached } = await findBest(stream, pacer);
        const expected = definition(stream, asked);
        expect([reached, Array.from(places).slice(0, reached)]).toEqual([expected.length, expected]);
        if (reached > 1) began += 1;
      }
      room.release();
    }),
    { numRuns: casesOf(STREAMS) },
  );
  expect(began).toBeGreaterThan(0);
});
