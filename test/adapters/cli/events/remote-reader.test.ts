import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { remoteReader } from '../../../../adapters/cli/events/remote-reader.ts';

/** More than the failures in a row after which a tail gives up. */
const OUTAGES = 7;

it('a tail goes on however often its server is away for a moment', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked % 2 === 0) return response.writeHead(503).end('{"error":"away"}');
    const event = { eventName: 'a', userId: 'u', eventTs: '2024-05-18T10:00:00.000Z', properties: {} };
    const headers = { 'Content-Type': 'application/json', 'X-Tail-Position': `p-${asked}` };
    return response.writeHead(200, headers).end(JSON.stringify([{ ...event, insertId: `i-${asked}` }]));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ending = new AbortController();
  const found: string[] = [];
  for await (const events of remoteReader({ url, key: 'k' }, 'shop').storedArrivals({}, ending.signal)) {
    found.push(...events.map(({ insertId }) => insertId));
    if (found.length > OUTAGES) ending.abort();
  }
  expect(found).toEqual(Array.from({ length: OUTAGES + 1 }, (_, i) => `i-${2 * i + 1}`));
});
