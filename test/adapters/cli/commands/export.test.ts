import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../../../support/clean-env.ts';
import { createPlace, endOf, NODE_ARGS } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const COUNT = 12_345;
let whole = '';

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  const events = Array.from({ length: COUNT }, (_, i) => ({
    eventName: i % 3 === 0 ? 'third' : 'other',
    userId: `u${i % 10}`,
    // Ten events share each timestamp, so that pages end between events with equal timestamps.
    eventTs: 1_700_000_000_000 + Math.floor(i / 10),
    insertId: `id ~${i}`,
    properties: { i, text: 'x'.repeat(100), big: 2 ** 53, list: [1, 'a', null], empty: {} },
  }));
  await place.import('shop', gzipSync(toNdjson(events)));
  whole = await place.ok(['export', 'shop']);
});
afterAll(() => place.remove());

const path = (name: string) => join(place.folder, name);

/** Interrupts an export to a file, and returns the part that it leaves. */
async function interrupt(file: string, event?: string): Promise<string> {
  const selection = event === undefined ? [] : ['--event', event];
  const running = place.run(['export', 'shop', ...selection, '--out', file]);
  const parts = () => readdirSync(place.folder).filter((name) => name.endsWith('.part'));
  // Once the part exists, the command listens for signals.
  while (parts().length === 0) await new Promise((resolve) => setImmediate(resolve));
  process.emit('SIGINT');
  expect(await running).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/interrupted after/) as string,
  });
  expect(parts().length).toBe(1);
  return path(parts()[0]!);
}

describe('export', () => {
  it('writes every event in the order of answers', async () => {
    const events = fromNdjson(whole) as { insertId: string; eventTs: string }[];
    expect(events.length).toBe(COUNT);
    expect(new Set(events.map(({ insertId }) => insertId)).size).toBe(COUNT);
    const order = events.map(({ eventTs, insertId }) => `${eventTs} ${insertId}`);
    expect(order).toEqual(order.toSorted().reverse());
    const page = await place.ok(['query', 'shop', '--json', '--size', '1000']);
    expect(whole.startsWith(page)).toBe(true);
    const some = await place.run([
      'export',
      'shop',
      '--event',
      'third',
      '--filter',
      'properties.i LESS_THAN 300',
    ]);
    expect(fromNdjson(some.stdout).length).toBe(100);
    expect(some.stderr).toBe('exported 100 events, complete\n');
  });

  it('can be imported: another tenant then has the same events', async () => {
    await place.ok(['tenant', 'create', 'copy']);
    const imported = await place.import('copy', whole);
    expect(imported).toBe(`imported ${COUNT}, duplicates 0, rejected 0\n`);
    expect((await place.ok(['export', 'copy'])) === whole).toBe(true);
  });

  it('--out creates the file only when it is complete', async () => {
    const ending = await place.run(['export', 'shop', '--out', path('all.ndjson')]);
    expect(ending).toEqual({ code: 0, stdout: '', stderr: `exported ${COUNT} events, complete\n` });
    expect(readFileSync(path('all.ndjson'), 'utf8') === whole).toBe(true);
    expect(readdirSync(place.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('a signal ends it after a whole page, and the cursor continues from there', async () => {
    const child = place.start(['export', 'shop']);
    const ended = endOf(child);
    // The pipe is not read, so it is full long before everything is written.
    await once(child.stdout!, 'readable');
    child.kill('SIGINT');
    const [first, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
    expect(code).toBe(1);
    const [, events, cursor = ''] =
      /^event-query: interrupted after (\d+) events; to continue: --cursor '([^']+)'\n$/.exec(stderr) ?? [];
    expect(fromNdjson(first).length).toBe(Number(events));
    expect(Number(events) % 1000).toBe(0);
    expect(Number(events)).toBeLessThan(COUNT);
    const rest = await place.ok(['export', 'shop', '--cursor', cursor]);
    expect(first + rest === whole).toBe(true);
    const other = await place.run(['export', 'shop', '--event', 'third', '--cursor', cursor]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/--cursor: belongs to another query/),
    ]);
  });

  it('a part that a crash left is reported, and can be resumed where it ends', async () => {
    const file = path('crash.ndjson');
    const anyCursor = /'([^']+)'/.exec((await place.run(['query', 'shop', '--size', '1'])).stderr)?.[1] ?? '';
    const missing = await place.run(['export', 'shop', '--out', file, '--cursor', anyCursor]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/no part of \S+ to append to/)]);
    const part = await interrupt(file);
    const lines = whole.split('\n');
    writeFileSync(part, `${lines.slice(0, 2500).join('\n')}\n${lines[2500]!.slice(0, 40)}`);
    const refused = await place.run(['export', 'shop', '--out', file]);
    const cursor = /continue with --cursor '([^']+)', or remove it/.exec(refused.stderr)?.[1] ?? '';
    expect(refused.code).toBe(1);
    const elsewhere = await place.run(['export', 'shop', '--out', file, '--cursor', anyCursor]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, refused.stderr]);
    expect(existsSync(file)).toBe(false);
    const ending = await place.run(['export', 'shop', '--out', file, '--cursor', cursor]);
    expect(ending).toEqual({ code: 0, stdout: '', stderr: `exported ${COUNT - 2500} events, complete\n` });
    expect(readFileSync(file, 'utf8') === whole).toBe(true);
    // The part of one query must not be resumed for another.
    writeFileSync(part, `${lines.slice(0, 10).join('\n')}\n`);
    await place.ok(['export', 'shop', '--out', file, '--event', 'third']);
    expect(readFileSync(file, 'utf8') === whole).toBe(false);
    renameSync(part, `${part}.seen`);
  });

  it('keeps the kind of its target: a link stays a link, a stream is written directly', async () => {
    const fifo = path('fifo');
    execFileSync('mkfifo', [fifo]);
    writeFileSync(path('target.ndjson'), 'before');
    const links = { toFile: path('target.ndjson'), toNothing: path('new.ndjson'), toFifo: fifo };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, path(name));
    // No path here leads to a real device or through /dev: a bug in the command would replace it.
    symlinkSync('/proc/self/fd/1', path('toStdout'));
    const third = await place.ok(['export', 'shop', '--event', 'third']);
    const exportTo = (name: string) => place.run(['export', 'shop', '--event', 'third', '--out', path(name)]);
    for (const name of ['toFile', 'toNothing'])
      expect(await exportTo(name)).toMatchObject({ code: 0, stdout: '' });
    expect((await exportTo('toStdout')).stdout === third).toBe(true);
    for (const name of ['fifo', 'toFifo']) {
      const [read] = await Promise.all([readFile(fifo, 'utf8'), exportTo(name)]);
      expect(read === third).toBe(true);
    }
    for (const name of ['toFile', 'toNothing', 'toFifo', 'toStdout'])
      expect(lstatSync(path(name)).isSymbolicLink(), name).toBe(true);
    expect(lstatSync(fifo).isFIFO()).toBe(true);
    expect(readFileSync(path('target.ndjson'), 'utf8') === third).toBe(true);
    expect(readFileSync(path('new.ndjson'), 'utf8') === third).toBe(true);
    expect(await exportTo('.')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is a folder/) as string,
    });
  });

  it.each([
    ['"$0" "$@" >> log.txt', '/proc/self/fd/1'],
    ['"$0" "$@" 3<> log.txt', '/proc/self/fd/3'],
  ])('a descriptor is appended to, as the shell means it: %s', (script, out) => {
    const file = path('log.txt');
    writeFileSync(file, 'before\n');
    const args = ['-c', script, process.execPath, ...NODE_ARGS, 'export', 'shop', '--event', 'third'];
    const env = { ...cleanEnv(), EVENT_QUERY_DB: place.db };
    const options = { cwd: place.folder, env, stdio: 'pipe' as const };
    execFileSync('sh', [...args, '--out', out], options);
    expect(readFileSync(file, 'utf8').split('\n', 2)).toEqual(['before', expect.stringMatching(/^\{/)]);
  });

  it('lets only the owner read its file, and never writes through a link planted as a part', async () => {
    const file = path('own.ndjson');
    await place.ok(['export', 'shop', '--event', 'third', '--out', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const page = await place.run(['query', 'shop', '--event', 'third', '--size', '1']);
    const cursor = /'([^']+)'/.exec(page.stderr)?.[1] ?? '';
    const part = await interrupt(file, 'third');
    renameSync(part, path('elsewhere'));
    // This export could even resume that part.
    const first = `${readFileSync(file, 'utf8').split('\n', 1)[0]!}\n`;
    writeFileSync(path('elsewhere'), first);
    symlinkSync(path('elsewhere'), part);
    const ending = await place.run(['export', 'shop', '--event', 'third', '--out', file, '--cursor', cursor]);
    expect(ending.code).toBe(1);
    expect(readFileSync(path('elsewhere'), 'utf8')).toBe(first);
    rmSync(part);
    const again = await interrupt(file, 'third');
    expect(again).not.toBe(part);
    rmSync(again);
  });

  it.each(['csv', 'parquet'])(
    'as %s leaves no part when it is interrupted, and starts from the beginning',
    async (format) => {
      const file = path(`all.${format}`);
      const args = ['export', 'shop', '--format', format, '--out', file];
      const files = () => readdirSync(place.folder).filter((name) => name.startsWith(`all.${format}`));
      const running = place.run(args);
      while (files().length === 0) await new Promise((resolve) => setImmediate(resolve));
      const part = path(files()[0]!);
      process.emit('SIGINT');
      const cut = await running;
      expect([cut.code, cut.stderr]).toEqual([1, 'event-query: interrupted after 0 events\n']);
      expect(files()).toEqual([]);
      // A leftover part may belong to another running process.
      writeFileSync(part, 'a line\nhalf');
      await place.ok(args);
      expect(files()).toEqual([`all.${format}`, basename(part)]);
      expect(readFileSync(part, 'utf8')).toBe('a line\nhalf');
      expect(readFileSync(file).length).toBeGreaterThan(COUNT);
      const refused = await place.run([...args, '--cursor', 'x']);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        `event-query: --cursor cannot be combined with ${format}\n`,
      ]);
    },
  );

  it('is on the disk before it gets its final name', async () => {
    const calls: string[] = [];
    const { fsyncSync, renameSync: rename } = fs;
    fs.fsyncSync = (handle) => {
      calls.push('fsync');
      fsyncSync(handle);
    };
    fs.renameSync = (from, to) => {
      calls.push('rename');
      rename(from, to);
    };
    syncBuiltinESMExports();
    try {
      await place.ok(['export', 'shop', '--out', path('safe.ndjson')]);
    } finally {
      Object.assign(fs, { fsyncSync, renameSync: rename });
      syncBuiltinESMExports();
    }
    expect(calls).toEqual(['fsync', 'rename']);
  });

  it('a full disk leaves whole lines, up to the printed cursor', async () => {
    const file = path('full.ndjson');
    const args = ['export', 'shop', '--out', file];
    // Limits files to 512 KiB; a block of dash is 512 bytes.
    const limited = ['-c', 'ulimit -f 1024; exec "$0" "$@"', process.execPath, ...NODE_ARGS, ...args];
    const options = { cwd: place.folder, env: { ...cleanEnv(), EVENT_QUERY_DB: place.db } };
    const stderr = await new Promise<string>((resolve) => {
      execFile('sh', limited, options, (_error, _stdout, said) => resolve(said));
    });
    const cursor = /^event-query: .*EFBIG.*--cursor '([^']+)'\n$/.exec(stderr)?.[1] ?? stderr;
    const part = readdirSync(place.folder).find((name) => name.startsWith('full.ndjson.'))!;
    const written = readFileSync(path(part), 'utf8');
    expect(written.endsWith('}\n') && whole.startsWith(written)).toBe(true);
    await place.ok([...args, '--cursor', cursor]);
    expect(readFileSync(file, 'utf8') === whole).toBe(true);
  });

  it('ends quietly when its reader has seen enough', async () => {
    const script = 'set -o pipefail; "$0" "$@" | head -n 1';
    const options = { cwd: place.folder, env: { ...cleanEnv(), EVENT_QUERY_DB: place.db } };
    const args = ['-c', script, process.execPath, ...NODE_ARGS, 'export', 'shop'];
    const printed = await new Promise<unknown[]>((resolve) => {
      execFile('bash', args, options, (error, stdout, stderr) => resolve([error, stdout, stderr]));
    });
    expect(printed).toEqual([null, `${whole.split('\n')[0]!}\n`, '']);
  });
});
