import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const DAY = Date.UTC(2024, 4, 18);
const SENT = [0, 1, 2].map((i) => ({ eventName: 'e', userId: 'u', eventTs: DAY + i, insertId: `id${i}` }));
const SHOWN = ['--include', 'receivedAt'];
const LEFT_OUT = 'receivedAt is left out: these events arrive here now; copy keeps it';

interface Shown {
  readonly insertId: string;
  readonly receivedAt: string | null;
}
const shownIn = (ndjson: string) =>
  (fromNdjson(ndjson) as Shown[]).map(({ insertId, receivedAt }) => [insertId, receivedAt]);

/** When the events of the place arrived: the last before anybody noted it. */
let arrived: string;

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import('shop', toNdjson(SENT));
  const file = new Database(place.db);
  file.exec(`UPDATE events SET received_at = NULL WHERE insert_id = 'id0'`);
  const { at } = file.prepare('SELECT max(received_at) AS at FROM events').get() as { at: number };
  file.close();
  arrived = new Date(at).toISOString();
});
afterAll(() => place.remove());

const expected = () => [
  ['id2', arrived],
  ['id1', arrived],
  ['id0', null],
];

describe('when events arrived', () => {
  it('is shown by query and export where it is included', async () => {
    expect(shownIn(await place.ok(['query', 'shop', '--json', ...SHOWN]))).toEqual(expected());
    expect(shownIn(await place.ok(['export', 'shop', ...SHOWN]))).toEqual(expected());
    const row = (await place.ok(['query', 'shop', '--size', '1', ...SHOWN])).trim().split('\t');
    expect(row).toEqual([new Date(DAY + 2).toISOString(), 'e', 'u', 'id2', arrived, '{}']);
    expect(await place.ok(['export', 'shop'])).not.toContain('receivedAt');
    const { code, stderr } = await place.run(['query', 'shop', '--include', 'eventTs']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--include: takes one of: receivedAt')]);
  });

  it('chooses events as a filter, and groups them by lateness', async () => {
    expect(await place.ok(['count', 'shop', '--filter', 'receivedAt not exists'])).toBe('1\n');
    expect(await place.ok(['count', 'shop', '--filter', `receivedAt >= "${arrived}"`])).toBe('2\n');
    const found = JSON.parse(await place.ok(['breakdown', 'shop', '--by', 'lateness', '--json'])) as object;
    expect(found).toMatchObject({ missing: 1, groups: [{ key: 'later', count: 2 }] });
  });

  it.each(['ndjson', 'csv', 'parquet'])('is left out with a sentence by the import of %s', async (format) => {
    const file = join(place.folder, `shown.${format}`);
    await place.ok(['export', 'shop', '--format', format, '--out', file, ...SHOWN]);
    await place.ok(['tenant', 'create', format]);
    const { code, stdout, stderr } = await place.run(['import', format, file]);
    expect([code, stdout]).toEqual([0, 'imported 3, duplicates 0, rejected 0\n']);
    expect(stderr).toContain(LEFT_OUT);
    const filter = ['--filter', `receivedAt > "${arrived}"`];
    expect(await place.ok(['count', format, ...filter])).toBe('3\n');
    expect(await place.ok(['export', format])).toBe(await place.ok(['export', 'shop']));
  });

  it('is a timestamp of Parquet', async () => {
    const file = join(place.folder, 'typed.parquet');
    await place.ok(['export', 'shop', '--format', 'parquet', '--out', file, ...SHOWN]);
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer });
    const found = rows.map(({ insertId, receivedAt }): unknown[] => [
      insertId,
      (receivedAt as Date | null)?.toISOString(),
    ]);
    expect(found).toEqual(expected().map(([id, at]) => [id, at ?? undefined]));
  });

  it('is kept by a copy, and so is that nobody noted it', async () => {
    const to = `sqlite:${place.folder}/copied.db`;
    await place.ok(['copy', 'shop', '--from', `sqlite:${place.db}`, '--to', to]);
    expect(shownIn(await place.ok(['export', 'shop', '--events', to, ...SHOWN]))).toEqual(expected());
  });
});
