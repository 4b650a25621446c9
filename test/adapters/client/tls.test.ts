import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createLineServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../adapters/client/index.ts';
import { TLS } from '../../support/tls-certificate.ts';
import { createPlace } from '../cli/command.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const PLAIN = /it does not speak TLS; its URL may begin with http:/;
const WITH_TLS = /it closed the connection without an answer; if it speaks TLS, its URL begins with https:/;
const UNKNOWN = /nothing that Node trusts has signed its certificate; .*NODE_EXTRA_CA_CERTS/;

const CASES = [
  ['https: of a server without TLS', 'https', () => createServer(), PLAIN],
  ['https: of a server of another protocol', 'https', lineServer, PLAIN],
  ['http: of a server with TLS', 'http', () => createTlsServer(TLS), WITH_TLS],
  ['a certificate that it has signed itself', 'https', () => createTlsServer(TLS), UNKNOWN],
  ['TLS of another age', 'https', () => createTlsServer({ ...TLS, ...OLD }), /TLS fails: \w/],
] as const;

/** OpenSSL speaks these only where it is told so. */
const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

function lineServer() {
  return createLineServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.example ESMTP\r\n');
  });
}

it.each(CASES)('%s is told in words, by the client and the commands', async (_, scheme, open, says) => {
  const url = `${scheme}://127.0.0.1:${await portOf(open())}`;
  const told: string[] = [];
  const client = createClient({ url, tenant: 'shop', apiKey: 'eqk_0' });
  await client.count().catch((error: unknown) => told.push(String(error)));
  const place = createPlace();
  onTestFinished(() => place.remove());
  for (const args of [
    ['count', 'shop', '--url', url, '--key', 'eqk_0'],
    ['health', '--url', url],
  ])
    told.push((await place.run(args)).stderr);
  for (const text of told) {
    expect(text).toMatch(says);
    expect(text).not.toMatch(/SSL routines|error:[0-9A-F]{8}|\.c:\d+/);
  }
  expect(told).toHaveLength(3);
});
