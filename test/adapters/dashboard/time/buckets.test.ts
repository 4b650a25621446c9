import { describe, expect, it } from 'vitest';
import {
  bucketText,
  partialOf,
  percentText,
  rangeOfBars,
} from '../../../../adapters/dashboard/pages/time/buckets.ts';
import { at } from './zones.ts';

const hours = ['09', '10', '11', '12'].map((hour) => at(`2026-05-18T${hour}:00Z`));
const buckets = (from: string, until: string, since: string) => ({
  ...{ unit: 'hour' as const, zone: 'UTC', edges: hours, since: at(since) },
  range: { from: at(from), until: at(until) },
});
const partialsOf = (...times: readonly [string, string, string]) =>
  [0, 1, 2].map((i) => partialOf(buckets(...times), i));

it.each([
  ['minute', 'Tue 2026-05-19 00:30'],
  ['hour', 'Tue 2026-05-19 00:30'],
  ['day', 'Tue 2026-05-19'],
  // Each week begins on a Monday, and a month on any day.
  ['week', '2026-05-19'],
  ['month', '2026-05-19'],
] as const)('a bucket of a %s is named %s in its zone', (unit, text) => {
  expect(bucketText({ unit, zone: 'Asia/Kolkata', edges: [at('2026-05-18T19:00Z')] }, 0)).toBe(text);
});

describe('why a bucket is not whole', () => {
  it('is none where all of it is asked for and over', () => {
    expect(partialsOf('2026-05-18T09:00Z', '2026-05-18T12:00Z', '2026-05-18T12:00Z')).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });

  it('says what is cut off, and what is not over', () => {
    expect(partialsOf('2026-05-18T09:20Z', '2026-05-18T11:40Z', '2026-05-18T13:00Z')).toEqual([
      ...['from 2026-05-18 09:20', undefined, 'until 2026-05-18 11:40'],
    ]);
    expect(partialsOf('2026-05-18T09:00Z', '2026-05-18T12:00Z', '2026-05-18T10:30Z')).toEqual([
      ...[undefined, 'not over yet', undefined],
    ]);
  });

  it('is that it is not over until the last millisecond of an hour, and no longer', () => {
    const [within, after] = ['2026-05-18T10:59:59.999Z', '2026-05-18T11:00:00.000Z'];
    expect(partialsOf('2026-05-18T09:00Z', '2026-05-18T12:00Z', within)[1]).toBe('not over yet');
    expect(partialsOf('2026-05-18T09:00Z', '2026-05-18T12:00Z', after)[1]).toBeUndefined();
  });
});

it('the range of bars is what they count, dragged either way', () => {
  const { edges, ...others } = buckets('2026-05-18T09:20Z', '2026-05-18T11:40Z', '2026-05-18T13:00Z');
  const of = (a: number, b: number) => rangeOfBars({ edges, ...others }, a, b);
  expect(of(0, 1)).toEqual({ from: at('2026-05-18T09:20Z'), until: at('2026-05-18T11:00Z') });
  expect(of(2, 1)).toEqual({ from: at('2026-05-18T10:00Z'), until: at('2026-05-18T11:40Z') });
});

it.each([
  [110, 100, '+10%'],
  [105, 100, '+5.0%'],
  [50, 100, '−50%'],
  [100, 100, '±0%'],
  [100_001, 100_000, '+<0.1%'],
  [5, 0, undefined],
])('%d against %d is %s', (count, before, text) => {
  expect(percentText(count, before)).toBe(text);
});
