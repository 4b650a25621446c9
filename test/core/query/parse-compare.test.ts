import { expect, it } from 'vitest';
import { parseCompareBody } from '../../../src/core/query/parse-compare.ts';

const selected = { event: 'a' };

it.each([
  [{}, 'selected: takes an object that selects the events to compare'],
  [{ selected: [] }, 'selected: takes an object that selects the events to compare'],
  [{ selected: { timeZone: 'UTC' } }, 'selected: unknown key "timeZone"'],
  [{ selected: { from: '2026-01-01' } }, 'selected.from: takes a date-time with an offset'],
  [{ selected: { from: '2026-01-01' } }, 'a whole day is for selected.after'],
  [{ selected: { until: 'now' } }, 'selected.until: takes a date-time with an offset'],
  [{ selected: { after: '2026-02-30' } }, 'Invalid date format. Use YYYY-MM-DD format.'],
  [{ selected: { event: 'a\u0000' } }, 'selected.event: must be well-formed Unicode'],
  [
    { selected: { filterSet: [{ property: 'n', comparison: 'EQUALS', value: 1 }] } },
    'selected.filterSet[0].property: unknown property path "n"',
  ],
  [{ selected, paths: [] }, 'paths: takes an array of 1 to 50 property paths'],
  [
    { selected, paths: Array.from({ length: 51 }, (_, i) => `properties.p${i}`) },
    'paths: takes an array of 1 to 50 property paths',
  ],
  [{ selected, paths: ['n'] }, 'paths[0]: unknown property path "n"'],
  [{ selected, paths: ['lateness'] }, 'paths[0]: unknown property path "lateness"'],
  [{ selected, paths: ['userId', 'userId'] }, 'paths[1]: takes each path once'],
  [
    { selected, paths: ['userId', 'insertId'] },
    'paths[1]: takes a path at which many events have the same value, not insertId',
  ],
  [{ selected, paths: ['eventTs'] }, 'paths[0]: takes a path at which many events have the same value'],
  [{ selected, size: 0 }, 'size: takes a whole number from 1 to 100'],
  [{ selected, size: 101 }, 'size: takes a whole number from 1 to 100'],
])('a question about what differs is refused with what would be right: %#', (body, message) => {
  expect(() => parseCompareBody(body)).toThrow(message);
});

it('filters of the body and of the selected events count together', () => {
  const filters = (length: number) =>
    Array.from({ length }, () => ({ property: 'userId', comparison: 'EQUALS', value: 'u' }));
  const bodyOf = (more: number) => ({ filterSet: filters(60), selected: { filterSet: filters(more) } });
  expect(() => parseCompareBody(bodyOf(40))).not.toThrow();
  expect(() => parseCompareBody(bodyOf(41))).toThrow('at most 100');
});

it('a range within another leaves the time before and behind it as the baseline', () => {
  const asked = parseCompareBody({
    ...{ from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
    selected: { from: '2026-01-01T10:00:00Z', until: '2026-01-01T11:00:00Z' },
  });
  const at = (hours: number) => Date.UTC(2026, 0, 1, hours);
  const all = { kind: 'all', of: [] };
  expect(asked.selected).toEqual({ from: at(10), until: at(11), condition: all });
  const ranges = [
    { from: at(0), until: at(10) },
    { from: at(11), until: at(24) },
  ];
  expect(asked.baseline).toMatchObject({ from: at(0), until: at(24) });
  expect(JSON.stringify(asked.baseline.condition)).toContain(JSON.stringify({ kind: 'during', ranges }));
  expect([asked.paths, asked.event, asked.size]).toEqual([undefined, undefined, 20]);
});

it('days of the selected events are those of the zone of the body', () => {
  const day = { after: '2026-07-01', before: '2026-07-01' };
  const { selected: asked } = parseCompareBody({ timeZone: 'Europe/Berlin', selected: day });
  expect([asked.from, asked.until]).toEqual([Date.UTC(2026, 5, 30, 22), Date.UTC(2026, 6, 1, 22)]);
});
