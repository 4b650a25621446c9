import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, endOf } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const { tenant } = place;
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
});
afterAll(() => place.remove());

const event = (i: number) => ({
  eventName: `name-${i % 7}`,
  userId: `user-${i % 50}`,
  eventTs: new Date(1_700_000_000_000 + i * 1000).toISOString(),
  insertId: `id-${i}`,
  properties: { i, text: `ä ${i}` },
});
const events = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => event(from + i));
const file = (name: string, content: string | Buffer) => {
  const path = join(place.folder, name);
  writeFileSync(path, content);
  return path;
};

describe('import', () => {
  it('stores a file once, however often it is imported, while a server has the database open', async () => {
    const server = await place.serve(['serve']);
    const path = file('events.ndjson', toNdjson(events(0, 4500)));
    expect(await place.run(['import', 'shop', path])).toEqual({
      code: 0,
      stdout: 'imported 4500, duplicates 0, rejected 0\n',
      stderr: '',
    });
    expect(await place.ok(['import', 'shop', path])).toBe('imported 0, duplicates 4500, rejected 0\n');
    expect(await place.ok(['count', 'shop'])).toBe('4500\n');
    expect(await server.stop()).toBe(0);
  });

  it('recognises gzip by its first bytes, in files and on stdin, of several members too', async () => {
    const alias = await tenant('gzip');
    const member = (from: number, until: number) => gzipSync(toNdjson(events(from, until)));
    const path = file('events.data', Buffer.concat([member(0, 100), member(100, 300)]));
    expect(await place.ok(['import', alias, path])).toBe('imported 300, duplicates 0, rejected 0\n');
    const piped = await place.ok(['import', alias, '-', '--json'], { input: member(200, 400) });
    expect(JSON.parse(piped)).toEqual({ imported: 100, duplicates: 100, rejected: 0 });
  });

  it('accepts CRLF, a byte order mark, blank lines and a last line without a line end', async () => {
    const alias = await tenant('lines');
    const [first, second, third] = events(0, 3).map((each) => JSON.stringify(each));
    const input = `\ufeff${first!}\r\n\r\n  \n${second!}\r\n${third!}`;
    expect(await place.import(alias, input)).toBe('imported 3, duplicates 0, rejected 0\n');
  });

  it('stores the largest event, and again what export writes of it', async () => {
    const [from, to] = [await tenant('largest'), await tenant('largest-again')];
    const small = { ...event(1), userId: 'u'.repeat(256), insertId: 'i'.repeat(128), properties: { p: '' } };
    const others = small.eventName.length + small.userId.length + JSON.stringify(small.properties).length;
    const largest = { ...small, properties: { p: 'x'.repeat(1_048_576 - others) } };
    const more = { ...largest, properties: { p: `${largest.properties.p}x` } };
    expect(await place.import(from, toNdjson([largest]))).toBe('imported 1, duplicates 0, rejected 0\n');
    const { stdout } = await place.run(['import', from, '-'], { input: toNdjson([more]) });
    expect(stdout).toBe('imported 0, duplicates 0, rejected 1\n');
    const exported = await place.ok(['export', from]);
    expect(await place.import(to, exported)).toBe('imported 1, duplicates 0, rejected 0\n');
    expect(await place.ok(['export', to])).toBe(exported);
  });

  it('reports every bad line with its number and stores the others', async () => {
    const alias = await tenant('bad');
    const good = JSON.stringify(event(1));
    const lines = [
      good,
      '{"eventName":',
      '',
      JSON.stringify({ ...event(2), userId: 5 }),
      '[]',
      JSON.stringify({ ...event(3), typo: 1 }),
      JSON.stringify({ ...event(4), properties: { long: 'x'.repeat(3_000_000) } }),
      JSON.stringify({ eventName: 'a', userId: 'u' }),
      JSON.stringify({ ...event(5), eventName: 'evil\u001b[2J\u202e', insertId: 'ö' }),
      JSON.stringify(event(6)),
    ];
    const input = Buffer.concat([Buffer.from(`${lines.join('\n')}\n"`), Buffer.from([0xff, 0x0a])]);
    const { code, stdout, stderr } = await place.run(['import', alias, '-'], { input });
    expect([code, stdout]).toEqual([1, 'imported 2, duplicates 0, rejected 8\n']);
    expect(stderr.split('\n')).toEqual([
      'line 2: event: its line is not valid JSON',
      'line 4: userId: takes a string of 1 to 256 characters, got the number 5',
      'line 5: event: takes an object, got an empty array',
      expect.stringMatching(/^line 6: "typo": unknown key/),
      expect.stringMatching(/^line 7: event: its line takes at most \d+ bytes, got 3\d{6}$/),
      expect.stringMatching(/^line 8: eventTs: is needed on import/),
      expect.stringMatching(/^line 9: insertId: takes 1 to 128 printable ASCII characters/),
      'line 11: event: its line is not UTF-8, or not what --encoding says',
      'event-query: 8 lines were rejected',
      '',
    ]);
  });

  it('derives insert ids from content: no duplicates, and repeats in a file are several events', async () => {
    const alias = await tenant('ids');
    const click = {
      eventName: 'clicked',
      userId: 'u',
      eventTs: '2024-05-01T10:00:00Z',
      properties: { at: 'menu' },
    };
    const input = toNdjson([click, { ...click, userId: 'v' }, click, click]);
    expect(await place.import(alias, input)).toBe('imported 4, duplicates 0, rejected 0\n');
    expect(await place.import(alias, input)).toBe('imported 0, duplicates 4, rejected 0\n');
    const more = toNdjson([click, { ...click, eventTs: '2024-05-02T10:00:00Z' }]);
    expect(await place.import(alias, more)).toBe('imported 1, duplicates 1, rejected 0\n');
    const stored = fromNdjson(await place.ok(['query', alias, '--json'])) as { insertId: string }[];
    expect(new Set(stored.map(({ insertId }) => insertId)).size).toBe(5);
  });

  it('stores the good part of gzip that ends early, and says so', async () => {
    const alias = await tenant('early');
    // Random ids compress badly, so half of the bytes hold about half of the events.
    const many = events(0, 3000).map((each, i) => ({
      ...each,
      userId: (Math.imul(i, 2_654_435_761) >>> 0).toString(36),
    }));
    const whole = gzipSync(toNdjson(many));
    const path = file('early.gz', whole.subarray(0, whole.length / 2));
    const { code, stdout, stderr } = await place.run(['import', alias, path]);
    const imported = Number(/^imported (\d+), duplicates 0, rejected 0\n$/.exec(stdout)?.[1]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `event-query: the gzip data ends too early: the file is cut; everything up to line ${imported} is ` +
        'stored; import the whole file when you have it: ' +
        'events that are stored already count as duplicates\n',
    );
    expect(imported).toBeGreaterThan(1000);
    expect(imported).toBeLessThan(2000);
    const rest = await place.ok(['import', alias, file('whole.gz', whole)]);
    expect(rest).toBe(`imported ${3000 - imported}, duplicates ${imported}, rejected 0\n`);
    const some = gzipSync(toNdjson([{}, ...many]));
    const both = await place.run(['import', alias, file('both.gz', some.subarray(0, some.length / 2))]);
    expect([both.code, both.stdout]).toEqual([1, expect.stringMatching(/, rejected 1\n$/)]);
    expect(both.stderr).toMatch(/^line 1: [^\n]+\nevent-query: the gzip data ends too early: [^\n]+\n$/);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 2000, 2100);
    const broken = await place.run(['import', alias, file('broken.gz', damaged)]);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching(/the gzip data is damaged/)]);
  });

  it('reports the first bad lines and counts the others, unless --verbose asks for all', async () => {
    const path = file('refused.ndjson', '{}\n'.repeat(5000));
    const { code, stdout, stderr } = await place.run(['import', 'shop', path]);
    expect([code, stdout]).toEqual([1, 'imported 0, duplicates 0, rejected 5000\n']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.slice(0, 20).map((line) => /^line (\d+): /.exec(line)?.[1])).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i + 1)),
    );
    expect(lines.slice(20)).toEqual([
      'and 4980 more lines; --verbose reports them all',
      expect.stringMatching(/^5000 times, first in line 1: eventTs: is needed/),
      'event-query: 5000 lines were rejected',
    ]);
    const verbose = await place.run(['import', 'shop', path, '--verbose']);
    expect(verbose.stderr.split('\n').length).toBe(5003);
  });

  it('says how far it came when a signal ends it, and the same command continues', async () => {
    const alias = await tenant('interrupted');
    const lines = toNdjson(events(0, 5000));
    const child = place.start(['import', alias, '-']);
    const ended = endOf(child);
    child.stdin!.on('error', () => undefined);
    child.stdin!.write(lines.slice(0, lines.length / 2));
    // One batch is stored while the command waits for the rest of stdin.
    while ((await place.ok(['count', alias])) === '0\n')
      await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
    const imported = Number(/^imported (\d+), duplicates 0, rejected 0\n$/.exec(stdout)?.[1]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'stopping when what was read is stored; Ctrl-C again ends at once\n' +
        `event-query: interrupted; everything up to line ${imported} is stored; run it again to continue: ` +
        'events that are stored already count as duplicates\n',
    );
    expect(await place.import(alias, lines)).toBe(
      `imported ${5000 - imported}, duplicates ${imported}, rejected 0\n`,
    );
  });

  it('an empty file is not an error', async () => {
    const path = file('empty.ndjson', '');
    expect(await place.ok(['import', 'shop', path])).toBe('imported 0, duplicates 0, rejected 0\n');
  });

  it('refuses an unknown tenant, a missing file and a folder', async () => {
    const path = file('one.ndjson', toNdjson(events(0, 1)));
    mkdirSync(join(place.folder, 'folder'));
    const cases = [
      [['import', 'nobody', path], /Tenant not found: "nobody"/],
      [['import', 'shop', join(place.folder, 'none.ndjson')], /there is no file/],
      [['import', 'shop', join(place.folder, 'folder')], /is a folder/],
    ] as const;
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await place.run(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^event-query: [^\n]+\n$/);
    }
  });
});
