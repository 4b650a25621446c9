import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRawClient, type RawClient } from '../support/raw-client.ts';
import { FAULTS } from './support/scale.ts';
import { isAssertion, toReport } from './support/expected.ts';
import { checkIntegrity, createFolder, createTenant, type Folder, type TestTenant } from '../support/file.ts';
import { startHost } from './support/host-process.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer, type ServerProcess } from '../support/server-process.ts';
import {
  askTenant,
  count,
  createBatch,
  pause,
  sendBatch,
  type Report,
  type SentEvent,
} from '../support/traffic.ts';

/** How many uploads are half way when the signal comes. */
const UPLOADS = 8;

const random = createRandom(FAULTS.seed);
let folder: Folder;
let db: string;
let tenant: TestTenant;

beforeEach(async () => {
  folder = createFolder();
  db = folder.file('sigterm.db');
  tenant = await createTenant(db, 'shop');
});

afterEach(() => folder.remove());

describe('SIGTERM during traffic', () => {
  it('finishes what is in flight, closes the stores and exits with 0', async () => {
    const server = await startServer({ db });
    const uploads = await Promise.all(Array.from({ length: UPLOADS }, (_, i) => beginUpload(server, i)));
    const traffic = { acknowledged: 0 };
    const clients = [0, 1, 2].map((client) => sendUntilRefused(server, `client-${client}`, traffic));
    await pause(200);
    const ending = server.stop('SIGTERM');
    await untilClosing(server);
    // The rest of each upload comes after the signal, and is answered all the same.
    for (const { client, rest } of uploads) client.send(rest);
    for (const { client, size } of uploads) {
      const { status, headers, body } = await client.read();
      expect(status, body).toBe(200);
      expect((JSON.parse(body) as Report).accepted).toBe(size);
      expect(headers.connection).toBe('close');
      traffic.acknowledged += size;
    }
    expect(await ending).toEqual({ code: 0, signal: null });
    const unanswered = (await Promise.all(clients)).flat();
    expectClean(server);

    const again = await startServer({ db });
    const stored = await count(again.origin, tenant);
    expect(stored).toBeGreaterThanOrEqual(traffic.acknowledged);
    expect(stored).toBeLessThanOrEqual(traffic.acknowledged + unanswered.length);
    await again.stop();
  });

  it('does not wait for ever for a client that does not go on', async () => {
    const host = await startHost(db, ['--close-timeout-ms', '500']);
    const { client } = await beginUpload(host, 0);
    expect(await host.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    client.close();
    expectClean(host);
  });
});

if (FAULTS.long) {
  describe('SIGTERM, again and again', () => {
    it('at random moments loses nothing and leaves a clean file', async () => {
      let stored = 0;
      for (let round = 0; round < 20; round++) {
        const server = await startServer({ db });
        expect(await count(server.origin, tenant)).toBeGreaterThanOrEqual(stored);
        stored = await count(server.origin, tenant);
        const traffic = { acknowledged: 0 };
        const clients = [0, 1, 2].map((client) => sendUntilRefused(server, `${round}-${client}`, traffic));
        await pause(random.between(0, 300));
        expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
        await Promise.all(clients);
        stored += traffic.acknowledged;
        expectClean(server);
      }
    }, 120_000);
  });
}

/** Sends the head of a batch, and half of the body when the server reads it. */
async function beginUpload(
  server: ServerProcess,
  i: number,
): Promise<{ client: RawClient; rest: Buffer; size: number }> {
  const events = createBatch(random, `upload-${i}`, 100);
  const body = Buffer.from(JSON.stringify(events));
  const client = await openRawClient(server.port);
  client.send(
    `POST /v1/events/shop/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect((await client.read()).status).toBe(100);
  client.send(body.subarray(0, body.length / 2));
  return { client, rest: body.subarray(body.length / 2), size: events.length };
}

/** Sends batches and counts until the server takes no more; the events that got no answer. */
async function sendUntilRefused(
  server: ServerProcess,
  label: string,
  traffic: { acknowledged: number },
): Promise<SentEvent[]> {
  for (let i = 0; ; i++) {
    const batch = createBatch(random, `${label}-${i}`, random.between(1, 50));
    try {
      const { accepted } = toReport(await sendBatch(server.origin, tenant.alias, batch));
      traffic.acknowledged += accepted;
      expect((await askTenant(server.origin, tenant, 'count')).status).toBe(200);
    } catch (error) {
      if (isAssertion(error)) throw error;
      return batch;
    }
  }
}

/** Resolves when the server has said that it closes. */
async function untilClosing({ log }: ServerProcess): Promise<void> {
  while (!log.some(({ msg }) => msg === 'closing')) await pause(5);
}

/** A clean end leaves one file: the write-ahead log is moved into it and removed. */
function expectClean(server: ServerProcess): void {
  expect(defectsIn(server.log)).toEqual([]);
  expect([existsSync(`${db}-wal`), existsSync(`${db}-shm`)]).toEqual([false, false]);
  checkIntegrity(db);
}
