import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCli } from '../support/built.ts';
import { cleanEnv } from '../support/clean-env.ts';
import { createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { HOST, hasProxy, startCaddy, startNginx, type Proxy, type StartProxy } from './proxy.ts';

const PROXIES: readonly (readonly [name: string, sample: string, start: StartProxy])[] = [
  ['nginx', 'nginx.conf', (folder, port) => startNginx(folder, port)],
  ['caddy', 'Caddyfile', startCaddy],
];

/** An address of this machine from which a client comes; the proxy comes from 127.0.0.1. */
const CLIENT = '127.0.0.2';

/** More than the sockets between a client and the server hold, in events of about a kilobyte. */
const MANY_EVENTS = 40_000;

for (const [name, sample, start] of PROXIES) {
  describe.runIf(hasProxy(name))(`adapters/cli/deploy/${sample}`, () => {
    const folder = createFolder();
    const db = folder.file('events.db');
    let shop: TestTenant;
    let server: ServerProcess;
    let proxy: Proxy;

    beforeAll(async () => {
      shop = await createTenant(db, 'shop');
      server = await startServer({ db, args: ['--trust-proxy', '127.0.0.1', '--log-addresses'] });
      proxy = await start(folder.path, server.port);
    });
    afterAll(async () => {
      await proxy.stop();
      await server.stop();
      folder.remove();
    });

    /** Sends a request through the proxy, whose certificate is checked, from the address of a client. */
    async function ask(path: string, body: string, headers: Readonly<Record<string, string>> = {}) {
      const sent = request({
        ...{ host: '127.0.0.1', port: proxy.port, servername: HOST, ca: readFileSync(proxy.certificate) },
        ...{ localAddress: CLIENT, method: 'POST', path, agent: false },
        headers: {
          ...{ host: `${HOST}:${proxy.port}`, 'content-type': 'application/json' },
          ...{ 'x-api-key': shop.secret, ...headers },
        },
      }).end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return answer;
    }

    const send = async (events: readonly object[]) => {
      const answer = await ask('/v1/events/shop/multi', JSON.stringify(events));
      expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([
        200,
        { accepted: events.length },
      ]);
    };

    const logged = (operation: string) =>
      server.log.filter((line) => line.msg === 'request' && line.operation === operation);

    /** A command that asks the server through the proxy. */
    const command = (...args: string[]) => ({
      args: [builtCli(), ...args, '--url', `https://${HOST}:${proxy.port}`, '--key', shop.secret],
      env: { ...cleanEnv(), NODE_EXTRA_CA_CERTS: proxy.certificate },
    });

    it('passes events and questions over TLS, with the address of the client and one id', async () => {
      await send([{ eventName: 'sold', userId: 'ann', insertId: '1', eventTs: '2026-01-01T00:00:00Z' }]);
      const { args, env } = command('count', 'shop');
      const counted = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      expect([counted.status, counted.stdout, counted.stderr]).toEqual([0, '1\n', '']);
      // What a client claims to be is not believed.
      const lies = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-request-id': 'mine' };
      const answer = await ask('/v1/api/query/count/shop', '{}', lies);
      expect(await text(answer)).toBe('{"count":1}\n');
      const requestId = answer.headers['x-request-id'];
      expect(requestId).toMatch(/^[0-9a-f-]{32,36}$/);
      await expect.poll(() => logged('count').some((line) => line.requestId === requestId)).toBe(true);
      expect(logged('count').find((line) => line.requestId === requestId)).toMatchObject({ address: CLIENT });
      expect(logged('ingest')).toMatchObject([{ address: CLIENT, accepted: 1 }]);
    });

    it('sends each event to a tail as it arrives', async () => {
      const { args, env } = command('tail', 'shop');
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
      try {
        // Nothing tells when the tail has begun, which prints what arrives from then on.
        while (!printed.includes('"userId":"bob"')) {
          await send([{ eventName: 'tailed', userId: 'bob' }]);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        await send([{ eventName: 'tailed', userId: 'eve' }]);
        await expect.poll(() => printed).toContain('"userId":"eve"');
      } finally {
        child.kill('SIGINT');
        await once(child, 'exit');
      }
    });

    it('holds nothing of an export back: the server waits for a client that reads slowly', async () => {
      const filling = 'x'.repeat(1000);
      for (let sent = 0; sent < MANY_EVENTS; sent += 2000)
        await send(
          Array.from({ length: 2000 }, () => ({ eventName: 'many', userId: 'u', properties: { filling } })),
        );
      const answer = await ask('/v1/api/query/export/shop', '{"event":"many"}');
      const first = await new Promise<Buffer>((resolve) => {
        answer.once('data', (piece: Buffer) => resolve(piece)).once('data', () => answer.pause());
      });
      expect((await ask('/v1/api/query/count/shop', '{}')).statusCode).toBe(200);
      // Its line comes with its last piece.
      expect(logged('export')).toEqual([]);
      const rest = await text(answer);
      expect((first.toString() + rest).trimEnd().split('\n')).toHaveLength(MANY_EVENTS);
      await expect.poll(() => logged('export').length).toBe(1);
    });
  });
}
