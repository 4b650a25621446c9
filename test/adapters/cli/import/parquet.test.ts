import { parquetWriteBuffer } from 'hyparquet-writer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const { tenant } = place;
afterAll(() => place.remove());

function file(name: string, content: ArrayBuffer | Buffer): string {
  const path = join(place.folder, name);
  writeFileSync(path, Buffer.from(content as ArrayBuffer));
  return path;
}
const stored = async (alias: string) => fromNdjson(await place.ok(['export', alias])).reverse();

/** A frame of zstd that holds its content as it is, in blocks of at most 128 KiB. */
function toZstd(content: Uint8Array): Uint8Array {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(content.length, 5);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < content.length; at += 131_072) {
    const block = content.subarray(at, at + 131_072);
    const isLast = at + 131_072 >= content.length;
    const size = Buffer.alloc(4);
    size.writeUInt32LE((block.length << 3) | (isLast ? 1 : 0), 0);
    blocks.push(size.subarray(0, 3), Buffer.from(block));
  }
  return Buffer.concat([head, ...blocks]);
}

const START = 1_700_000_000_000;
const uuid = (i: number) => `0190a3f2-7c41-7cc0-9d11-${String(i).padStart(12, '0')}`;

/** A part of a batch export of PostHog, compressed as it compresses. */
function posthog(from: number, until: number): ArrayBuffer {
  const of = <T>(value: (i: number) => T) => Array.from({ length: until - from }, (_, i) => value(from + i));
  return parquetWriteBuffer({
    columnData: [
      { name: 'uuid', data: of(uuid), type: 'STRING' },
      { name: 'event', data: of(() => '$pageview'), type: 'STRING' },
      {
        name: 'properties',
        data: of((i) => JSON.stringify({ i, text: `ü\u{1f600} ${i}`, big: 1e300 })),
        type: 'STRING',
      },
      { name: 'distinct_id', data: of((i) => `user-${i % 7}`), type: 'STRING' },
      { name: 'person_properties', data: of(() => '{"email":"a@example.org"}'), type: 'STRING' },
      { name: 'timestamp', data: of((i) => new Date(START + i * 1001)), type: 'TIMESTAMP' },
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: toZstd },
    rowGroupSize: 100,
  });
}

describe('import of Parquet', () => {
  it('stores again what export wrote, with its types', async () => {
    const values = [
      { a: 5, b: '5', c: true, tags: ['a', 1, null], d: { e: 1, 'f.g': 'x' } },
      { a: -1.5, b: 'ö\u{1f600}', c: false, none: {}, mixed: 'text' },
      { mixed: 7, '': 'no path' },
      {},
    ];
    const from = await tenant('from');
    const event = (i: number) => ({ eventName: 'a', userId: `${i}`, eventTs: START + i, insertId: `${i}` });
    await place.import(from, toNdjson(values.map((properties, i) => ({ ...event(i), properties }))));
    const path = join(place.folder, 'own.parquet');
    await place.ok(['export', from, '--format', 'parquet', '--out', path]);
    const to = await tenant('to');
    expect(await place.run(['import', to, path])).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: 'imported 4, duplicates 0, rejected 0\n',
    });
    expect(await stored(to)).toEqual(await stored(from));
    expect(await place.ok(['import', to, path])).toBe('imported 0, duplicates 4, rejected 0\n');
  });

  it('takes a batch export of PostHog, whatever its name ends in, and overlapping ones', async () => {
    const alias = await tenant('posthog');
    const path = file('part.parquet.zst', posthog(0, 350));
    const { code, stdout, stderr } = await place.run(['import', alias, path]);
    expect([code, stdout]).toEqual([0, 'imported 350, duplicates 0, rejected 0\n']);
    expect(stderr).toMatch(/^this is an export of PostHog/);
    const [first] = await stored(alias);
    expect(first).toEqual({
      ...{
        eventName: '$pageview',
        userId: 'user-0',
        eventTs: new Date(START).toISOString(),
        insertId: uuid(0),
      },
      eventDate: '2023-11-14',
      properties: { i: 0, text: 'ü\u{1f600} 0', big: 1e300, $person: { email: 'a@example.org' } },
    });
    const more = file('more.parquet', posthog(300, 420));
    expect(await place.ok(['import', alias, more, path])).toBe('imported 70, duplicates 400, rejected 0\n');
  });

  it('keeps integers that a number would round as texts, and the others as numbers', async () => {
    const alias = await tenant('integers');
    const numbers = [9007199254740993n, 9007199254740992n, -5n];
    const path = file(
      'integers.parquet',
      parquetWriteBuffer({
        columnData: [
          { name: 'uuid', data: numbers.map((_, i) => uuid(i)), type: 'STRING' },
          { name: 'event', data: numbers.map(() => 'a'), type: 'STRING' },
          { name: 'distinct_id', data: numbers.map(() => 'u'), type: 'STRING' },
          { name: 'timestamp', data: numbers.map((_, i) => new Date(START + i)), type: 'TIMESTAMP' },
          { name: 'order', data: numbers, type: 'INT64' },
        ],
      }),
    );
    await place.ok(['import', alias, path]);
    const orders = (await stored(alias)).map((event) => (event as { properties: object }).properties);
    expect(orders).toEqual(
      ['9007199254740993', '9007199254740992', -5].map((order) => ({ posthog: { order } })),
    );
  });

  it('says that a file is cut, and shows one whose columns it does not know', async () => {
    const alias = await tenant('unknown');
    const whole = Buffer.from(posthog(0, 10));
    const cut = await place.run(['import', alias, file('cut.parquet', whole.subarray(0, whole.length - 9))]);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/the Parquet file is cut or damaged/)]);
    const other = parquetWriteBuffer({ columnData: [{ name: 'kind', data: ['x', 'y'], type: 'STRING' }] });
    const { code, stderr } = await place.run(['import', alias, file('other.parquet', other)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/it begins:\n {2}\{"kind":"x"\}\n/)]);
  });
});
