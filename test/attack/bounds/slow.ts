import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenSigner } from '../../support/token-signer.ts';
import type { LiveAttack } from './arena.ts';
import { flood, toWords, unexpected } from './flood.ts';

/** Opens connections that send the same bytes, then a byte a second for some seconds. */
async function trickle(
  port: number,
  connections: number,
  bytes: string,
  seconds: number,
  address: (i: number) => string,
): Promise<Map<string, number>> {
  const sockets: Socket[] = [];
  const statuses = new Map<string, number>();
  const note = (what: string) => void statuses.set(what, (statuses.get(what) ?? 0) + 1);
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address(i) });
    socket.on('error', () => undefined);
    socket.once('data', (data) => note(data.toString('latin1').split(' ')[1] ?? '?'));
    socket.once('close', () => note('closed'));
    socket.write(bytes);
    sockets.push(socket);
  }
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    for (const socket of sockets) if (socket.writable) socket.write(' ');
  }
  for (const socket of sockets) socket.destroy();
  return statuses;
}

const toHead = (alias: string, headers: string) =>
  `POST /v1/events/${alias}/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}` +
  `Content-Length: 100000\r\n\r\n[`;

/** Row 8: who waits for bytes, from one address and from many, to one tenant and to many. */
export const slowBodies: readonly LiveAttack[] = (
  [
    ['one address', 1, () => '127.0.0.2'],
    ['a thousand addresses', 1, (i: number) => `127.1.${Math.floor(i / 250)}.${(i % 250) + 1}`],
    ['one address, twenty tenants', 20, () => '127.0.0.2'],
  ] as const
).map(([from, tenants, address], index) => ({
  name: `slow-bodies-${index + 1}`,
  what: `1,050 slow POSTs of events from ${from}`,
  run: async ({ tenant, server }, { quick }) => {
    const seconds = quick ? 15 : 70;
    const aliases: string[] = [];
    for (let i = 0; i < tenants; i++) aliases.push((await tenant(`mallory-${i}`)).alias);
    const each = 1050 / tenants;
    const all = await Promise.all(
      aliases.map((alias) => trickle(server().port, each, toHead(alias, ''), seconds, address)),
    );
    const statuses = new Map<string, number>();
    for (const [status, times] of all.flatMap((map) => [...map]))
      statuses.set(status, (statuses.get(status) ?? 0) + times);
    return { size: `1,050 connections, ${seconds} s`, answers: toWords({ statuses }), wrong: [] };
  },
}));

/** Row 8: who waits for a key set. */
export const hangingKeySet: LiveAttack = {
  name: 'hanging-key-set',
  what: '1,050 POSTs with tokens to a tenant whose JWKS endpoint hangs',
  run: async ({ tenant, server, cli }, { quick }) => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/keys`;
    const { alias } = await tenant('mallory');
    const jwt = ['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwks-url', url];
    await cli('tenant', 'set', alias, '--auth', 'JWT', ...jwt);
    const signer = createTokenSigner();
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const token = await signer.sign({ iss: 'i', aud: 'a', sub: 'u', exp }, { kid: 'k' });
    const tally = await flood(server().origin, {
      connections: 1050,
      total: quick ? 2100 : 10_000,
      seconds: quick ? 15 : 30,
      shot: () => ({
        path: `/v1/events/${alias}/multi`,
        headers: { Authorization: `Bearer ${token}` },
        body: '[{"eventName":"e","userId":"u"}]',
      }),
    });
    hanging.closeAllConnections();
    hanging.close();
    return {
      size: '1,050 connections',
      answers: toWords(tally),
      wrong: unexpected(tally, '401', '429', '503'),
    };
  },
};

/** Row 18: a key that is revoked while the body of its request is on its way. */
export const revokedMeanwhile: LiveAttack = {
  name: 'revoked-meanwhile',
  what: 'a key is revoked while the body of its request trickles',
  run: async ({ cli, tenant, server }) => {
    const { alias } = await tenant('mallory');
    const made = await cli('key', 'create', alias, '--name', 'own', '--permission', 'query', '--json');
    const { id, secret } = JSON.parse(made) as { id: string; secret: string };
    const socket = connect({ port: server().port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => undefined);
    const answered = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString('latin1').split(' ')[1] ?? '?'));
      socket.once('close', () => resolve('closed'));
    });
    socket.write(
      `POST /v1/api/query/count/${alias} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{',
    );
    await sleep(1000);
    await cli('key', 'revoke', alias, id);
    for (let i = 0; i < 10; i++) {
      await sleep(300);
      if (socket.writable) socket.write(' ');
    }
    if (socket.writable) socket.write('}');
    const status = await Promise.race([answered, sleep(10_000, 'none')]);
    socket.destroy();
    return {
      size: 'a body of 12 bytes in 4 s',
      answers: status,
      wrong: status === '200' ? ['a revoked key got data'] : [],
    };
  },
};
