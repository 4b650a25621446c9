import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import {
  boundedRequest,
  stopsBehindFull,
  type BoundRequests,
} from '../../../adapters/node-http/connection/accept.ts';
import { createServerOf } from '../../../adapters/node-http/server.ts';
import { sendRaw } from '../../support/raw-client.ts';
import { served } from '../../support/resources.ts';

/** What a Node would make of our class if it asked a request no longer whether it leaves HTTP. */
const IGNORED: BoundRequests = () => IncomingMessage;

const WHAT_TO_DO = `
Node ${process.version} reads on behind a request whose \`upgrade\` is true, or does not set \`upgrade\`
when a head has come. Servers start nevertheless: they cut off connections that send too many requests at
once, and do not answer 503 first. To fix it, read \`parserOnHeadersComplete\` (lib/_http_common.js) and
\`parserOnIncoming\` (lib/_http_server.js) of this version: what makes the parser stop behind a request? Let
\`boundedRequest\` in adapters/node-http/connection/accept.ts do that; pipelining.test.ts holds it.`;

it('this version of Node stops reading behind a request that is one too many', async () => {
  expect(await stopsBehindFull(boundedRequest), WHAT_TO_DO).toBe(true);
});

it('a Node that reads on is noticed', async () => {
  expect(await stopsBehindFull(IGNORED)).toBe(false);
});

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

it('says so when a server starts on such a Node, and cuts off who sends too much at once', async () => {
  const logged: unknown[] = [];
  const asked: string[] = [];
  const server = createServerOf(
    {
      api: served(
        ({ target }) => {
          asked.push(target);
          return Promise.resolve({ status: 200, headers: {}, body: 'done' });
        },
        { log: { info: () => undefined, error: (...entry) => void logged.push(entry) } },
      ),
    },
    IGNORED,
  );
  close = () => server.close();
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const what = 'this version of Node reads on behind too many requests: such connections are cut off';
  expect(logged).toEqual([[{ node: process.version }, what]]);

  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(client, 'close');
  expect(chunks).toEqual([]);
  expect(asked).toEqual([]);
  expect((await sendRaw(port, 'GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).status).toBe(200);
  expect(asked).toEqual(['/b']);
});

it('a server on this Node says nothing of it', async () => {
  const logged: unknown[] = [];
  const server = createServerOf(
    {
      api: served(() => Promise.resolve({ status: 200, headers: {}, body: '' }), {
        log: { info: () => undefined, error: (...entry) => void logged.push(entry) },
      }),
    },
    boundedRequest,
  );
  close = () => server.close();
  await server.listen({ host: '127.0.0.1', port: 0 });
  expect(logged).toEqual([]);
});
