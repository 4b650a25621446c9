import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../../support/file.ts';
import { createPlace, endOf } from '../command.ts';

const place = createPlace();
let secret = '';
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'custom']);
  secret = (await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query'])).trim();
});
afterAll(() => place.remove());

describe('serve', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('listens on 127.0.0.1, and %s ends it with 0', async (signal) => {
    const server = await place.serve(['serve']);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.printed).toBe(`serving ${place.db}\nlistening on ${server.url}\n`);
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(server.url + path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await server.stop(signal)).toBe(0);
  });

  it('says nothing on stdout with --quiet, and its log has the addresses', async () => {
    const child = place.start(['serve', '--dashboard', '--quiet', '--port', '0'], {
      // Some shells and tools have the name of the machine in it, or of what they build for.
      env: { HOST: 'x86_64-conda-linux-gnu.invalid' },
    });
    const printed = text(child.stdout!);
    let listening: string[] = [];
    for await (const line of createInterface({ input: child.stderr! })) {
      const { msg, ...fields } = JSON.parse(line) as { msg: string; listening: string[] };
      if (msg !== 'started') continue;
      ({ listening } = fields);
      child.kill('SIGTERM');
    }
    expect(listening).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)]);
    expect(await printed).toBe('');
  });

  it('finishes what is in flight, and a second signal ends it at once', async () => {
    const server = await place.serve(['serve']);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const headers = [`X-API-Key: ${secret}`, 'Content-Type: application/json', ''].join('\r\n');
    const head = `POST /v1/api/query/count/shop HTTP/1.1\r\nHost: a\r\n${headers}`;
    socket.write(`${head}Content-Length: 2\r\n\r\n{`);
    // The server has received the request once it answers a later one.
    await fetch(`${server.url}/healthz`);
    const stopped = server.stop('SIGTERM');
    socket.write('}');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK[^]*\{"count":0\}\n$/);
    expect(await stopped).toBe(0);

    const stubborn = await place.serve(['serve']);
    const waiting = connect(Number(new URL(stubborn.url).port), '127.0.0.1');
    waiting.on('error', () => undefined);
    await once(waiting, 'connect');
    waiting.write(`${head}Content-Length: 2\r\n\r\n{`);
    await fetch(`${stubborn.url}/healthz`);
    const ended = stubborn.stop('SIGTERM');
    while (!stubborn.log().includes('closing')) await sleep(20);
    stubborn.child.kill('SIGTERM');
    // The signal itself ended the process.
    expect([await ended, stubborn.child.signalCode]).toEqual([null, 'SIGTERM']);
    waiting.destroy();
  });

  it('creates no file of tenants for events elsewhere, unless --db names it', async () => {
    const env = { EVENT_QUERY_DB: undefined };
    const args = ['serve', '--events', 'clickhouse://user:secret@127.0.0.1:1'];
    const { code, stdout, stderr } = await place.run(args, { env });
    expect([code, stdout]).toEqual([2, '']);
    expect((JSON.parse(stderr) as { msg: string }).msg).toBe(
      'clickhouse://user@127.0.0.1:1 holds events only, and ./data/event-query.db, ' +
        'the file for tenants and keys, does not exist: name their backend with --control, ' +
        'or a file to create with --db',
    );
    // With the place of tenants given, the command fails on the unreachable events.
    for (const told of [
      ['--db', place.db],
      ['--control', `sqlite:${place.db}`],
    ]) {
      const missing = await place.run([...args, ...told], { env });
      expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('cannot open clickhouse:')]);
    }
  });

  it('SIGTERM with --drain: it is not ready, but answers until it closes', async () => {
    const server = await place.serve(['serve', '--drain', '1h']);
    const statusOf = async (path: string) => (await fetch(server.url + path)).status;
    expect(await statusOf('/readyz')).toBe(200);
    const ended = server.stop('SIGTERM');
    while (!server.log().includes('not ready any more')) await sleep(20);
    expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([503, 200]);
    const headers = { 'X-API-Key': secret };
    expect((await fetch(`${server.url}/v1/api/query/events/shop`, { headers })).status).toBe(200);
    expect(server.log()).not.toContain('"level":50');
    // The drain would take an hour: a second signal ends the server at once.
    server.child.kill('SIGTERM');
    expect([await ended, server.child.signalCode]).toEqual([null, 'SIGTERM']);

    const brief = await place.serve(['serve', '--drain', '1s']);
    expect(await brief.stop('SIGTERM')).toBe(0);
    expect(brief.log()).toMatch(/"drainMs":1000,"msg":"not ready any more"[^]*"msg":"closing"/);
    const interrupted = await place.serve(['serve', '--drain', '1h']);
    expect(await interrupted.stop('SIGINT')).toBe(0);
  });

  it('drains for five seconds by default, unless stdout is a terminal', async () => {
    const server = await place.serve(['serve'], undefined, { EVENT_QUERY_DRAIN: undefined });
    const ended = server.stop('SIGTERM');
    while (!server.log().includes('not ready any more')) await sleep(20);
    expect(server.log()).toContain('"drainMs":5000');
    server.child.kill('SIGTERM');
    await ended;
  });

  it('SIGHUP reloads the configuration, and says what needs a restart', async () => {
    const config = join(place.folder, 'reload.json');
    const write = (value: object) => writeFileSync(config, JSON.stringify(value));
    write({ logLevel: 'info' });
    const server = await place.serve(['serve', '--config', config]);
    const lines = () =>
      server
        .log()
        .split('\n')
        .filter((line) => line.includes('SIGHUP'))
        .map((line) => JSON.parse(line) as { msg: string; changed: string[]; needsRestart: string[] });
    const hangUp = async () => {
      const { length } = lines();
      server.child.kill('SIGHUP');
      while (lines().length === length) await sleep(20);
      return lines().at(-1);
    };
    expect((await hangUp())!.msg).toBe('SIGHUP: nothing has changed');
    write({ logLevel: 'error', workers: 2 });
    // The line about a change is logged at the old level.
    expect(await hangUp()).toMatchObject({ changed: ['logLevel'], needsRestart: ['workers'] });
    await fetch(`${server.url}/nowhere`);
    expect(server.log()).not.toContain('"msg":"request"');
    write({ logLevel: 'loud' });
    expect(await hangUp()).toMatchObject({ reason: expect.stringContaining('logLevel is one of') as string });
    write({});
    server.child.kill('SIGHUP');
    for (let asked = 0; !server.log().includes('"msg":"request"'); asked += 1)
      await fetch(`${server.url}/nowhere`);
    expect(await server.stop()).toBe(0);
  });

  it('says in one line that a port is in use', async () => {
    const server = await place.serve(['serve']);
    const { port } = new URL(server.url);
    for (const [script, flag] of [
      [undefined, '--port'],
      ['start', 'npm start -- --port'],
    ]) {
      const env = { PORT: port, npm_lifecycle_event: script };
      const { code, stdout, stderr } = await place.run(['serve'], { env });
      expect([code, stdout]).toEqual([1, '']);
      expect((JSON.parse(stderr) as { msg: string }).msg).toBe(
        `cannot listen on http://127.0.0.1:${port}: the port is in use; choose another with ${flag} or PORT`,
      );
    }
    await server.stop();
  });

  it('takes host and port from the environment and brackets IPv6', async () => {
    const child = place.start(['serve'], { env: { EVENT_QUERY_HOST: '[::1]', PORT: '0' } });
    const ended = endOf(child);
    let url = '';
    for await (const line of createInterface({ input: child.stdout! })) {
      url = /^listening on (http:\/\/\[::1\]:\d+)$/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('lets only the owner read its files, and warns of files with wider permissions', async () => {
    const db = join(place.folder, 'new.db');
    const first = await place.serve(['serve', '--db', db]);
    expect(first.printed).toMatch(/^serving \S+new\.db, a new file\n/);
    expect(['', '-wal', '-shm'].map((end) => statSync(db + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    await first.stop();
    chmodSync(db, 0o644);
    const second = await place.serve(['serve', '--db', db]);
    expect(second.printed).toMatch(/^serving \S+new\.db\n/);
    // The log is written beside what is printed, and may come later.
    await second.stop();
    expect(second.log()).toContain(
      `users other than its owner can open ${db}; to fix that: chmod 600 '${db}'`,
    );
  });

  it('goes on when its stdout is not read', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const child = place.start(['serve', '--port', String(port)]);
    const ended = endOf(child);
    child.stdout!.destroy();
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (child.exitCode === null && !(await isUp())) await sleep(20);
    // The server prints its message after it listens.
    await sleep(300);
    expect(await isUp()).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('logs JSON on stderr, and no secret', async () => {
    const server = await place.serve(['serve', '--log-level', 'trace']);
    const url = `${server.url}/v1/api/query/events/shop`;
    await fetch(url, { headers: { 'X-API-Key': secret } });
    await fetch(url, { headers: { 'X-API-Key': `${secret.slice(0, -1)}x` } });
    await fetch(`${server.url}/v1/events/shop/multi`, {
      method: 'POST',
      headers: { authorization: 'Bearer a.b.c' },
    });
    expect(await server.stop()).toBe(0);
    const lines = server.log().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object).at(-1)).toMatchObject({
      msg: 'stopped',
      signal: 'SIGTERM',
    });
    expect(server.log()).not.toMatch(/eqk_|a\.b\.c/);
    const silent = await place.serve(['serve', '--log-level', 'silent']);
    await silent.stop();
    expect(silent.log()).toBe('');
  });

  it('says where everything is kept, and has no access log with --no-access-log', async () => {
    const control = join(place.folder, 'control.db');
    const server = await place.serve(['serve', '--control', `sqlite:${control}`, '--no-access-log']);
    expect(server.printed).toMatch(/^serving \S+events\.db; tenants and keys: \S+control\.db, a new file\n/);
    expect((await fetch(`${server.url}/v1/api/query/events/shop`)).status).toBe(401);
    await server.stop();
    const messages = [...server.log().matchAll(/"msg":"(\w+)"/g)].map(([, msg]) => msg);
    expect(messages).toEqual(['started', 'closing', 'stopped']);
  });

  it('returns what it leased from a limit', async () => {
    const limits = ['--plan', 'custom', '--per-minute', '600', '--per-day', '100000'];
    await place.ok(['tenant', 'create', 'leased', ...limits]);
    const made = await place.ok([
      'key',
      'create',
      'leased',
      '--name',
      'k',
      '--permission',
      'query',
      '--json',
    ]);
    const { id, secret: own } = JSON.parse(made) as { id: string; secret: string };
    const server = await place.serve(['serve']);
    const ask = async () => {
      const answer = await fetch(`${server.url}/v1/api/query/events/leased`, {
        headers: { 'X-API-Key': own },
      });
      expect(answer.status).toBe(200);
    };
    for (let i = 0; i < 31; i++) await ask();
    await server.stop();
    const [row] = runSql(place.db, 'SELECT used FROM buckets WHERE id = ?', id) as { used: string }[];
    const [, ofDay] = JSON.parse(row!.used) as number[];
    // The store keeps tokens multiplied by the length of their window.
    expect(ofDay! / 86_400_000).toBeLessThanOrEqual(31);
  });
});
