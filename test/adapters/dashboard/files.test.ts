import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { toColumns } from '../../../adapters/dashboard/pages/explore/columns-csv.ts';
import { fileName, fileWord } from '../../../adapters/dashboard/pages/explore/file-name.ts';
import { toGroupsCsv } from '../../../adapters/dashboard/pages/explore/groups-csv.ts';
import { shareText } from '../../../adapters/dashboard/pages/parts/figure.ts';

const rowsOf = (csv: string): string[][] => parse(csv);

/** What the columns make of a file that arrives in pieces of so many bytes. */
async function columnsOf(paths: readonly string[], file: string, size = 7): Promise<string> {
  const bytes = new TextEncoder().encode(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  );
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(stream.pipeThrough(toColumns(paths))).text();
}

const eventOf = (insertId: string, properties: object) => ({
  ...{
    eventName: 'a',
    userId: 'ada',
    eventTs: '2026-05-18T00:00:00.000Z',
    insertId,
    properties,
  },
});
const linesOf = (...events: readonly object[]) =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('events with chosen columns', () => {
  it('are lines with these columns, in their order, however the file is cut', async () => {
    const file = linesOf(
      eventOf('1', { plan: 'größe 🎈', 'a.b\\': { c: 1 }, list: [1, 'x'] }),
      eventOf('2', { plan: null, 'a.b\\': 2 }),
    );
    const paths = [
      'insertId',
      'properties.a\\.b\\\\.c',
      'properties.plan',
      'properties.list',
      'properties.a\\.b\\\\',
    ];
    for (const size of [1, 3, 64, 4096]) {
      expect(rowsOf(await columnsOf(paths, file, size))).toEqual([
        paths,
        ['1', '1', 'größe 🎈', '[1,"x"]', '{"c":1}'],
        ['2', '', '', '', '2'],
      ]);
    }
  });

  it('tell the types of properties apart, and hold no formula', async () => {
    const file = linesOf(...[5, '5', true, 'true', '=1+1', '', 'a"b'].map((v) => eventOf('7', { v })));
    expect(await columnsOf(['insertId', 'properties.v'], file)).toBe(
      ['insertId,properties.v', '7,5', '7,"5"', '7,true', '7,"true"', `7,'=1+1`, '7,""', '7,"a""b"', ''].join(
        '\r\n',
      ),
    );
  });

  it('have no value where an object of the language has one', async () => {
    const file = linesOf(eventOf('1', { own: 1 }));
    expect(await columnsOf(['properties.constructor', 'toString', 'properties.own.x'], file)).toContain(
      '\r\n,,\r\n',
    );
  });

  it('are refused if the file ends within a line', async () => {
    const file = linesOf(eventOf('1', {}), eventOf('2', {}));
    await expect(columnsOf(['insertId'], file.slice(0, -9))).rejects.toThrow();
  });
});

describe('groups', () => {
  const none = { missing: 0, arrays: 0, objects: 0 };

  it('are one line each, with the type of the value, and one for each kind of events without', () => {
    const groups = [
      { key: 5, count: 7, distinct: 3 },
      { key: '5', count: 4, distinct: 2 },
      { key: true, count: 4, distinct: 1 },
      { key: '', count: 2, distinct: 1 },
      { key: '=cmd', count: 1, distinct: 1 },
    ];
    const answer = {
      total: 30,
      groupsTotal: 9,
      groups,
      distinct: 8,
      missing: 5,
      arrays: 2,
      objects: 0,
    };
    const csv = toGroupsCsv({ ...answer, property: 'properties.value' });
    expect(csv.split('\r\n')).toEqual([
      'properties.value,type,events,distinct users',
      '5,number,7,3',
      '"5",text,4,2',
      'true,boolean,4,1',
      '"",text,2,1',
      "'=cmd,text,1,1",
      ',missing or null,5,',
      ',list,2,',
      '',
    ]);
  });

  it('none of them are a head alone', () => {
    const csv = toGroupsCsv({
      ...none,
      total: 0,
      groupsTotal: 0,
      groups: [],
      property: 'userId',
    });
    expect(rowsOf(csv)).toEqual([['userId', 'type', 'events', 'distinct users']]);
  });
});

describe('the name of a file', () => {
  const since = Date.parse('2026-05-31T12:34:56.789Z');
  const at = (text: string) => Date.parse(text);
  const all = { from: -Infinity, until: Infinity };
  const days = { from: at('2026-05-01'), until: at('2026-06-01') };

  it.each([
    ['shop_all-time', { range: all, preset: 'all', since }, false],
    ['shop_all-time_filtered', { range: all, preset: undefined, since }, true],
    ['shop_24h-until-2026-05-31T123456Z', { range: all, preset: '24h', since }, false],
    ['shop_2026-05-01-to-2026-05-31', { range: days, preset: undefined, since }, false],
    ['shop_from-2026-05-01', { range: { ...days, until: Infinity }, preset: undefined, since }, false],
    ['shop_until-2026-05-31', { range: { ...days, from: -Infinity }, preset: undefined, since }, false],
    ['shop_2026-05-31', { range: { ...days, from: at('2026-05-31') }, preset: undefined, since }, false],
    [
      'shop_2026-05-31T1000Z-to-2026-05-31T1130Z_filtered',
      {
        range: {
          from: at('2026-05-31T10:00Z'),
          until: at('2026-05-31T11:30Z'),
        },
        preset: undefined,
        since,
      },
      true,
    ],
  ] as const)('%s', (name, asked, isFiltered) => {
    expect(fileName('shop', asked, isFiltered)).toBe(name);
  });

  it('has no sign of a path that a file cannot have', () => {
    expect(fileWord('properties.a/b\\.c:"d"*')).toBe('properties.a-b-.c-d-');
    expect(fileWord('x'.repeat(500))).toHaveLength(80);
  });
});

describe('a share', () => {
  it.each([
    [0, 10, '0%'],
    [10, 10, '100%'],
    [1, 8, '12.5%'],
    [1, 1_000_000, '<0.1%'],
    [999_999, 1_000_000, '>99.9%'],
    [1, 3, '33.3%'],
    [0, 0, '0%'],
  ])('of %d in %d is %s', (count, total, text) => {
    expect(shareText(count, total)).toBe(text);
  });
});
