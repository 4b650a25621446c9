import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPTION_WORDS } from '../../../adapters/import/base/options.ts';
import { createLeftOut } from '../../../adapters/import/readers/left-out.ts';
import { openZip, type ZipMember } from '../../../adapters/import/readers/zip.ts';
import { toUmamiRecords } from '../../../adapters/import/umami-zip.ts';
import { isApiError } from '../../../src/index.ts';
import { gather } from './gathered.ts';
import { datum, SOURCES, toCsv, uuid } from './sources.ts';
import { zipOf } from './zip-of.ts';

const { signal: aborted } = new AbortController();
const options = { aborted, leftOut: createLeftOut(), say: () => undefined, words: OPTION_WORDS };

async function read<T>(content: Buffer, use: (members: readonly ZipMember[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-umami-'));
  const path = join(folder, 'export.zip');
  writeFileSync(path, content);
  const zip = await openZip(path);
  try {
    return await use(zip.members);
  } finally {
    zip.close();
    rmSync(folder, { recursive: true });
  }
}

describe('the records of Umami', () => {
  it('are the same in one turn and in many, whatever order their data is in', () =>
    read(SOURCES.umami!.fileOf(0, 200), async ([data, events]) => {
      const once = await gather(toUmamiRecords(events!, data, options));
      const often = await gather(toUmamiRecords(events!, data, { ...options, turnBytes: 500 }));
      expect(once).toHaveLength(200);
      expect(often.map(({ number }) => number)).not.toEqual(once.map(({ number }) => number));
      expect(often.sort((a, b) => a.number - b.number)).toEqual(once);
    }));

  it('hold nothing for what an export of ClickHouse or PostgreSQL writes as \\N', async () => {
    const none = { string_value: '\\N', date_value: '\\N' };
    const content = zipOf({
      'website_event.csv': toCsv([{ event_id: uuid(1), website_id: uuid(2), distinct_id: '\\N', tag: '' }]),
      'event_data.csv': toCsv([datum(1, 'n', 2, { ...none, number_value: '5' }), datum(1, 'none', 1, none)]),
    });
    const [record] = await read(content, ([data, events]) => gather(toUmamiRecords(events!, data, options)));
    expect(record?.value).toEqual({ event_id: uuid(1), website_id: uuid(2), data: { n: 5, none: '' } });
  });

  it('name a row that cannot be read once, however many turns there are', async () => {
    const content = zipOf({
      'website_event.csv': `event_id,website_id\n"1"x,2\n3,4\n`,
      'event_data.csv': toCsv([datum(3, 'n', 1, { string_value: 'x'.repeat(500) })]),
    });
    const records = await read(content, ([data, events]) =>
      gather(toUmamiRecords(events!, data, { ...options, turnBytes: 100 })),
    );
    expect(records.map(({ number, value }) => [number, isApiError(value)]).sort()).toEqual([
      [2, true],
      [3, false],
    ]);
  });

  it('tell of each row that is cut, in both tables: no later import could add what it says', async () => {
    const content = zipOf({
      'website_event.csv': 'event_id,website_id,event_name\n1,2,buy\n3,2\n4,2,buy, now\n',
      'event_data.csv': 'website_event_id,data_key,string_value,data_type\n1,a,kept,1\n1,b,cut\n1,"c"x,y,1\n',
    });
    const records = await read(content, ([data, events]) =>
      gather(toUmamiRecords(events!, data, { ...options, turnBytes: 20 })),
    );
    const told = records.flatMap(({ number, value }) => (isApiError(value) ? [[number, value.message]] : []));
    expect(told.sort()).toEqual([
      [3, expect.stringContaining('line 3 of event_data.csv says: event: its row has 3 cells')],
      [3, 'event: its row has 2 cells, and the header names 3'],
      [4, expect.stringContaining('line 4 of event_data.csv says: event: its line has text after')],
      [4, 'event: its row has 4 cells, and the header names 3'],
    ]);
    expect(records).toContainEqual(
      expect.objectContaining({ value: expect.objectContaining({ data: { a: 'kept' } }) as object }),
    );
  });

  it('keep the digits of a number that JavaScript would round, as a text', async () => {
    const numbers = ['9007199254740993', '12.50', '-3'];
    const content = zipOf({
      'website_event.csv': toCsv([{ event_id: uuid(1), website_id: uuid(2), created_at: 'x' }]),
      'event_data.csv': toCsv(numbers.map((text, i) => datum(1, `n${i}`, 2, { number_value: text }))),
    });
    const [record] = await read(content, ([data, events]) => gather(toUmamiRecords(events!, data, options)));
    expect(record?.value).toMatchObject({ data: { n0: '9007199254740993', n1: 12.5, n2: -3 } });
  });

  it('have the types that the table of data names', async () => {
    const content = zipOf({
      'website_event.csv': toCsv([{ event_id: uuid(1), website_id: uuid(2), created_at: 'x' }]),
      'event_data.csv': toCsv([
        datum(1, 'no', 3, { string_value: 'false' }),
        datum(1, 'day', 4, { date_value: '2024-05-18 10:00:00' }),
        datum(1, 'list', 5, { string_value: '["a",1]' }),
        datum(1, 'cut', 5, { string_value: '["a' }),
      ]),
    });
    const [record] = await read(content, ([data, events]) => gather(toUmamiRecords(events!, data, options)));
    const data = { no: false, day: '2024-05-18 10:00:00', list: ['a', 1], cut: '["a' };
    expect(record?.value).toMatchObject({ data });
  });

  it('keep a key that JavaScript takes for something else, and the last of two values of a key', async () => {
    const content = zipOf({
      'website_event.csv': toCsv([{ event_id: uuid(1), website_id: uuid(2), created_at: 'x' }]),
      'event_data.csv': toCsv(['a', 'b'].map((text) => datum(1, '__proto__', 1, { string_value: text }))),
    });
    const [record] = await read(content, ([data, events]) => gather(toUmamiRecords(events!, data, options)));
    expect(JSON.stringify((record?.value as { data: object }).data)).toBe('{"__proto__":"b"}');
  });

  it('hold no more data than an event may have: it is refused, and the others are read', async () => {
    const long = 'x'.repeat(900_000);
    const content = zipOf({
      'website_event.csv': toCsv(
        [1, 2].map((i) => ({ event_id: uuid(i), website_id: uuid(3), created_at: 'x' })),
      ),
      'event_data.csv': toCsv([
        ...Array.from({ length: 6 }, (_, i) => datum(1, `n${i}`, 1, { string_value: long })),
        datum(2, 'n', 1, { string_value: 'kept' }),
      ]),
    });
    const [first, second] = await read(content, ([data, events]) =>
      gather(toUmamiRecords(events!, data, options)),
    );
    expect(isApiError(first?.value) && first.value.message).toContain('of event_data.csv');
    expect(second?.value).toMatchObject({ data: { n: 'kept' } });
  });

  it('are counted where nothing takes them: of no event, without a key, said again', async () => {
    const leftOut = createLeftOut();
    const content = zipOf({
      'website_event.csv': 'event_id,created_at,event_name\n1,2024-05-03,buy\n',
      'event_data.csv':
        'event_id,data_key,string_value,data_type,job_id\n' +
        ['1,a,first,1,j', '1,a,last,1,', '9,a,lost,1,', '1,,lost,1,', ',a,lost,1,'].join('\n'),
    });
    const records = await read(content, ([data, events]) =>
      gather(toUmamiRecords(events!, data, { ...options, leftOut, turnBytes: 60 })),
    );
    expect(records.map(({ value }) => value)).toMatchObject([{ data: { a: 'last' } }]);
    expect(Object.fromEntries(leftOut.kinds().map(({ what, count }) => [what, count]))).toEqual({
      'column job_id of event_data.csv': 1,
      'earlier values of a key in event_data.csv': 1,
      'rows of event_data.csv without an event or a key': 2,
      'rows of event_data.csv whose event is not in website_event.csv': 1,
    });
  });

  it.each([
    ['event_data.csv', 'website_id,data_key', 'website_event_id or event_id'],
    ['event_data.csv', 'event_id,name', 'data_key'],
    ['website_event.csv', 'id,event_name', 'event_id'],
  ])('cannot be told without a column that says which: %s with %s', async (name, header, missing) => {
    const tables = { 'website_event.csv': 'event_id\n1\n', 'event_data.csv': 'event_id,data_key\n1,a\n' };
    const content = zipOf({ ...tables, [name]: `${header}\n1,2\n` });
    await expect(
      read(content, ([data, events]) => gather(toUmamiRecords(events!, data, options))),
    ).rejects.toThrow(`${name} has no column ${missing}; it has ${header.replace(',', ', ')}`);
  });

  it('name the columns that are missed', async () => {
    const said: string[] = [];
    const content = zipOf({ 'website_event.csv': 'event_id,created_at\n1,2\n' });
    await read(content, ([events]) =>
      gather(toUmamiRecords(events!, undefined, { ...options, say: (line) => said.push(line) })),
    );
    expect(said).toEqual(['website_event.csv has no column event_name']);
  });
});
