import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTime, startOfBucket, TIME_UNITS, type TimeUnit } from '../../../src/core/event/time-unit.ts';

const at = (text: string) => Date.parse(text);

describe('a bucket begins', () => {
  it.each<[TimeUnit, string, string]>([
    ['minute', '2024-02-29T23:59:59.999Z', '2024-02-29T23:59:00.000Z'],
    ['hour', '2024-02-29T23:59:59.999Z', '2024-02-29T23:00:00.000Z'],
    ['day', '2024-02-29T23:59:59.999Z', '2024-02-29T00:00:00.000Z'],
    ['week', '2024-02-29T23:59:59.999Z', '2024-02-26T00:00:00.000Z'],
    ['week', '2024-03-03T23:59:59.999Z', '2024-02-26T00:00:00.000Z'],
    ['week', '2024-03-04T00:00:00.000Z', '2024-03-04T00:00:00.000Z'],
    ['week', '1970-01-01T00:00:00.000Z', '1969-12-29T00:00:00.000Z'],
    ['month', '2024-02-29T23:59:59.999Z', '2024-02-01T00:00:00.000Z'],
    ['month', '0001-01-31T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ])('%s of %s at %s', (unit, instant, start) => {
    expect(new Date(startOfBucket(unit, at(instant))).toISOString()).toBe(start);
  });
});

describe('time that is cut', () => {
  it('has every bucket, and ends with the last', () => {
    const texts = cutTime('month', at('2023-12-31T12:00:00Z'), at('2024-03-01T00:00:00Z'))?.map((start) =>
      new Date(start).toISOString().slice(0, 10),
    );
    expect(texts).toEqual(['2023-12-01', '2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01']);
  });

  it('has at most 2,000 buckets', () => {
    expect(cutTime('day', 0, 2000 * 86_400_000 - 1)).toHaveLength(2001);
    expect(cutTime('day', 0, 2000 * 86_400_000)).toBeUndefined();
  });

  it('leaves no instant out, and none twice', () => {
    const spans = fc.tuple(fc.nat({ max: 4e12 }), fc.nat({ max: 1e8 }), fc.constantFrom(...TIME_UNITS));
    fc.assert(
      fc.property(spans, ([first, length, unit]) => {
        const starts = cutTime(unit, first, first + length);
        if (starts === undefined) return;
        expect(starts[0]).toBeLessThanOrEqual(first);
        expect(starts.at(-1)).toBeGreaterThan(first + length);
        expect(starts.at(-2)).toBeLessThanOrEqual(first + length);
        starts.slice(0, -1).forEach((start, i) => {
          expect(startOfBucket(unit, start)).toBe(start);
          expect(startOfBucket(unit, starts[i + 1]! - 1)).toBe(start);
        });
      }),
    );
  });
});
