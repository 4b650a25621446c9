import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPropertyTable } from '../../../src/core/columns/properties/property-table.ts';
import { createCsv } from '../../../src/core/table/csv.ts';
import { toFlatColumns } from '../../../src/core/table/flat-columns.ts';
import { toEventView, type StoredEvent } from '../../../src/index.ts';
import { storedEvents } from '../../conformance/arbitraries/events.ts';

const eventOf = (properties: object, more: Partial<StoredEvent> = {}): StoredEvent => ({
  ...{ eventName: 'a', userId: 'u', eventTs: Date.UTC(2024, 4, 18), insertId: '1' },
  propertiesJson: JSON.stringify(properties),
  ...more,
});

function propertiesOf(events: readonly StoredEvent[]) {
  const table = createPropertyTable();
  events.forEach((event) => table.add(event));
  return table.answer(undefined);
}

/** The CSV of events, with their own columns. */
function csvOf(events: readonly StoredEvent[]): string {
  const { head, lineOf } = createCsv(propertiesOf(events));
  return head + events.map(lineOf).join('');
}

const rowsOf = (csv: string): string[][] => parse(csv);

describe('the CSV of events', () => {
  it('has a column for each field, then for each path that holds more than objects', () => {
    const events = [
      eventOf({ plan: 'pro', device: { type: 'phone' }, tags: ['a', 1] }),
      eventOf({ none: {} }),
    ];
    expect(csvOf(events)).toBe(
      'eventName,userId,eventTs,eventDate,insertId,' +
        'properties.device.type,properties.none,properties.plan,properties.tags\r\n' +
        'a,u,2024-05-18T00:00:00.000Z,2024-05-18,1,phone,,pro,"[""a"",1]"\r\n' +
        'a,u,2024-05-18T00:00:00.000Z,2024-05-18,1,,{},,\r\n',
    );
  });

  it('tells an empty text from nothing, and takes null for nothing', () => {
    const events = [eventOf({ a: '', b: null, c: 'null' })];
    expect(csvOf(events).split('\r\n')[1]).toMatch(/,1,"",,null$/);
  });

  it('a line end of any kind within a cell stands in quotes', () => {
    const cells = csvOf([eventOf({ a: 'b\rc', d: 'e\nf' })]).split('1,');
    expect(cells.at(-1)).toBe('"b\rc","e\nf"\r\n');
  });

  it('a path with both a value and keys has columns for both', () => {
    const events = [eventOf({ a: 1 }), eventOf({ a: { b: 2 } })];
    expect(
      csvOf(events)
        .replace(/.*insertId,/, '')
        .split('\r\n'),
    ).toEqual([
      'properties.a,properties.a.b',
      'a,u,2024-05-18T00:00:00.000Z,2024-05-18,1,1,',
      'a,u,2024-05-18T00:00:00.000Z,2024-05-18,1,,2',
      '',
    ]);
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@a',
    '\t=1',
    ' =1',
    "'=1",
    '\ta',
    '\ra',
    '\na',
    "'\ta",
    '\uff1d1',
    '=HYPERLINK("x")',
  ])('no spreadsheet calculates %j', (text) => {
    const rows = rowsOf(csvOf([eventOf({ a: text }, { userId: text })]));
    expect([rows[1]![1], rows[1]!.at(-1)]).toEqual([`'${text}`, `'${text}`]);
  });

  it.each(['a=1', "'", "'a", '1-1', ' a'])('%j stays as it is, and so does a number', (text) => {
    const rows = rowsOf(csvOf([eventOf({ a: text, b: -1.5 })]));
    expect(rows[1]!.slice(-2)).toEqual([text, '-1.5']);
  });

  it('read by a library of CSV gives every value again', () => {
    fc.assert(
      fc.property(fc.array(storedEvents, { minLength: 1, maxLength: 6 }), (events) => {
        const columns = toFlatColumns(propertiesOf(events));
        const [head, ...rows] = rowsOf(csvOf(events));
        expect(head).toEqual(columns.map(({ path }) => path));
        expect(rows).toHaveLength(events.length);
        events.forEach((event, i) => {
          const view = toEventView(event);
          const expected = columns.map(({ valueOf }) => {
            const value = valueOf(view);
            if (value === undefined) return '';
            return typeof value === 'string' ? value : JSON.stringify(value);
          });
          expect(rows[i]!.map(withoutGuard)).toEqual(expected);
        });
      }),
    );
  });
});

/** What the guard against formulas is said to be, from the reader's side. */
function withoutGuard(cell: string): string {
  return /^'([\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/.test(cell) ? cell.slice(1) : cell;
}
