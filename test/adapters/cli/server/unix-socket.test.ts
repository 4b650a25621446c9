import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
beforeAll(() => place.ok(['tenant', 'create', 'shop']));
afterAll(() => place.remove());

/** Starts `serve` on a Unix socket; resolves when it listens. */
async function serveOn(path: string, ...args: string[]) {
  const child = place.start(['serve', '--socket', path, ...args]);
  // Only then is its log complete.
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  let [printed, log] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  await expect.poll(() => (child.exitCode === null ? printed : log)).toContain(`listening on unix:${path}\n`);
  return {
    child,
    requests: () =>
      log
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { msg: string; address?: string; requestId?: string })
        .filter(({ msg }) => msg === 'request'),
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Asks over a Unix socket. */
async function ask(socketPath: string, path: string, headers: Record<string, string> = {}) {
  const asked = request({ socketPath, path, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const FORWARDED = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'of-the-proxy' };

describe('serve --socket', () => {
  it.each([[[]], [['--workers', '2']]])(
    'listens there alone, and removes it at its end: %j',
    async (args) => {
      const path = join(place.folder, 'own.sock');
      const server = await serveOn(path, ...args);
      expect(statSync(path).isSocket()).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o660);
      expect(await ask(path, '/readyz')).toMatchObject({ status: 200, body: '{"status":"ready"}\n' });
      expect(await place.ok(['health'], { env: { EVENT_QUERY_SOCKET: path } })).toBe(
        `unix:${path} is ready\n`,
      );
      expect(await server.stop()).toBe(0);
      expect(existsSync(path)).toBe(false);
      const gone = await place.run(['health', '--socket', path]);
      expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/is not ready: .*ENOENT/)]);
    },
  );

  it.each([[[]], [['--workers', '2']]])(
    'trusts a peer there only with --trust-proxy unix: %j',
    async (args) => {
      const path = join(place.folder, 'trust.sock');
      for (const [proxies, address] of [
        ['unix', '203.0.113.9'],
        ['loopback,private', 'unix'],
      ] as const) {
        const server = await serveOn(path, '--trust-proxy', proxies, '--log-addresses', ...args);
        const { headers } = await ask(path, '/v1/api/query/events/shop', FORWARDED);
        expect(headers['x-request-id'] === 'of-the-proxy').toBe(proxies === 'unix');
        expect(await server.stop()).toBe(0);
        expect(server.requests()).toMatchObject([{ address, requestId: headers['x-request-id'] }]);
      }
    },
  );

  it('replaces what a killed server has left, and refuses a living one', async () => {
    const path = join(place.folder, 'left.sock');
    const killed = await serveOn(path);
    const second = await place.run(['serve', '--socket', path], { process: true });
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining(`another server listens on ${path}`),
    ]);
    expect((await ask(path, '/healthz')).status).toBe(200);
    await killed.stop('SIGKILL');
    expect(existsSync(path)).toBe(true);
    const server = await serveOn(path);
    expect((await ask(path, '/healthz')).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  it('refuses a socket of another program, and never removes a file', async () => {
    const path = join(place.folder, 'other.sock');
    const other = createServer().listen(path);
    await once(other, 'listening');
    const living = await place.run(['serve', '--workers', '2', '--socket', path], { process: true });
    expect([living.code, living.stderr]).toEqual([1, expect.stringContaining('another server listens on')]);
    other.close();
    const file = join(place.folder, 'a-file');
    writeFileSync(file, 'kept');
    const refused = await place.run(['serve', '--socket', file], { process: true });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('exists and is no socket')]);
    expect(readFileSync(file, 'utf8')).toBe('kept');
    const below = await place.run(['serve', '--socket', join(file, 'a.sock')], { process: true });
    expect([below.code, below.stderr]).toEqual([1, expect.stringContaining('its folder is a file')]);
    const missing = join(place.folder, 'no', 'a.sock');
    const nowhere = await place.run(['serve', '--socket', missing], { process: true });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('its folder does not exist')]);
  });

  it.each([
    [['--socket', 'a'.repeat(104)], 'at most 103 bytes'],
    [['--socket', 'a', '--port', '1'], 'leave --port out'],
    [['--socket', 'a', '--host', '::1'], 'leave --host out'],
    [['--socket', 'a', '--dashboard'], 'the dashboard needs a port'],
  ])('takes no %j', async (args, message) => {
    const { code, stderr } = await place.run(['serve', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
