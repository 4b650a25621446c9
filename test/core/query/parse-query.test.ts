import { describe, expect, it } from 'vitest';
import { parseCountBody, parseQueryBody } from '../../../src/index.ts';

const DAY_MS = 86_400_000;
const all = { kind: 'all', of: [] };

describe('parseQueryBody', () => {
  it('an empty body restricts nothing and asks for the first 100', () => {
    expect(parseQueryBody({})).toEqual({
      query: { from: -Infinity, until: Infinity, condition: all },
      page: { offset: 0, size: 100 },
    });
    expect(parseQueryBody({ filterSet: [], pagination: {} })).toEqual(parseQueryBody({}));
  });

  it('days are whole and both inclusive, each works alone', () => {
    const day = Date.UTC(2024, 1, 29);
    expect(parseCountBody({ after: '2024-02-29' })).toMatchObject({ from: day, until: Infinity });
    expect(parseCountBody({ before: '2024-02-29' })).toMatchObject({ from: -Infinity, until: day + DAY_MS });
    expect(parseCountBody({ after: '2024-02-29', before: '2024-02-29' })).toMatchObject({
      from: day,
      until: day + DAY_MS,
    });
    const reversed = parseCountBody({ after: '2024-03-01', before: '2024-02-28' });
    expect(reversed.from).toBeGreaterThan(reversed.until);
  });

  it('an event name is one more condition', () => {
    const named = {
      kind: 'test',
      path: { root: 'eventName', segments: [] },
      operator: 'EQUALS',
      operand: 'a',
    };
    expect(parseCountBody({ event: 'a' }).condition).toEqual({ kind: 'all', of: [named, all] });
  });

  it('the page is as asked', () => {
    expect(parseQueryBody({ pagination: { offset: 7, size: 3 } }).page).toEqual({ offset: 7, size: 3 });
    expect(parseQueryBody({ pagination: { offset: 7 } }).page).toEqual({ offset: 7, size: 100 });
  });
});
