import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endWell } from './support/expected.ts';
import { createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { count } from '../support/traffic.ts';

/** More clients than the backlog that Node asks for by itself, which is 511. */
const CLIENTS = Math.min(1500, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) - 100);

const folder = createFolder();
let server: ServerProcess;
let tenant: TestTenant;

beforeAll(async () => {
  const db = folder.file('standstill.db');
  tenant = await createTenant(db, 'shop');
  server = await startServer({ db });
});

afterAll(async () => {
  await endWell(server);
  folder.remove();
});

describe('a server that stands still for a moment', () => {
  it(`answers all ${CLIENTS} clients that came meanwhile`, async () => {
    process.kill(server.pid, 'SIGSTOP');
    const sockets: Socket[] = [];
    const answers: Promise<number>[] = [];
    try {
      // The kernel takes connections for the server as far as its backlog goes; nothing here waits for time.
      const connected = Array.from({ length: CLIENTS }, async () => {
        const socket = connect({ port: server.port, host: '127.0.0.1' });
        sockets.push(socket);
        answers.push(askOn(socket));
        await new Promise((resolve) => socket.once('connect', resolve));
      });
      await Promise.all(connected);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    const statuses = await Promise.all(answers);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(200);
    expect(await count(server.origin, tenant)).toBe(0);
    for (const socket of sockets) socket.destroy();
  });
});

/** Sends a count at once; the status of its answer. Rejects when the connection ends before it. */
function askOn(socket: Socket): Promise<number> {
  socket.write(
    `POST /v1/api/query/count/shop HTTP/1.1\r\nHost: a\r\nX-API-Key: ${tenant.secret}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
  return new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(Number(data.toString('latin1').split(' ')[1])));
    socket.once('error', reject);
    socket.once('end', () => reject(new Error('the connection ended without an answer')));
  });
}
