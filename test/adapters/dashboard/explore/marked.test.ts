import { describe, expect, it } from 'vitest';
import { flagsOf } from '../../../../adapters/dashboard/pages/explore/mark-flags.ts';
import { marksWithin, namedOf, pathOfMarks } from '../../../../adapters/dashboard/pages/explore/marked.ts';
import type { Mark } from '../../../../src/index.ts';
import { at } from '../time/zones.ts';

const hours = ['09', '10', '11', '12', '13'].map((hour) => at(`2026-05-18T${hour}:00Z`));
const range = { from: at('2026-05-18T09:30Z'), until: at('2026-05-18T13:00Z') };
const markAt = (time: string): Mark => ({
  ...{ id: time, tenantId: 't', name: time, url: null },
  time: new Date(at(`2026-05-18T${time}Z`)).toISOString(),
});
const flagsAt = (width: number, ...times: readonly string[]) =>
  flagsOf({ edges: hours, range }, times.map(markAt), width).map(({ lines, marks }) => [
    lines,
    marks.map(({ name }) => name),
  ]);

describe('the flags of marks', () => {
  it('stand at their times between the edges of the bars', () => {
    expect(flagsAt(400, '09:45', '11:30', '12:59:59.999')).toEqual([
      [[75], ['09:45']],
      [[250], ['11:30']],
      [[expect.closeTo(400, 3)], ['12:59:59.999']],
    ]);
  });

  it('are none of what is not shown', () => {
    expect(flagsAt(400, '08:59', '09:29:59.999', '13:00')).toEqual([]);
    expect(flagsOf({ edges: [0], range }, [markAt('10:00')], 400)).toEqual([]);
  });

  it('are one for a bar, with one line, and one for lines that are near each other', () => {
    expect(flagsAt(400, '10:00', '10:00', '10:59')).toEqual([[[100], ['10:00', '10:00', '10:59']]]);
    expect(flagsAt(400, '10:59', '11:00', '11:59', '12:00')).toEqual([
      [
        [expect.closeTo(198.3, 1), 200],
        ['10:59', '11:00', '11:59'],
      ],
      [[300], ['12:00']],
    ]);
    expect(flagsAt(40, '10:00', '11:00', '12:00', '12:30')).toEqual([
      [
        [10, 20, 30],
        ['10:00', '11:00', '12:00', '12:30'],
      ],
    ]);
  });
});

it('marks are asked for within the ends of a range, and those that are open are left out', () => {
  expect(pathOfMarks('shop', { from: -Infinity, until: Infinity })).toBe('marks/shop');
  expect(pathOfMarks('shop', { from: -Infinity, until: range.until })).toBe(
    'marks/shop?until=2026-05-18T13%3A00%3A00.000Z',
  );
  expect(pathOfMarks('shop', range)).toBe(
    'marks/shop?from=2026-05-18T09%3A30%3A00.000Z&until=2026-05-18T13%3A00%3A00.000Z',
  );
});

it('marks within a range are from its beginning until its end, which is not in it', () => {
  const marks = ['09:00', '09:30', '12:59', '13:00'].map(markAt);
  expect(marksWithin(marks, range)).toEqual(marks.slice(1, 3));
});

it('at most five marks are named, and the others counted', () => {
  const marks = ['1', '2', '3', '4', '5', '6', '7'].map((minute) => markAt(`10:0${minute}`));
  expect(namedOf(marks.slice(0, 5))).toEqual({ named: marks.slice(0, 5), more: undefined });
  expect(namedOf(marks)).toEqual({ named: marks.slice(0, 5), more: 'and 2 more' });
});
