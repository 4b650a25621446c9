import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPropertyTable } from '../../../src/core/columns/properties/property-table.ts';
import { exactJson } from '../../../src/core/event/exact-json.ts';
import { isAskable, parsePath, pathText } from '../../../src/core/filter/path.ts';
import { createCsv, parseCell } from '../../../src/core/table/csv.ts';
import { withoutGuard } from '../../../src/core/table/csv-line.ts';
import { toFlatTable } from '../../../src/core/table/flat-table.ts';
import type { JsonObject, JsonValue } from '../../../src/index.ts';
import { toEventView, type StoredEvent } from '../../../src/store-kit.ts';
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
  const { head, lineOf } = createCsv(propertiesOf(events), 'csv');
  return head + events.map(lineOf).join('');
}

const rowsOf = (csv: string): string[][] => parse(csv);

/** The cells of each row, and whether each stood in quotes. */
const quotedRowsOf = (csv: string): [string, boolean][][] =>
  parse(csv, { cast: (text, { quoting }) => [text, quoting] as unknown }) as unknown as [string, boolean][][];

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

  it('objects without keys, and keys that no filter can name, have columns too', () => {
    const events = [
      eventOf({ a: { b: 1 } }),
      eventOf({ a: {}, '': 2 }),
      eventOf({ a: { '': 3, b: 4, ['k'.repeat(1024)]: null } }),
    ];
    const [head, ...rows] = rowsOf(csvOf(events)).map((row) => row.slice(5));
    expect(head).toEqual(['properties', 'properties.a', 'properties.a.b']);
    expect(rows).toEqual([
      ['', '', '1'],
      ['{"":2}', '{}', ''],
      ['', `{"":3,"${'k'.repeat(1024)}":null}`, '4'],
    ]);
  });

  it('all columns together hold all of an event but its nulls', () => {
    fc.assert(
      fc.property(fc.array(storedEvents, { minLength: 1, maxLength: 6 }), (events) => {
        const { columns, valuesOf } = toFlatTable(propertiesOf(events), 'csv');
        for (const view of events.map(toEventView)) {
          const found: JsonObject = {};
          for (const [i, value] of valuesOf(view).entries()) {
            const { path } = columns[i]!;
            if (value === undefined || !path.startsWith('properties')) continue;
            put(found, path === 'properties' ? [] : segmentsOf(path), value);
          }
          expect(found).toEqual(withoutNulls(view.properties));
        }
      }),
    );
  });

  it('walks an event once, however many columns lie below a path', () => {
    const deep = { a: { b: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i])) } };
    const { columns, valuesOf } = toFlatTable(propertiesOf([eventOf(deep)]), 'csv');
    let looks = 0;
    const watched = (value: JsonObject): JsonObject =>
      new Proxy(value, {
        get: (target, key: string) => {
          looks += 1;
          const found = target[key];
          return typeof found === 'object' ? watched(found as JsonObject) : found;
        },
      });
    const view = toEventView(eventOf(deep));
    const values = valuesOf({ ...view, properties: watched(view.properties) });
    expect([columns.length, values.at(-1)]).toEqual([55, 9]);
    expect(looks).toBe(52);
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
    for (const cell of [rows[1]![1]!, rows[1]!.at(-1)!]) {
      expect(cell.replace("\t'=", '\t=')).toBe(`'${text}`);
      expect(withoutGuard(cell)).toBe(text);
    }
  });

  /** The cells of a text for a program that knows no quotes within a cell, and cuts at a character. */
  const cutAt = (csv: string, separator: string) =>
    csv.split(/\r\n|\n|\r/).flatMap((line) => line.split(separator));

  it.each([',', ';', '\t'])(
    'none that cuts at %j instead calculates, and the text comes back',
    (separator) => {
      const pieces = fc.constantFrom(
        '=1',
        '-1',
        '@',
        "'",
        '"',
        ' ',
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        '\\',
        'a',
        '\uff1d',
      );
      const texts = fc.array(pieces, { maxLength: 8 }).map((all) => all.join(''));
      fc.assert(
        fc.property(texts, texts, (text, member) => {
          const events = [eventOf({ a: text, b: [member] }, { userId: `u${text}` })];
          for (const own of [',', ';', '\t'] as const) {
            const { head, lineOf } = createCsv(propertiesOf(events), 'csv', { separator: own });
            const csv = head + lineOf(events[0]!);
            // A cell of its own that begins with a number is one; what is in its quotes is not looked at
            // here.
            if (own !== separator) {
              const begun = cutAt(csv, separator).filter((cell) =>
                /^[\s"]*[=+@\uff1d\uff0b\uff20]|^[\s"]*-\D/.test(cell),
              );
              expect(begun).toEqual([]);
            }
            const [, row] = parse(csv, { delimiter: own });
            expect(withoutGuard(row![1]!)).toBe(`u${text}`);
            expect(parseCell(row!.at(-2)!, true)).toEqual(text);
            expect(parseCell(row!.at(-1)!, true)).toEqual([member]);
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it('reads each character once, whatever stands between separators', () => {
    const text = '\t'.repeat(200_000) + ';'.repeat(200_000) + ' '.repeat(200_000);
    const [event] = [eventOf({ a: text, b: [text] })];
    const { lineOf } = createCsv(propertiesOf([event]), 'csv');
    expect(lineOf(event).length).toBeGreaterThan(text.length);
  });

  it('may begin with a byte order mark', () => {
    const { head } = createCsv(propertiesOf([]), 'csv', { hasBom: true, separator: ';' });
    expect(head).toBe('\ufeffeventName;userId;eventTs;eventDate;insertId\r\n');
  });

  it.each(['a=1', "'", "'a", '1-1', ' a'])('%j stays as it is, and so does a number', (text) => {
    const rows = rowsOf(csvOf([eventOf({ a: text, b: -1.5 })]));
    expect(rows[1]!.slice(-2)).toEqual([text, '-1.5']);
  });

  it('a text that reads as a number, true or false stands in quotes, unlike the value', () => {
    const texts = ['5', '-5', '1e+21', '0.5', 'true', 'false', '05', '1.', 'null', 'True', ''];
    const line = csvOf([eventOf(Object.fromEntries(texts.map((text, i) => [`k${10 + i}`, text])))]);
    expect(line.split('\r\n')[1]).toMatch(/,1,"5",'-5,"1e\+21","0.5","true","false",05,1.,null,True,""$/);
    expect(csvOf([eventOf({ a: -5, b: true })])).toMatch(/,1,-5,true\r\n$/);
  });

  it('gives every value again by its text and its quotes', () => {
    const isLikeJson = (value: unknown) => typeof value === 'string' && /^[[{]/.test(value);
    fc.assert(
      fc.property(fc.array(storedEvents, { minLength: 1, maxLength: 6 }), (events) => {
        const { valuesOf } = toFlatTable(propertiesOf(events), 'csv');
        const [, ...rows] = quotedRowsOf(csvOf(events));
        events.forEach((event, i) => {
          const values = valuesOf(toEventView(event));
          const found = rows[i]!.map(([text, isQuoted]) => parseCell(text, isQuoted));
          values.forEach((value, column) => {
            if (column >= 5 && !isLikeJson(value)) expect(found[column]).toEqual(value);
          });
        });
      }),
    );
  });

  it('read by a library of CSV gives every value again', () => {
    fc.assert(
      fc.property(fc.array(storedEvents, { minLength: 1, maxLength: 6 }), (events) => {
        const { columns, valuesOf } = toFlatTable(propertiesOf(events), 'csv');
        const [head, ...rows] = rowsOf(csvOf(events));
        expect(head).toEqual(columns.map(({ path }) => path));
        expect(rows).toHaveLength(events.length);
        events.forEach((event, i) => {
          const expected = valuesOf(toEventView(event)).map((value) => {
            if (value === undefined) return '';
            return typeof value === 'string' ? value : exactJson(JSON.stringify(value));
          });
          expect(rows[i]!.map(withoutGuard)).toEqual(expected);
        });
      }),
    );
  });
});

const segmentsOf = (path: string) => parsePath(path, 'path').segments;

/** Puts a value where it belongs: an object beside what is there already. */
function put(into: JsonObject, [key, ...below]: readonly string[], value: JsonValue): void {
  if (key === undefined) return void Object.assign(into, value);
  if (below.length === 0 && (typeof value !== 'object' || Array.isArray(value)))
    return define(into, key, value);
  if (!Object.hasOwn(into, key)) define(into, key, {});
  put(into[key] as JsonObject, below, value);
}

/** An own key, whatever its name is. */
function define(into: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Without the nulls that have a column, and without the objects that held nothing else. */
function withoutNulls(object: JsonObject, above: readonly string[] = []): JsonObject {
  const place = { path: pathText({ root: 'properties', segments: above }), segments: above };
  const left: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (!isAskable(place, key)) define(left, key, value);
    else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      const below = withoutNulls(value, [...above, key]);
      if (Object.keys(below).length > 0 || Object.keys(value).length === 0) define(left, key, below);
    } else if (value !== null) define(left, key, value);
  }
  return left;
}
