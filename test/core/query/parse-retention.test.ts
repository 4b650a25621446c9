import { expect, it } from 'vitest';
import { parseRetentionBody } from '../../../src/core/query/parse-retention.ts';

const AB = [{ event: 'a' }, { event: 'b' }];

it.each([
  [{ unit: 'day' }, 'steps: takes an array of two steps {"event", "filterSet"}: the start, and the return'],
  [{ steps: [{}], unit: 'day' }, 'steps: takes an array of two steps'],
  [{ steps: AB }, 'unit: takes one of: day, week, month, got nothing'],
  [{ steps: AB, unit: 'hour' }, 'unit: takes one of: day, week, month, got the string "hour"'],
  [{ steps: AB, unit: 'day', periods: 0 }, 'periods: takes a whole number from 1 to 100'],
  [{ steps: AB, unit: 'day', periods: 101 }, 'periods: takes a whole number from 1 to 100'],
  [{ steps: AB, unit: 'day', periodsFrom: 'monday' }, 'periodsFrom: takes calendar or start'],
  [{ steps: AB, unit: 'month', periodsFrom: 'start' }, 'periodsFrom: months have no length of their own'],
  [{ steps: [{}, { event: 'b\u0000' }], unit: 'day' }, 'steps[1].event: must be well-formed Unicode'],
])('a retention is refused with what would be right: %#', (body, message) => {
  expect(() => parseRetentionBody(body)).toThrow(message);
});

it('who started in the range may return at any time after it', () => {
  const { query, range, periods, periodsFrom } = parseRetentionBody({
    ...{ steps: AB, unit: 'week', from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
  });
  const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  expect({ query, range, periods, periodsFrom }).toMatchObject({
    query: { from, until: Infinity },
    range: { from, until },
    periods: 8,
    periodsFrom: 'calendar',
  });
});
