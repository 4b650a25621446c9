import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const { tenant } = place;
beforeAll(() => {
  mkdirSync(join(place.folder, 'logs'));
});
afterAll(() => place.remove());

const event = (i: number) => ({
  eventName: 'clicked',
  userId: 'ada',
  eventTs: new Date(1_700_000_000_000 + i).toISOString(),
  insertId: `id-${i}`,
  properties: { i, text: `ä\u{1f600} ${i}` },
});
const events = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => event(from + i));

function file(name: string, content: string | Buffer): string {
  const path = join(place.folder, name);
  writeFileSync(path, content);
  return path;
}
const stored = async (alias: string) => fromNdjson(await place.ok(['export', alias]));

describe('import of several files', () => {
  it('takes names, patterns and stdin; overlapping files store only the difference', async () => {
    const alias = await tenant('several');
    file('logs/a.gz', gzipSync(toNdjson(events(0, 30))));
    file('logs/b.gz', gzipSync(toNdjson(events(20, 50))));
    const pattern = join(place.folder, 'logs', '*.gz');
    expect(await place.ok(['import', alias, pattern])).toBe('imported 50, duplicates 10, rejected 0\n');
    const more = file('more.ndjson', toNdjson(events(45, 55)));
    const input = toNdjson(events(54, 60));
    expect(await place.ok(['import', alias, more, pattern, '-'], { input })).toBe(
      'imported 10, duplicates 66, rejected 0\n',
    );
    expect(await place.ok(['count', alias])).toBe('60\n');
  });

  it('says in which file a line is bad, and where reading ended', async () => {
    const alias = await tenant('named');
    const good = file('good.ndjson', toNdjson([event(1), {}]));
    const whole = gzipSync(
      toNdjson(events(0, 1000).map((each) => ({ ...each, userId: `${Math.sin(each.properties.i)}` }))),
    );
    const cut = file('cut.gz', whole.subarray(0, whole.length / 2));
    const { code, stdout, stderr } = await place.run(['import', alias, good, cut, good]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^imported \d+, duplicates 1, rejected 1\n$/)]);
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(`${good}: line 2: eventTs: is needed on import`),
      expect.stringMatching(
        /^event-query: .*cut\.gz: the gzip data ends too early: .* up to line \d+ is stored/,
      ),
      '',
    ]);
  });

  it('refuses a pattern without files, and stdin twice', async () => {
    const alias = await tenant('none');
    expect(await place.run(['import', alias, join(place.folder, '*.none')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no file matches .*\*\.none/) as string,
    });
    expect(await place.run(['import', alias, '-', '-'])).toMatchObject({ code: 2 });
  });
});

describe('import of a JSON array', () => {
  it('takes it compact or indented, plain or gzip, and numbers its items', async () => {
    const alias = await tenant('array');
    const path = file('array.json', JSON.stringify([...events(0, 5), { eventTs: 1e12 }, ...events(5, 3000)]));
    const { code, stdout, stderr } = await place.run(['import', alias, path]);
    expect([code, stdout]).toEqual([1, 'imported 3000, duplicates 0, rejected 1\n']);
    expect(stderr).toMatch(/^item 6: eventName: takes a string/m);
    const pretty = file('pretty.gz', gzipSync(`\ufeff ${JSON.stringify(events(2990, 3010), null, 2)}\n`));
    expect(await place.ok(['import', alias, pretty])).toBe('imported 10, duplicates 10, rejected 0\n');
  });
});

describe('import of a file that is cut before its first event', () => {
  it.each([
    ['cut-array', '[{"eventName": "a"', /the JSON array ends too early/],
    ['cut-gzip', gzipSync(toNdjson([event(1)])).subarray(0, 30), /the gzip data ends too early/],
  ])('fails, as %s does, and is not an empty one', async (alias, content, error) => {
    const { code, stderr } = await place.run(['import', await tenant(alias), file('cut', content)]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(error)]);
  });
});

describe('import of the CSV that export writes', () => {
  const values = [
    { a: 5, b: '5', c: true, d: 'true', e: '=1+1', f: "'=1", g: '', h: 'x\r\ny\n"z"', i: -1.5, j: '-1.5' },
    { a: { b: { 'c.d': 1 } }, tags: ['a', 1, null], none: {}, '': 'no path', ['k"e,y']: 'null' },
    { a: { b: 'ö\u{1f600}' }, big: 1e300, long: '1e300', empty: [], e: '@x', h: '\tx', __proto__x: 1 },
    {},
  ];

  it('stores every event again as it was, types and texts too', async () => {
    const from = await tenant('exported');
    const all = values.map((properties, i) => ({ ...event(i), userId: `${i}`, properties }));
    await place.import(from, toNdjson(all));
    const csv = await place.ok(['export', from, '--format', 'csv']);
    const to = await tenant('again');
    expect(await place.import(to, csv)).toBe('imported 4, duplicates 0, rejected 0\n');
    expect(await stored(to)).toEqual(await stored(from));
    expect(await place.import(to, `\ufeff${csv}`)).toBe('imported 0, duplicates 4, rejected 0\n');
  });

  it('refuses a row that the header does not fit, by its line', async () => {
    const alias = await tenant('rows');
    const path = file(
      'rows.csv',
      'eventName,userId,eventTs,properties.a\na,u,2024-05-01T00:00:00Z\na,u,,"x"\n',
    );
    const { code, stderr } = await place.run(['import', alias, path]);
    expect([code, stderr.split('\n').slice(0, 2)]).toEqual([
      1,
      [
        'line 2: event: its row has 3 cells, and the header names 4',
        expect.stringMatching(/^line 3: eventTs: is needed on import/),
      ],
    ]);
  });

  it('refuses another table, and says what would be right', async () => {
    const alias = await tenant('other');
    const { code, stderr } = await place.run(['import', alias, file('other.csv', 'type,uid,time\na,b,1\n')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('say which column is what')]);
  });
});
