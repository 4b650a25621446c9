import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToText } from '../../../../adapters/cli/server/log-text.ts';
import { createPlace, runOnTerminal, type Server } from '../command.ts';

const place = createPlace();
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  // The server warns of a file that others can read.
  chmodSync(place.db, 0o644);
});
afterAll(() => place.remove());

interface Entry {
  readonly level: number;
  readonly time: number;
  readonly pid: number;
  readonly msg: string;
}

const entriesOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);

/** Runs a script in each process of a server before its own code. */
const running = (script: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
});

const heard = (server: Server, what: string) => expect.poll(() => server.log()).toContain(what);

const TEXT_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO |WARN |ERROR|FATAL) \S/;

describe('all that a server writes to stderr', () => {
  it('is JSON where stderr is no terminal: warnings of its own, of Node, requests, the end', async () => {
    const env = {
      EVENT_QUERY_DBB: 'x',
      ...running(`process.on('SIGUSR2', () => process.emitWarning('of Node'))`),
    };
    const server = await place.serve(['serve'], undefined, env);
    await fetch(`${server.url}/v1/api/query/events/shop`);
    server.child.kill('SIGUSR2');
    await heard(server, 'of Node');
    expect(await server.stop()).toBe(0);
    const entries = entriesOf(server.log());
    for (const { level, time, pid } of entries)
      expect([typeof level, typeof time, typeof pid]).toEqual(['number', 'number', 'number']);
    expect(entries.map(({ level, msg }) => `${level} ${msg}`)).toEqual(
      expect.arrayContaining([
        '40 unknown variable EVENT_QUERY_DBB; did you mean EVENT_QUERY_DB?',
        expect.stringMatching(/^40 users other than its owner can open /),
        '40 of Node',
        '30 request',
        '30 closing',
      ]),
    );
  });

  it('is text with --log-format text', async () => {
    const server = await place.serve(['serve', '--log-format', 'text']);
    await fetch(`${server.url}/v1/api/query/events/shop`);
    expect(await server.stop()).toBe(0);
    const lines = server.log().trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(TEXT_PATTERN);
    expect(lines.find((line) => line.includes(' request '))).toMatch(
      / INFO  request requestId=[\w-]+ method=GET .*route=\/v1\/\S+\/\{tenantId\} tenant=shop status=401 /,
    );
  });

  it('is text by default on a terminal, in colours unless NO_COLOR is set', async () => {
    for (const [env, colored] of [
      [{ NO_COLOR: '1' }, false],
      [{}, true],
    ] as const) {
      // Node shows no colours where CI is set, so that the command gets this environment alone.
      const { PATH, HOME } = process.env;
      const own = { PATH, HOME, TERM: 'xterm-256color', EVENT_QUERY_DRAIN: '0', EVENT_QUERY_DB: place.db };
      const { said, type, ended } = runOnTerminal(['serve', '--port', '0'], { ...own, ...env });
      // A terminal discards at Ctrl-C what it has not shown yet, so all that the start says comes first.
      await expect.poll(said).toContain(' started ');
      // Ctrl-C, as a person presses it.
      type('\u0003');
      expect(await ended).toBe(0);
      expect(said()).toMatch(colored ? /\u001b\[\d+mWARN/ : /Z WARN {2}users other than its owner/);
      expect(said().includes('\u001b[')).toBe(colored);
    }
  });

  it('holds the reason why it does not start, once', async () => {
    const server = await place.serve(['serve']);
    const { port } = new URL(server.url);
    const json = await place.run(['serve', '--port', port], { process: true });
    expect(json.code).toBe(1);
    expect(entriesOf(json.stderr)).toMatchObject([
      { level: 60, msg: expect.stringContaining('the port is in use') as string },
    ]);
    const words = await place.run(['serve', '--log-format', 'text', '--port', port], { process: true });
    expect([words.code, words.stderr]).toEqual([1, expect.stringMatching(/^event-query: cannot listen on /)]);
    const misused = await place.run(['serve', '--prot', port], { process: true });
    expect([misused.code, entriesOf(misused.stderr)]).toMatchObject([2, [{ level: 60 }]]);
    await server.stop();
  });

  it('holds the error that ends it', async () => {
    const env = running(`process.on('SIGUSR2', () => { throw new Error('a defect') })`);
    const server = await place.serve(['serve'], undefined, env);
    expect(await server.stop('SIGUSR2')).toBe(1);
    // The start line may still be on its way to stderr at the end of the process, and arrive behind it.
    const fatal = entriesOf(server.log()).filter(({ level }) => level === 60);
    expect(fatal).toMatchObject([{ err: { message: 'a defect' } }]);
  });

  it.each([
    ['json', /"level":50,[^\n]*"pid":(\d+),[^\n]*"msg":"no JSON"/],
    ['text', / ERROR no JSON pid=(\d+)\n/],
  ])('with workers is %s too, whatever they write', async (format, pattern) => {
    const env = running(
      `import cluster from 'node:cluster'; if (cluster.isWorker) process.stderr.write('no JSON\\n')`,
    );
    const args = ['serve', '--workers', '2', '--log-format', format];
    const server = await place.serve(args, undefined, env);
    await fetch(`${server.url}/v1/api/query/events/shop`);
    await heard(server, 'users other than');
    expect(await server.stop()).toBe(0);
    expect(server.log()).toMatch(pattern);
    const lines = server.log().trimEnd().split('\n');
    for (const line of lines) {
      if (format === 'text') expect(line).toMatch(TEXT_PATTERN);
      else expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) as number });
    }
    expect(lines.some((line) => line.includes('request'))).toBe(true);
  });
});

describe('the text of an entry', () => {
  const toText = createToText({ colors: false, pid: 7 });
  const entry = { level: 50, time: Date.UTC(2026, 0, 2), pid: 7, hostname: 'h', msg: 'failed' };

  it('has the stack of an error below it, and no number of its own process', () => {
    const err = { type: 'TypeError', message: 'a = "b"', stack: 'TypeError: a\n    at f (x.ts:1)\n    at g' };
    expect(toText(JSON.stringify({ ...entry, n: 1, err, list: ['a'] }))).toBe(
      `2026-01-02T00:00:00.000Z ERROR failed n=1 err="TypeError: a = \\"b\\"" list=["a"]\n` +
        '    at f (x.ts:1)\n    at g',
    );
    expect(toText(JSON.stringify({ ...entry, pid: 8 }))).toMatch(/ failed pid=8$/);
  });

  it('cannot control a terminal, nor look like another line', () => {
    const evil = 'a\u001b[2J\n2026 INFO  b\u202e';
    const written = toText(
      JSON.stringify({
        ...entry,
        msg: evil,
        [evil]: evil,
        err: { type: evil, message: evil, stack: `${evil}\r` },
      }),
    );
    expect(written).not.toMatch(/[\u001b\r\u202e]/);
    expect(
      written
        .split('\n')
        .slice(1)
        .every((line) => line.startsWith('    ')),
    ).toBe(true);
    expect(toText(evil)).not.toMatch(/[\u001b\n]/);
  });
});
