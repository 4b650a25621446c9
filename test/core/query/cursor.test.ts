import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCursor } from '../../../src/core/query/cursor.ts';
import type { CountBody } from '../../../src/index.ts';
import { parseQueryBody, toCursor } from '../../../src/internal.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { bodies } from '../../conformance/arbitraries/queries.ts';

const positions = fc.record({
  eventTs: fc.integer({ min: 0, max: 4_102_444_799_999 }),
  insertId: fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 128,
  }),
});
const message = 'pagination.cursor: takes the X-Next-Cursor of the page before, unchanged';

describe('cursors', () => {
  it('read as they were written, with their query only', () => {
    fc.assert(
      fc.property(bodies([]), bodies([]), positions, (body, other, position) => {
        const query = parseCountBody(body);
        const cursor = toCursor(query, position);
        expect(parseCursor(cursor, query, 'pagination.cursor')).toEqual(position);
        expect(cursor).toMatch(/^[\x21-\x7e]+$/);
        const page = parseQueryBody({ ...body, pagination: { cursor, size: 5 } }).page;
        expect(page).toEqual({ offset: 0, size: 5, after: position });
        if (JSON.stringify(query) !== JSON.stringify(parseCountBody(other))) {
          expect(() => parseCursor(cursor, parseCountBody(other), 'c')).toThrow(
            'c: belongs to another query',
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each<[CountBody, CountBody]>([
    [{}, { event: 'a' }],
    [{ event: 'a' }, { event: 'b' }],
    [{ after: '2024-01-01' }, { before: '2024-01-01' }],
    [{ after: '2024-01-01' }, { after: '2024-01-02' }],
    [
      { filterSet: [{ property: 'properties.a', comparison: 'EQUALS', value: 1 }] },
      { filterSet: [{ property: 'properties.a', comparison: 'EQUALS', value: '1' }] },
    ],
    [
      { filterSet: [{ property: 'properties.a.b', comparison: 'EQUALS', value: 1 }] },
      { filterSet: [{ property: 'properties.a\\.b', comparison: 'EQUALS', value: 1 }] },
    ],
  ])('that of %j is not one of %j', (body, other) => {
    const cursor = toCursor(parseCountBody(body), { eventTs: 5, insertId: 'a' });
    expect(() => parseQueryBody({ ...other, pagination: { cursor } })).toThrow(
      'pagination.cursor: belongs to another query; send it with the event, dates and filters',
    );
    expect(parseQueryBody({ ...body, pagination: { cursor } }).page.after).toEqual({
      eventTs: 5,
      insertId: 'a',
    });
  });

  it('another size may continue', () => {
    const cursor = toCursor(parseCountBody({}), { eventTs: 5, insertId: 'a' });
    expect(parseQueryBody({ pagination: { cursor, size: 7 } }).page.size).toBe(7);
  });

  const good = toCursor(parseCountBody({}), { eventTs: 5, insertId: 'a' });
  it.each([
    ...[
      '',
      ' ',
      '1',
      '1...',
      'null',
      `${good} `,
      ` ${good}`,
      `${good}\n`,
      good.toUpperCase().replace('1.', '2.'),
    ],
    ...[good.replace('.5.', '.-5.'), good.replace('.5.', '.5e3.'), good.replace('.5.', '.12345678901234.')],
    ...[
      good.slice(0, -1),
      `${good}%`,
      `${good}%0`,
      `${good}%00`,
      `${good}%C3%A9`,
      `${good}%ED%A0%80`,
      `${good}é`,
    ],
    ...[good + 'a'.repeat(128), 'x'.repeat(100_000)],
  ])('%j is none', (cursor) => {
    expect(() => parseQueryBody({ pagination: { cursor } })).toThrow(message);
  });
});
