import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  firstAgainst,
  intervalText,
  isAgainst,
  readInterval,
} from '../../../../adapters/dashboard/pages/time/against.ts';

const hour = (h: number) => Date.UTC(2026, 0, 1, h);
const shown = (from: number, until: number) => ({
  ...{ range: { from, until }, preset: undefined, zone: 'UTC', since: hour(48) },
});

it('a range of time is read as it is written, and nothing else is', () => {
  const ends = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(-Infinity, Infinity));
  fc.assert(
    fc.property(ends, ends, (from, until) => {
      const range = { from: Math.min(from, until), until: Math.max(from, until) };
      fc.pre(range.from < range.until && range.from !== Infinity && range.until !== -Infinity);
      expect(readInterval(intervalText(range))).toEqual(range);
    }),
  );
  for (const text of ['', 'x', '../../..', '2026-01-01/2026-01-02', '../2026-01-01', 'before/before'])
    expect(readInterval(text)).toBe(undefined);
  expect(['before', '../..', 'unmatched', 'after'].map(isAgainst)).toEqual([true, true, true, false]);
});

it('compares first with the range out of which one was chosen, then with the period before', () => {
  const outer = { from: hour(0), until: hour(24) };
  for (const isFiltered of [false, true]) {
    expect(firstAgainst(shown(hour(1), hour(2)), outer, isFiltered)).toBe(intervalText(outer));
    expect(firstAgainst(shown(hour(1), hour(2)), undefined, isFiltered)).toBe('before');
    expect(firstAgainst(shown(hour(1), Infinity), undefined, isFiltered)).toBe('../..');
  }
  const all = shown(-Infinity, Infinity);
  expect([true, false].map((isFiltered) => firstAgainst(all, undefined, isFiltered))).toEqual([
    'unmatched',
    undefined,
  ]);
});
