import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPlace, endOf, type Server } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

let server: Server;
let key = '';

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.ok(['tenant', 'create', 'other']);
  const events = Array.from({ length: 1200 }, (_, i) => ({
    eventName: i % 3 === 0 ? 'order_placed' : 'seen',
    userId: `user-${i % 7}`,
    eventTs: new Date(Date.UTC(2024, 4, 1, 0, i)).toISOString(),
    insertId: `e-${i}`,
    // A large integer has a spelling of its own, and a terminal must not see the control character.
    properties: { n: i, plan: i % 2 === 0 ? 'pro' : 'free', big: 2 ** 53, text: '\u009b1m' },
  }));
  await place.import('shop', toNdjson(events));
  key = (await place.ok(['key', 'create', 'shop', '--name', 'laptop', '--permission', 'query'])).trim();
  server = await place.serve(['serve']);
});

const remote = () => ['--url', `${server.url}/`, '--key', key];

describe('a server is asked like the file', () => {
  it.each([
    ['query', '--size', '5', '--filter', 'properties.plan EQUALS "pro"'],
    ['query', '--json', '--size', '3', '--event', 'order_placed'],
    ['query', '--json', '--size', '1000', '--offset', '900'],
    ['count'],
    ['count', '--json', '--after', '2024-05-01', '--before', '2024-05-01'],
    ['names'],
    ['names', '--json'],
    ['properties'],
    ['properties', '--json', '--event', 'seen'],
    ['breakdown', '--by', 'properties.plan', '--distinct', 'userId'],
    ['breakdown', '--by', 'hour', '--json'],
    ['top', '--of', 'properties.n', '--size', '30', '--json'],
    ['top', '--of', 'properties.n', '--smallest', '--size', '3'],
    ['export'],
    ['export', '--event', 'order_placed', '--format', 'csv'],
  ])('%s, case %#', async (command, ...flags) => {
    const here = await place.run([command, 'shop', ...flags]);
    const there = await place.run([command, 'shop', ...flags, ...remote()]);
    expect(here).toMatchObject({ code: 0 });
    expect(there).toEqual(here);
  });

  it.each([
    ['query', '--filter', 'properties.plam EQUALS "pro"'],
    ['query', '--json', '--size', '5'],
    ['breakdown', '--json', '--by', 'properties.plan', '--by', 'day'],
    ['sequence', '--step', 'order_placed', '--step', 'order_placed'],
  ])('%s --explain %s %s', async (command, ...flags) => {
    // A server that has been asked before has read some columns already.
    const withoutReads = (text: string) =>
      text.replace(
        /\b\d+ of 1200 events read(, \d+ in its time)?|"read":\d+(,"inTime":\d+)?|streams\t.*\n/g,
        '',
      );
    const here = await place.ok([command, 'shop', ...flags, '--explain']);
    const there = await place.ok([command, 'shop', ...flags, '--explain', ...remote()]);
    expect(withoutReads(there)).toBe(withoutReads(here));
  });

  it('pages and resumed exports continue by the cursors of either', async () => {
    const first = await place.run(['query', 'shop', '--json', '--size', '700', ...remote()]);
    const cursor = /--cursor '([^']+)'/.exec(first.stderr)?.[1] ?? '';
    const rest = await place.ok(['query', 'shop', '--json', '--size', '1000', '--cursor', cursor]);
    const exported = await place.ok(['export', 'shop', '--cursor', cursor, ...remote()]);
    expect(exported).toBe(rest);
    expect(first.stdout + rest).toBe(await place.ok(['export', 'shop']));
  });

  it('an export into a file is complete and can be imported', async () => {
    const file = join(place.folder, 'remote.ndjson');
    await place.ok(['export', 'shop', '--out', file, ...remote()]);
    expect(readFileSync(file, 'utf8')).toBe(await place.ok(['export', 'shop']));
  });

  it('a tail prints what arrives, and Ctrl-C ends it with 0', async () => {
    await place.ok(['tenant', 'create', 'tailed']);
    const secret = await place.ok(['key', 'create', 'tailed', '--name', 'k', '--permission', 'query']);
    const child = place.start(['tail', 'tailed', '--event', 'a'], {
      env: { EVENT_QUERY_URL: server.url, EVENT_QUERY_KEY: secret.trim(), EVENT_QUERY_DB: undefined },
    });
    let printed = '';
    child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    for (let i = 0; !printed.includes('\n'); i++) {
      const event = { eventName: 'a', userId: 'u', eventTs: '2001-05-01T10:00:00Z', insertId: `i-${i}` };
      await place.import('tailed', toNdjson([event]));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const ended = endOf(child);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(fromNdjson(printed)[0]).toMatchObject({ eventName: 'a', eventDate: '2001-05-01' });
  });

  it('a tail goes on after a restart from where it was', async () => {
    await place.ok(['tenant', 'create', 'restarted']);
    const secret = await place.ok(['key', 'create', 'restarted', '--name', 'k', '--permission', 'query']);
    // The address stays while what answers there is away.
    const sockets = new Set<Socket>();
    const relay = createNetServer((socket) => {
      const onward = connect(Number(new URL(server.url).port), '127.0.0.1');
      for (const each of [socket, onward]) {
        sockets.add(each.on('error', () => undefined));
        each.on('close', () => (socket.destroy(), onward.destroy()));
      }
      socket.pipe(onward).pipe(socket);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void relay.close());
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const child = place.start(['tail', 'restarted'], {
      env: {
        EVENT_QUERY_URL: `http://127.0.0.1:${port}`,
        EVENT_QUERY_KEY: secret.trim(),
        EVENT_QUERY_DB: undefined,
      },
    });
    let [printed, told] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (told += chunk.toString()));
    const append = (insertId: string) =>
      place.import(
        'restarted',
        toNdjson([{ eventName: 'a', userId: 'u', eventTs: '2001-05-01T10:00:00Z', insertId }]),
      );
    for (let i = 0; printed === ''; i++) {
      await append(`before-${i}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    relay.close();
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => told, { timeout: 20_000 }).toContain('does not answer; trying again');
    await append('while it was away');
    relay.listen(port, '127.0.0.1');
    await expect.poll(() => printed, { timeout: 20_000 }).toContain('while it was away');
    for (const socket of sockets) socket.destroy();
    const ended = endOf(child);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const ids = (fromNdjson(printed) as { insertId: string }[]).map(({ insertId }) => insertId);
    expect(new Set(ids).size).toBe(ids.length);
  }, 60_000);

  it('an interrupted export says how to continue', async () => {
    // A server that never ends its answer.
    const slow = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      const line = { eventName: 'a', userId: 'u', eventTs: '2024-05-01T10:00:00.000Z', properties: {} };
      for (let i = 0; i < 500; i++) {
        response.write(`${JSON.stringify({ ...line, eventDate: '2024-05-01', insertId: `e${i}` })}\n`);
      }
    }).listen(0, '127.0.0.1');
    onTestFinished(() => slow.closeAllConnections());
    onTestFinished(() => void slow.close());
    await once(slow, 'listening');
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const child = place.start(['export', 'shop', '--url', url, '--key', key]);
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child.stdout!, 'data');
    const ended = endOf(child);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(stderr).toMatch(/^event-query: interrupted after 500 events; to continue: --cursor '1\.\S+'\n$/);
  });
});

describe('a server that ends within an export, behind a proxy by HTTP/1.0', () => {
  const lines = Array.from({ length: 600 }, (_, i) => {
    const at = '2024-05-01T10:00:00.000Z';
    const event = { eventName: 'a', userId: 'u', eventTs: at, eventDate: at.slice(0, 10) };
    return `${JSON.stringify({ ...event, insertId: `e${i}`, properties: {} })}\n`;
  });

  it.each([['ndjson'], ['csv'], ['parquet']])('is no complete export as %s', async (format) => {
    // As nginx passes on what came before its server ended: whole lines, and then the end of the connection.
    const cut = createNetServer((socket) => {
      socket.once('data', (data) => {
        const isExport = String(data).includes('/export/');
        const body = isExport ? lines.join('') : '{"properties":[],"more":false}';
        socket.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${body}`);
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void cut.close());
    await once(cut, 'listening');
    const url = `http://127.0.0.1:${(cut.address() as AddressInfo).port}`;
    const out = join(place.folder, `cut.${format}`);
    const ended = await place.run([
      'export',
      'shop',
      '--url',
      url,
      '--key',
      key,
      '--format',
      format,
      '--out',
      out,
    ]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('after 500 events') as string });
    expect(existsSync(out)).toBe(false);
  });
});

describe('where the key comes from', () => {
  it('a variable, a file that a flag or a variable names, or stdin', async () => {
    const file = join(place.folder, 'key');
    writeFileSync(file, `${key}\n`);
    const asked = ['count', 'shop', '--url', server.url];
    expect(await place.ok(asked, { env: { EVENT_QUERY_KEY: key } })).toBe('1200\n');
    expect(await place.ok(asked, { env: { EVENT_QUERY_KEY_FILE: file } })).toBe('1200\n');
    expect(await place.ok([...asked, '--key-file', file])).toBe('1200\n');
    expect(await place.ok([...asked, '--key-file', '-'], { input: `${key}\n` })).toBe('1200\n');
    // A flag counts more than a variable.
    expect(await place.ok([...asked, '--key-file', file], { env: { EVENT_QUERY_KEY: 'eqk_x' } })).toBe(
      '1200\n',
    );
  });

  it.each<[string[], Record<string, string | undefined>, RegExp]>([
    [['--url', 'URL'], {}, /--url needs the key of the tenant: --key-file FILE, or EVENT_QUERY_KEY\n$/],
    [
      ['--url', 'URL', '--key', 'a b'],
      {},
      /--key takes the secret of an API key, one line without spaces\n$/,
    ],
    [['--url', 'URL', '--key-file', '/none'], {}, /--key-file: \/none: there is no such file or folder\n$/],
    [['--url', 'URL', '--key', 'x', '--key-file', 'y'], {}, /--key and --key-file: leave one of them out\n$/],
    [['--key', 'x'], {}, /a key is for a server: name it with --url\n$/],
    [['--url', 'ftp://x', '--key', 'x'], {}, /argument 'ftp:\/\/x' is invalid. It takes a URL such as/],
    [['--url', 'http://u:p@x', '--key', 'x'], {}, /It takes a URL such as/],
    [['--url', 'http://x/?', '--key', 'x'], {}, /It takes a URL such as/],
    [
      ['--url', 'URL', '--db', 'x.db', '--key', 'x'],
      {},
      /--url names a server and --db a backend: leave one of them out\n$/,
    ],
    [
      ['--key', 'x'],
      { EVENT_QUERY_URL: 'http://x' },
      /EVENT_QUERY_URL names a server and EVENT_QUERY_DB a backend: leave one of them out\n$/,
    ],
  ])('%j with %j is refused', async (flags, env, message) => {
    const args = ['count', 'shop', ...flags.map((flag) => flag.replace('URL', server.url))];
    const own = Object.keys(env).length > 0;
    const { code, stdout, stderr } = await place.run(args, own ? { env } : {});
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n').length).toBe(2);
  });

  it('a flag for the file counts more than the variable for a server', async () => {
    const env = { EVENT_QUERY_URL: 'http://127.0.0.1:1', EVENT_QUERY_DB: undefined };
    expect(await place.ok(['count', 'shop', '--db', place.db], { env })).toBe('1200\n');
  });
});

describe('what a server refuses is one line that says what to do', () => {
  const failing = async (args: readonly string[], url = server.url, secret = key) => {
    const { code, stdout, stderr } = await place.run([...args, '--url', url, '--key', secret]);
    expect(stdout).toBe('');
    expect(stderr.split('\n').length).toBe(2);
    expect(stderr).not.toContain(secret);
    return [code, stderr] as const;
  };

  it('a wrong key', async () => {
    const [code, stderr] = await failing(['count', 'shop'], server.url, `eqk_${'x'.repeat(43)}`);
    expect([code, stderr]).toEqual([
      1,
      `event-query: ${server.url}: Invalid API key or insufficient permissions; give a key with the ` +
        'permission query of this tenant (--key-file, EVENT_QUERY_KEY)\n',
    ]);
  });

  it('the key of another tenant', async () => {
    const [code, stderr] = await failing(['names', 'other']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Tenant not found; the key belongs to another'),
    ]);
  });

  it('no server, and one that redirects', async () => {
    const [code, stderr] = await failing(['count', 'shop'], 'http://127.0.0.1:1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot reach http://127.0.0.1:1: ')]);
    const keys: unknown[] = [];
    const target = createServer((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.end('{"count":5}');
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const place = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
    const sender = createServer((_request, response) =>
      response.writeHead(307, { Location: `${place}/secret?x=1` }).end(),
    ).listen(0, '127.0.0.1');
    await once(sender, 'listening');
    onTestFinished(() => void target.close());
    onTestFinished(() => void sender.close());
    const from = `http://127.0.0.1:${(sender.address() as AddressInfo).port}`;
    const [redirected, why] = await failing(['count', 'shop'], from);
    expect([redirected, why]).toEqual([
      1,
      `event-query: cannot reach ${from}: it redirects to ${place}; if you trust that server, name it with ` +
        '--url\n',
    ]);
    expect(keys).toEqual([]);
  });

  it('a wrong filter is refused before anything is sent, with the flag that it came from', async () => {
    const [code, stderr] = await failing(['count', 'shop', '--filter', 'n EQUALS 1'], 'http://127.0.0.1:1');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--filter "n EQUALS 1": ')]);
  });
});
