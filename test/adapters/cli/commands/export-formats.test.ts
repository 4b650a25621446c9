import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const DAY = Date.UTC(2024, 4, 18);

const EVENTS = [
  { name: 'typed', properties: { text: 'ä"\n,', number: -1.5, flag: false, at: '2024-05-18', none: null } },
  { name: 'mixed', properties: { mixed: 'a', list: ['x', 1, null], deep: { a: { b: 1 } }, text: '=1+1' } },
  { name: 'mixed', properties: { mixed: 2, deep: { a: {} }, number: 1e300, text: '' } },
  { name: 'empty', properties: {} },
].map(({ name, properties }, i) => ({
  ...{ eventName: name, userId: `u${i % 2}`, eventTs: DAY + i, insertId: `id${i}`, properties },
}));

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import('shop', toNdjson(EVENTS));
});
afterAll(() => place.remove());

/** Exports a tenant as Parquet; returns the columns and rows of the file. */
async function parquetOf(alias: string, ...flags: string[]) {
  const file = join(place.folder, `${alias}.parquet`);
  await place.ok(['export', alias, '--format', 'parquet', '--out', file, ...flags]);
  const { buffer } = new Uint8Array(readFileSync(file));
  const { schema, row_groups: groups } = parquetMetadata(buffer);
  const columns = schema.slice(1).map((each) => [each.name, each.converted_type ?? each.type]);
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file: buffer });
  return { columns: Object.fromEntries(columns) as Record<string, string>, rows, groups };
}

describe('export --format csv', () => {
  it('is the same table as over HTTP, with the columns of the given event name', async () => {
    const rows: string[][] = parse(await place.ok(['export', 'shop', '--format', 'csv']));
    expect(rows[0]!.slice(5)).toEqual(
      ['at', 'deep.a', 'deep.a.b', 'flag', 'list', 'mixed', 'none', 'number', 'text'].map(
        (key) => `properties.${key}`,
      ),
    );
    expect(rows.slice(1).map((row) => row.slice(4))).toEqual([
      ['id3', '', '', '', '', '', '', '', '', ''],
      ['id2', '', '{}', '', '', '', '2', '', '1e+300', ''],
      ['id1', '', '', '1', '', '["x",1,null]', 'a', '', '', "'=1+1"],
      ['id0', '2024-05-18', '', '', 'false', '', '', '', '-1.5', 'ä"\n,'],
    ]);
    const some: string[][] = parse(await place.ok(['export', 'shop', '--format', 'csv', '--event', 'typed']));
    expect(some.map((row) => row.length)).toEqual([10, 10]);
  });

  it('writes times as spreadsheets read them where it is told so, and as ISO otherwise', async () => {
    const timesOf = async (...flags: string[]) => {
      const rows: string[][] = parse(await place.ok(['export', 'shop', '--format', 'csv', ...flags]));
      return rows.slice(1).map((row) => row[rows[0]!.indexOf('eventTs')]);
    };
    const times = [3, 2, 1, 0].map((ms) => `2024-05-18T00:00:00.00${ms}Z`);
    expect(await timesOf()).toEqual(times);
    expect(await timesOf('--times', 'iso')).toEqual(times);
    const asSheets = times.map((time) => time.replace('T', ' ').replace('Z', ''));
    expect(await timesOf('--times', 'spreadsheet')).toEqual(asSheets);
    const { code, stderr } = await place.run(['export', 'shop', '--times', 'iso']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--times are for --format csv')]);
  });

  it('cannot control a terminal', async () => {
    const event = { ...EVENTS[0], insertId: 'bell', properties: { text: 'a\u001b[31m\u202e' } };
    await place.ok(['tenant', 'create', 'bell']);
    await place.import('bell', toNdjson([event]));
    const { stdout } = await place.run(['export', 'bell', '--format', 'csv'], { terminal: true });
    expect(stdout.split('\r\n')[1]).toMatch(/,a\\u001b\[31m\\u202e$/);
  });
});

describe('export --format parquet', () => {
  it('keeps the type of a path that has only one, and uses JSON elsewhere', async () => {
    const { columns, rows } = await parquetOf('shop');
    expect(columns).toEqual({
      ...{
        eventName: 'UTF8',
        userId: 'UTF8',
        eventTs: 'TIMESTAMP_MILLIS',
        eventDate: 'DATE',
        insertId: 'UTF8',
      },
      ...{ 'properties.at': 'UTF8', 'properties.deep.a': 'JSON', 'properties.deep.a.b': 'DOUBLE' },
      ...{ 'properties.flag': 'BOOLEAN', 'properties.list': 'JSON', 'properties.mixed': 'JSON' },
      ...{ 'properties.none': 'JSON', 'properties.number': 'DOUBLE', 'properties.text': 'UTF8' },
    });
    const found = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined)),
    );
    const fields = (i: number) => ({
      ...{ eventName: EVENTS[i]!.eventName, userId: `u${i % 2}`, eventTs: new Date(DAY + i) },
      ...{ eventDate: new Date(DAY), insertId: `id${i}` },
    });
    expect(found).toEqual([
      fields(3),
      {
        ...fields(2),
        ...{
          'properties.deep.a': {},
          'properties.mixed': 2,
          'properties.number': 1e300,
          'properties.text': '',
        },
      },
      {
        ...fields(1),
        ...{ 'properties.deep.a.b': 1, 'properties.list': ['x', 1, null], 'properties.mixed': 'a' },
        'properties.text': '=1+1',
      },
      {
        ...fields(0),
        ...{ 'properties.at': '2024-05-18', 'properties.flag': false, 'properties.number': -1.5 },
        'properties.text': 'ä"\n,',
      },
    ]);
  });

  it('has instants in UTC for readers in any time zone', async () => {
    const file = join(place.folder, 'instants.parquet');
    await place.ok(['export', 'shop', '--format', 'parquet', '--out', file, '--include', 'receivedAt']);
    const { schema } = parquetMetadata(new Uint8Array(readFileSync(file)).buffer);
    const instants = schema.filter(({ converted_type: type }) => type === 'TIMESTAMP_MILLIS');
    expect(instants.map(({ name, logical_type: type }) => [name, type])).toEqual(
      ['eventTs', 'receivedAt'].map((name) => [
        name,
        { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      ]),
    );
  });

  it('has no two columns that differ only in capitals, and is imported as it was', async () => {
    const properties = { Plan: 'PRO', plan: 'pro', pLan_1: 1, Ä: { b: 1, B: 'x' }, ä: { b: 2 }, other: true };
    const events = [
      { ...EVENTS[0], properties },
      { ...EVENTS[1], properties: { plan: 'free', pLan_1: 2 } },
    ];
    await place.ok(['tenant', 'create', 'capitals']);
    await place.import('capitals', toNdjson(events));
    const { columns, rows } = await parquetOf('capitals');
    const names = Object.keys(columns);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    const found = names.filter((name) => /plan|other/i.test(name));
    expect(found.sort()).toEqual([
      'properties.Plan_2',
      'properties.other',
      'properties.pLan_1',
      'properties.plan_3',
    ]);
    expect(rows.map((row) => row['properties.Plan_2'] ?? null)).toEqual([null, 'PRO']);
    expect(rows.map((row) => row['properties.plan_3'])).toEqual(['free', 'pro']);

    const file = join(place.folder, 'capitals.parquet');
    const { stderr } = await place.run([
      'export',
      'capitals',
      '--format',
      'parquet',
      '--out',
      file,
      '--quiet',
    ]);
    expect(stderr).toContain('properties.plan is properties.plan_3');
    await place.ok(['tenant', 'create', 'again']);
    await place.ok(['import', 'again', file]);
    expect(fromNdjson(await place.ok(['export', 'again']))).toEqual(
      fromNdjson(await place.ok(['export', 'capitals'])),
    );
  });

  it('is written in small row groups', async () => {
    const text = 'x'.repeat(900_000);
    const events = Array.from({ length: 40 }, (_, i) => ({
      ...EVENTS[0],
      insertId: `big${i}`,
      properties: { i, text },
    }));
    await place.ok(['tenant', 'create', 'big']);
    await place.import('big', toNdjson(events));
    const { rows, groups } = await parquetOf('big');
    expect(groups.map((group) => Number(group.num_rows))).toEqual([19, 19, 2]);
    const exported = fromNdjson(await place.ok(['export', 'big'])) as { properties: { i: number } }[];
    expect(rows.map((row) => row['properties.i'])).toEqual(exported.map(({ properties }) => properties.i));
    expect(rows.every((row) => row['properties.text'] === text)).toBe(true);
  });

  it('keeps every key of an object', async () => {
    const properties = '{"list":[{"__proto__":{"a":1},"b":null}]}';
    await place.ok(['tenant', 'create', 'proto']);
    const event = `{"eventName":"a","userId":"u","eventTs":${DAY},"properties":${properties}}`;
    await place.import('proto', `${event}\n`);
    const { rows } = await parquetOf('proto');
    const [cell] = rows.map((row) => row['properties.list']);
    expect(JSON.stringify(cell)).toBe('[{"__proto__":{"a":1},"b":null}]');
  });

  it('without events is a file without rows', async () => {
    await place.ok(['tenant', 'create', 'none']);
    const { columns, rows } = await parquetOf('none');
    expect([Object.keys(columns).length, rows]).toEqual([5, []]);
  });

  it('refuses a terminal, and more columns than a footer can hold', async () => {
    const shown = await place.run(['export', 'shop', '--format', 'parquet'], { terminal: true });
    expect([shown.code, shown.stdout]).toEqual([2, '']);
    expect(shown.stderr).toMatch(/Parquet is not for a terminal/);
    await place.ok(['tenant', 'create', 'wide']);
    const properties = Object.fromEntries(Array.from({ length: 996 }, (_, i) => [`k${i}`, i]));
    await place.import('wide', toNdjson([{ ...EVENTS[0], properties }]));
    const file = join(place.folder, 'wide.parquet');
    const wide = await place.run(['export', 'wide', '--format', 'parquet', '--out', file]);
    expect([wide.code, wide.stderr]).toEqual([
      1,
      'event-query: a Parquet file takes at most 1000 columns, and these are 1001 after 0 events\n',
    ]);
  });
});
