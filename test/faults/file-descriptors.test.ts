import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { endWell, isAssertion, toReport } from './support/expected.ts';
import { checkIntegrity, createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import {
  ask,
  count,
  createBatch,
  fetchAll,
  pause,
  sendBatch,
  toComparable,
  type SentEvent,
} from '../support/traffic.ts';

/** How many files the server may open beside those that it has open when it starts. */
const FILES_LEFT = 12;
const CLIENTS = 120;

const folder = createFolder();
const db = folder.file('files.db');
const random = createRandom(FAULTS.seed);
const stored: SentEvent[] = [];
const hogs: Socket[] = [];
let tenant: TestTenant;
let server: ServerProcess;

beforeAll(async () => {
  tenant = await createTenant(db, 'shop');
  server = await startServer({ db });
});

afterAll(async () => {
  for (const hog of hogs) hog.destroy();
  await endWell(server);
  checkIntegrity(db);
  folder.remove();
});

describe('no file descriptors left (EMFILE)', () => {
  it('the server lives, refuses or lets wait, and goes on when there are some again', async () => {
    await send('before');
    // Loading its modules takes Node more than serving, so the limit is set behind that.
    const open = readdirSync(`/proc/${server.pid}/fd`).length;
    execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${open + FILES_LEFT}:`]);
    for (let i = 0; i < CLIENTS; i++) hogs.push(openIdle());
    await Promise.all(hogs.map(connectedOrRefused));
    // Each try ends in an answer or in a connection that is not taken, never in an error of the server.
    let answered = 0;
    let refused = 0;
    for (let i = 0; i < 20; i++) {
      try {
        expect((await ask(server.origin, '/healthz', { method: 'GET' })).status).toBe(200);
        answered += 1;
      } catch (error) {
        if (isAssertion(error)) throw error;
        refused += 1;
      }
    }
    console.log(`EMFILE: ${CLIENTS} idle connections, then ${answered} answered, ${refused} refused`);
    expect(server.child.exitCode).toBeNull();

    for (const hog of hogs) hog.destroy();
    while (!(await isServed())) await pause(20);
    for (let i = 0; i < 5; i++) await send(`after-${i}`);
    expect(await count(server.origin, tenant)).toBe(stored.length);
    expect(toComparable(await fetchAll(server.origin, tenant))).toEqual(toComparable(stored));
  });
});

async function send(label: string): Promise<void> {
  const batch = createBatch(random, label, 50);
  expect(toReport(await sendBatch(server.origin, tenant.alias, batch)).accepted).toBe(50);
  stored.push(...batch);
}

function openIdle(): Socket {
  const socket = connect({ port: server.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  // A request that never ends keeps its connection from being closed as idle.
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
  return socket;
}

/** Resolves when the kernel or the server has decided about a connection. */
function connectedOrRefused(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['connect', 'close', 'error']) socket.once(event, () => resolve());
  });
}

async function isServed(): Promise<boolean> {
  try {
    return (await ask(server.origin, '/healthz', { method: 'GET' })).status === 200;
  } catch {
    return false;
  }
}
