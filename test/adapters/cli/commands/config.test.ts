import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

function fileOf(value: unknown): string {
  const file = join(place.folder, 'event-query.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

describe('a configuration file', () => {
  it('sets what no flag and no variable sets', async () => {
    const db = join(place.folder, 'from-file.db');
    const check = async (value: object, ...flags: string[]) =>
      JSON.parse(
        await place.ok(['config', 'check', '--json', '--config', fileOf(value), ...flags]),
      ) as object;
    // The environment of these commands names a file, which wins over the configuration.
    expect(await check({ db, limits: 'memory:' })).toEqual({
      events: place.db,
      control: place.db,
      limits: 'memory:',
    });
    expect(await check({ events: `sqlite:${db}` })).toEqual({ events: db, control: db, limits: db });
    expect(await check({ events: `sqlite:${db}`, limits: 'memory:' }, '--limits', `sqlite:${db}`)).toEqual({
      ...{ events: db, control: db, limits: db },
    });
  });

  it('may begin with a byte order mark, as editors of Windows write it', async () => {
    const file = fileOf('\ufeff{"limits": "memory:"}');
    expect(JSON.parse(await place.ok(['config', 'check', '--json', '--config', file]))).toMatchObject({
      limits: 'memory:',
    });
  });

  it('holds the options of a server', async () => {
    const value = { port: 0, logLevel: 'silent', accessLog: false, memoryMax: '512MiB', limits: 'memory:' };
    const server = await place.serve(['serve', '--config', fileOf(value)]);
    expect(server.printed).toMatch(/; limits: memory:\n/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toBe('');
  });

  it.each<[unknown, string]>([
    [{ evnts: 'sqlite:a' }, 'there is no key "evnts"; did you mean "events"?'],
    [{ prot: 80 }, 'there is no key "prot"; did you mean "port"?'],
    [
      { 'memory-max': '1GiB', wrkers: 2, x: 1 },
      'there is no key "memory-max"; did you mean "memoryMax"?; ' +
        'there is no key "wrkers"; did you mean "workers"?; there is no key "x"',
    ],
    [{ port: 'x' }, 'port: '],
    [{ port: 70_000 }, 'port: '],
    [{ memoryMax: '12' }, 'memoryMax: It takes 256MiB or more'],
    [{ logLevel: 'loud' }, 'logLevel is one of trace, debug'],
    [{ workers: 'many' }, 'workers: '],
    [{ events: 'mysql://u:hidden@h/d' }, '--events takes sqlite:FILE'],
    ['{', 'cannot read'],
    [[], 'the whole: '],
  ])('%j is told what is wrong', async (value, message) => {
    const { code, stderr } = await place.run(['config', 'check', '--config', fileOf(value)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('hidden');
  });

  it('that is missing is reported', async () => {
    const { code, stderr } = await place.run(['count', 'shop', '--config', 'none.json']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot read none.json')]);
  });

  it('has a schema', async () => {
    const schema = JSON.parse(await place.ok(['config', 'schema'])) as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['db', 'events', 'control', 'limits', 'port', 'workers']),
    );
  });
});

describe('places', () => {
  it('can be read from a file that a variable names', async () => {
    const secret = join(place.folder, 'secret');
    const db = join(place.folder, 'named.db');
    writeFileSync(secret, `sqlite:${db}\n`);
    const env = { EVENT_QUERY_LIMITS_FILE: secret };
    const { stdout } = await place.run(['config', 'check', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ events: place.db, limits: db });
    const flags = ['--config', fileOf({ limits: 'memory:' })];
    const both = await place.run(['config', 'check', '--json', ...flags], { env });
    expect(JSON.parse(both.stdout)).toMatchObject({ limits: db });
    const missing = await place.run(['config', 'check'], {
      env: { EVENT_QUERY_LIMITS_FILE: `${secret}.none` },
    });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('EVENT_QUERY_LIMITS_FILE')]);
  });

  it('that cannot be reached are reported without their secrets', async () => {
    for (const flag of ['--events', '--control', '--limits']) {
      const url = 'postgres://user:hidden@127.0.0.1:1/none';
      const { code, stderr } = await place.run(['config', 'check', flag, url]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('cannot open postgres://user@127.0.0.1:1/none'),
      ]);
      expect(stderr).not.toContain('hidden');
    }
  });

  it('of limits cannot be memory when several processes serve', async () => {
    const { code, stderr } = await place.run([
      'serve',
      '--limits',
      'memory:',
      '--workers',
      '2',
      '--port',
      '0',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--workers')]);
  });

  it('in separate files are each created and used', async () => {
    const [events, control] = ['events', 'control'].map((name) => join(place.folder, `${name}.db`));
    const flags = ['--events', `sqlite:${events}`, '--control', `sqlite:${control}`];
    await place.ok(['tenant', 'create', 'apart', ...flags]);
    await place.import(
      'apart',
      '{"eventName":"a","userId":"u","eventTs":"2024-05-01T10:00:00Z"}\n',
      ...flags,
    );
    expect(await place.ok(['count', 'apart', ...flags])).toBe('1\n');
    const { stderr } = await place.run(['count', 'apart', '--events', `sqlite:${events}`]);
    expect(stderr).not.toBe('');
    await place.ok(['tenant', 'delete', 'apart', '--yes', ...flags]);
  });

  it('other than files are not compacted', async () => {
    const { code, stderr } = await place.run(['compact', '--events', 'postgres://h/d']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('compact is for events in a file')]);
  });
});
