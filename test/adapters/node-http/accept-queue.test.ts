import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createAcceptQueue } from '../../../adapters/node-http/connection/accept-queue.ts';
import { stopTime } from '../../support/stopped-time.ts';

const clients: Socket[] = [];
const server = createServer({ pauseOnConnect: true });

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.removeAllListeners('connection').close();
});

/** Connects clients of some addresses in their order; the addresses as their connections are read. */
async function enter(addresses: readonly string[]): Promise<readonly string[]> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  for (const localAddress of addresses) {
    const client = connect({ port, host: '127.0.0.1', localAddress });
    client.write('.');
    clients.push(client);
  }
  await expect.poll(() => accepted.length).toBe(addresses.length);
  // However long a turn takes here, the crowd comes at once.
  stopTime();
  const read: string[] = [];
  const queue = createAcceptQueue();
  for (const socket of accepted) {
    const address = socket.remoteAddress!;
    socket.once('data', () => read.push(address));
    queue.add(socket, address);
    // As Node accepts them.
    await turn();
  }
  await expect.poll(() => read.length).toBe(addresses.length);
  return read;
}

it('a lone connection is read at once', async () => {
  expect(await enter(['127.0.0.1'])).toEqual(['127.0.0.1']);
});

it('behind a crowd of one address, who comes from another is read before most of them', async () => {
  const crowd = Array<string>(300).fill('127.0.0.2');
  const read = await enter([...crowd, '127.0.0.1']);
  expect(read.indexOf('127.0.0.1')).toBeLessThan(150);
});
