import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkIntegrity,
  createFolder,
  createTenant,
  withAdmin,
  type TestTenant,
} from '../../../support/file.ts';
import { createRandom } from '../../../support/random.ts';
import { openRawClient } from '../../../support/raw-client.ts';
import {
  defectsIn,
  runServerToItsEnd,
  startServer,
  type ServerProcess,
} from '../../../support/server-process.ts';
import {
  ask,
  askTenant,
  count,
  createBatch,
  fetchAll,
  sendBatch,
  toComparable,
  until,
  type SentEvent,
} from '../../../support/traffic.ts';

const folder = createFolder();
const db = folder.file('workers.db');
const random = createRandom(7);
const WORKERS = ['--workers', '2'];
let shop: TestTenant;
let server: ServerProcess;
let sent: SentEvent[] = [];
let batches = 0;

beforeAll(async () => {
  shop = await createTenant(db, 'shop');
  server = await startServer({ db, args: WORKERS });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

/** The workers in a log, from the requests that they answered. */
function workersIn({ log }: ServerProcess): Set<unknown> {
  return new Set(log.filter(({ msg }) => msg === 'request').map(({ pid }) => pid));
}

/** Sends a batch and records the events that must be stored from then on. */
async function send(size = 20): Promise<void> {
  const batch = createBatch(random, `batch-${batches++}`, size);
  const { status, body } = await sendBatch(server.origin, shop.alias, batch);
  expect([status, body]).toMatchObject([200, { accepted: size, duplicates: 0 }]);
  sent = [...sent, ...batch];
}

/** Sends requests of all kinds from several clients until it is stopped; stopping throws any failure. */
function load(clients: number) {
  let stopped = false;
  let answered = 0;
  const client = async (i: number) => {
    while (!stopped) {
      if (i % 2 === 0) await send(5);
      else expect((await askTenant(server.origin, shop, 'count')).status).toBe(200);
      answered += 1;
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  return {
    answered: () => answered,
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const said = (text: string, log = server.log) => log.filter(({ msg }) => msg === text);

describe('serve --workers 2', () => {
  it('answers like one server: all workers see each stored event, and once', async () => {
    await Promise.all(Array.from({ length: 40 }, () => send()));
    const again = await Promise.all(
      [0, 1, 2, 3].map(() => sendBatch(server.origin, shop.alias, sent.slice(0, 50))),
    );
    expect(again.map(({ body }) => body)).toEqual(
      Array.from({ length: 4 }, () => ({ accepted: 0, duplicates: 50, rejected: [] })),
    );
    const counts = await Promise.all(Array.from({ length: 20 }, () => count(server.origin, shop)));
    expect(new Set(counts)).toEqual(new Set([sent.length]));
    expect(toComparable(await fetchAll(server.origin, shop))).toEqual(toComparable(sent));
    await until('both workers answer', () => workersIn(server).size === 2);
    expect(defectsIn(server.log)).toEqual([]);
  });

  it('admits exactly as many requests as one server', async () => {
    const limited = await createTenant(db, 'limited', { perMinute: 10, perDay: 25 });
    const wave = () =>
      Promise.all(Array.from({ length: 40 }, () => askTenant(server.origin, limited, 'count')));
    const startedAt = Date.now();
    const answers = [...(await wave()), ...(await wave())];
    const cameBack = Math.floor((Date.now() - startedAt) / 6000);
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(10 + cameBack);
    expect(answers.filter(({ status }) => status === 429).length).toBe(80 - admitted);
  });

  it('admits no more than a limit from which tokens are leased', async () => {
    const leased = await createTenant(db, 'leased', { perMinute: 600, perDay: 100_000 });
    const startedAt = Date.now();
    let admitted = 0;
    const client = async () => {
      for (let i = 0; i < 50; i++) {
        if ((await askTenant(server.origin, leased, 'count')).status === 200) admitted += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    const most = 600 + Math.ceil((Date.now() - startedAt) / 100);
    expect(admitted).toBeLessThanOrEqual(most);
    // Some leased tokens expire unused when the machine is suspended.
    expect(admitted).toBeGreaterThan(500);
  });

  it('a revoked key is refused by all of them from the next request on', async () => {
    const doomed = await createTenant(db, 'doomed');
    const waves = () =>
      Promise.all(Array.from({ length: 16 }, () => askTenant(server.origin, doomed, 'count')));
    expect((await waves()).every(({ status }) => status === 200)).toBe(true);
    await withAdmin(db, async (admin) => {
      for (const { id } of await admin.listKeys('doomed')) await admin.revokeKey('doomed', id);
    });
    expect((await waves()).map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 401));
  });

  it('SIGHUP renews the workers and loses no request', async () => {
    const before = workersIn(server);
    const { answered, stop } = load(4);
    const more = (count: number, from = answered()) =>
      until(`${count} more are answered`, () => answered() >= from + count);
    await more(8);
    server.child.kill('SIGHUP');
    await until('all workers are renewed', () => said('all workers were renewed').length === 1);
    const seen = server.log.length;
    await more(12);
    await stop();
    const after = () =>
      new Set(server.log.slice(seen).flatMap(({ msg, pid }) => (msg === 'request' ? [pid] : [])));
    await until('they have said what they answered', () => after().size > 0);
    expect([...after()].filter((pid) => before.has(pid))).toEqual([]);
    expect(await count(server.origin, shop)).toBe(sent.length);
    expect(defectsIn(server.log)).toEqual([]);
  });

  it('a SIGHUP of the terminal, which reaches each of them, ends none', async () => {
    const { pid, time } = said('request').at(-1)!;
    process.kill(Number(pid), 'SIGHUP');
    const isDecided = () =>
      said('a worker ended').length > 0 ||
      said('request').some((line) => line.pid === pid && Number(line.time) > Number(time) + 100);
    while (!isDecided()) {
      await ask(server.origin, '/v1/openapi.json', { method: 'GET', headers: { Connection: 'close' } }).catch(
        () => 0,
      );
    }
    expect(said('a worker ended')).toEqual([]);
  });

  it('killed workers are replaced, and the events that they acknowledged are stored', async () => {
    await Promise.all(Array.from({ length: 10 }, () => send()));
    const before = workersIn(server);
    const working = () => [...workersIn(server)].map(Number).filter(isAlive);
    while (working().length < 2) await send();
    const victims = working();
    for (const victim of victims) process.kill(victim, 'SIGKILL');
    await until('workers take both places', () => said('a worker took its place').length === 2);
    expect(said('a worker ended').map(({ worker }) => worker)).toEqual(expect.arrayContaining(victims));
    expect(said('a worker took its place').filter(({ worker }) => before.has(worker))).toEqual([]);
    expect(await count(server.origin, shop)).toBe(sent.length);
    await send();
  });

  it('SIGTERM lets requests in flight end and closes them all with 0', async () => {
    const client = await openRawClient(server.port);
    const head = `POST /v1/api/query/count/shop HTTP/1.1\r\nHost: a\r\nX-API-Key: ${shop.secret}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n';
    client.send(head + body);
    // A request that received 100 Continue is in flight.
    expect((await client.read()).status).toBe(100);
    client.send('{');
    const ended = server.stop('SIGTERM');
    const closing = () => said('closing').filter(({ order }) => order === 'drain').length;
    await until('both workers close', () => closing() === 2);
    client.send('}');
    expect((await client.read()).status).toBe(200);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(defectsIn(server.log)).toEqual([]);
    checkIntegrity(db);
    server = await startServer({ db, args: WORKERS });
    expect(await count(server.origin, shop)).toBe(sent.length);
  });

  it('SIGTERM with --drain: both are not ready, but answer until they close', async () => {
    await server.stop();
    server = await startServer({ db, args: [...WORKERS, '--drain', '1h'] });
    const ended = server.stop('SIGTERM');
    await until('both workers drain', () => said('not ready any more').length === 2);
    const probe = () => ask(server.origin, '/readyz', { method: 'GET', headers: { Connection: 'close' } });
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await probe()).status));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(await count(server.origin, shop)).toBe(sent.length);
    // The drain would take an hour: a second signal ends the workers at once.
    server.child.kill('SIGTERM');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    server = await startServer({ db, args: WORKERS });
  });

  it('workers that lose the primary process end by themselves', async () => {
    const pids = new Set<number>();
    while (pids.size < 2) {
      await ask(server.origin, '/v1/openapi.json', { method: 'GET', headers: { Connection: 'close' } });
      for (const pid of workersIn(server)) pids.add(Number(pid));
    }
    await server.stop('SIGKILL');
    await until('the workers end', () => ![...pids].some(isAlive));
    server = await startServer({ db, args: WORKERS });
    expect(await count(server.origin, shop)).toBe(sent.length);
  });

  it('says once that a port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, log } = await runServerToItsEnd({ db, args: [...WORKERS, '--port', String(port)] });
    expect([code, log.map(({ msg }) => msg)]).toEqual([
      1,
      [
        `cannot listen on http://127.0.0.1:${port}: ` +
          'the port is in use; choose another with --port or PORT',
      ],
    ]);
    taken.close();
  });

  it.each(['0', '257', 'many'])('refuses %s workers', async (workers) => {
    expect((await runServerToItsEnd({ db, args: ['--workers', workers] })).code).toBe(2);
  });
});
