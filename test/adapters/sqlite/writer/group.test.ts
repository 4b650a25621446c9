import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import type { StoredEvent } from '../../../../src/store-kit.ts';
import { REQUEST_COST, requestWindows } from '../../../../src/core/access/plan.ts';
import { EVERYTHING } from '../../../conformance/expected.ts';
import { eventsFrom, newFile, openRaw, openStores, TENANT, tracing, wrapping } from '../fixtures.ts';
import { testResources } from '../../../support/resources.ts';

const STORED = { duplicates: [], overNames: [] };
const unavailableError = expect.objectContaining({ name: 'ApiError', status: 503 }) as unknown;
const WINDOWS = requestWindows({ perMinute: 100, perDay: 1000 });

/** What became of promises: their values, or their errors. */
async function outcomesOf(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((each): unknown => (each.status === 'fulfilled' ? each.value : each.reason));
}

/** Batches of one event each. */
const singles = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => eventsFrom(first + i, 1));

const broken = (first: number): StoredEvent[] =>
  eventsFrom(first, 2).map((event, i) => (i === 1 ? { ...event, propertiesJson: '{' } : event));

/**
 * The stores of a file, and the statements that begin and end what they write. A timer reads the file in
 * transactions of its own, as often as a test is slow: those are left out.
 */
function traced(options: { busyTimeoutMs?: number } = {}) {
  const file = newFile();
  const seen: string[] = [];
  let isReading = false;
  const stores = openStores(file, {
    ...options,
    connect: tracing(file, (sql) => {
      const [, word] = /^(BEGIN|COMMIT|ROLLBACK$|PRAGMA synchronous = \w+)/.exec(sql) ?? [];
      if (word === undefined) return;
      if (sql === 'BEGIN') isReading = true;
      if (!isReading) seen.push(word);
      if (word === 'COMMIT' || word === 'ROLLBACK') isReading = false;
    }),
  });
  seen.length = 0;
  return { file, stores, seen };
}

const transactionsOf = (seen: readonly string[]) => seen.filter((word) => !word.startsWith('PRAGMA'));

/** The insert ids of the file, in the order of their rows. */
const idsOf = (file: string) =>
  openRaw(file).prepare('SELECT insert_id FROM events ORDER BY id').pluck().all() as string[];

describe('writes that wait together', () => {
  it('share one transaction and keep the order in which they came, and each has its own answer', async () => {
    const { file, stores, seen } = traced();
    const answers = await Promise.all([
      ...singles(0, 20).map((batch) => stores.events.append(TENANT, batch)),
      stores.events.append(TENANT, eventsFrom(3, 30)),
    ]);
    expect(transactionsOf(seen)).toEqual(['BEGIN', 'COMMIT']);
    expect(answers.slice(0, 20)).toEqual(Array(20).fill(STORED));
    expect(answers[20]).toEqual({ duplicates: Array.from({ length: 17 }, (_, i) => i), overNames: [] });
    expect(idsOf(file)).toEqual(eventsFrom(0, 33).map(({ insertId }) => insertId));
  });

  it('take turns by owner where more waits than is written at once, each in its order', async () => {
    const { file, stores, seen } = traced();
    const large = eventsFrom(0, 3).map((event) => [
      { ...event, propertiesJson: `{"text":"${'x'.repeat(9_000_000)}"}` },
    ]);
    const stored: string[] = [];
    const write = async (owner: string, batch: readonly StoredEvent[]) => {
      expect(await stores.events.append(owner, batch)).toEqual(STORED);
      stored.push(owner);
    };
    const writes = large.map((batch) => write(TENANT, batch));
    for (const first of [10, 20]) {
      for (const other of ['b', 'c']) writes.push(write(other, eventsFrom(first, 1)));
    }
    await Promise.all(writes);
    // The first large one is being encoded; the small ones of others, all of them together, come next.
    expect(stored).toEqual(['b', 'c', 'b', 'c', TENANT, TENANT, TENANT]);
    expect(transactionsOf(seen)).toEqual(Array<string[]>(5).fill(['BEGIN', 'COMMIT']).flat());
    expect(idsOf(file).slice(-3)).toEqual(eventsFrom(0, 3).map(({ insertId }) => insertId));
  });

  it('wait for the end of a turn, but where they come one at a time only now and then', async () => {
    const { stores } = traced();
    /** Whether a batch is stored within the turn that it came in. */
    const isQuick = async (i: number) => {
      let turned = false;
      setImmediate(() => (turned = true));
      await stores.events.append(TENANT, eventsFrom(i, 1));
      return !turned;
    };
    const quick: boolean[] = [];
    for (let i = 0; i < 17; i++) quick.push(await isQuick(i));
    const eight = [false, ...Array<boolean>(7).fill(true)];
    expect(quick).toEqual([...eight, ...eight, false]);
    await Promise.all(singles(20, 3).map((batch) => stores.events.append(TENANT, batch)));
    expect(await isQuick(30)).toBe(false);
  });

  it('are answered after the commit only', async () => {
    const file = newFile();
    const answered: number[] = [];
    const answeredAtCommit: number[] = [];
    const connect = wrapping(file, {
      exec: (sql) => {
        if (sql === 'COMMIT') answeredAtCommit.push(answered.length);
      },
    });
    const stores = openStores(file, { connect });
    answeredAtCommit.length = 0;
    await Promise.all(
      singles(0, 5).map((batch, i) => stores.events.append(TENANT, batch).then(() => answered.push(i))),
    );
    expect(answeredAtCommit).toEqual([0]);
    expect(answered).toEqual([0, 1, 2, 3, 4]);
  });

  it('lose nobody to a bad one among them', async () => {
    const { file, stores, seen } = traced();
    await stores.events.drop('gone');
    seen.length = 0;
    const answers = await outcomesOf([
      stores.events.append(TENANT, eventsFrom(0, 2)),
      stores.events.append(TENANT, broken(2)),
      stores.events.append('gone', eventsFrom(0, 1)),
      stores.events.append(TENANT, eventsFrom(4, 2)),
    ]);
    expect(answers).toEqual([
      STORED,
      expect.objectContaining({ message: 'malformed JSON' }),
      expect.objectContaining({ code: 'tenantNotFound' }),
      STORED,
    ]);
    expect(transactionsOf(seen)).toEqual(['BEGIN', 'COMMIT']);
    expect(idsOf(file)).toEqual(['id-0', 'id-1', 'id-4', 'id-5']);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(4);
  });

  it('are cut into groups of bounded rows and bytes', async () => {
    const { file, stores, seen } = traced();
    await Promise.all([0, 1, 2, 3].map((i) => stores.events.append(TENANT, eventsFrom(i * 2000, 2000))));
    // A group may begin before all batches wait, so there may be one more.
    const commits = () => seen.filter((word) => word === 'COMMIT').length;
    expect([3, 4]).toContain(commits());
    seen.length = 0;
    const large = (i: number) => eventsFrom(10_000 + i, 1, () => 'x'.repeat(900_000));
    await Promise.all(Array.from({ length: 20 }, (_, i) => stores.events.append(TENANT, large(i))));
    expect([4, 5]).toContain(commits());
    expect(idsOf(file)).toHaveLength(8020);
  });

  it('wait for the disk, but for takes of limits alone', async () => {
    const { stores, seen } = traced();
    const take = (id: string) => stores.limits.take(id, WINDOWS, REQUEST_COST);
    await Promise.all([take('a'), take('b')]);
    expect(seen).toEqual(['PRAGMA synchronous = NORMAL', 'BEGIN', 'COMMIT']);
    seen.length = 0;
    await Promise.all([take('a'), stores.events.append(TENANT, eventsFrom(0, 1))]);
    expect(seen).toEqual(['PRAGMA synchronous = FULL', 'BEGIN', 'COMMIT']);
    expect((await take('a')).windows[0]!.remaining).toBe(97);
  });
});

describe('a group that cannot be stored', () => {
  it('for want of space answers 503 to exactly those that are not', async () => {
    const file = newFile();
    const connections: Database.Database[] = [];
    const connect = () => connections[connections.push(new Database(file)) - 1]!;
    const stores = openStores(file, { connect });
    await stores.events.append(TENANT, eventsFrom(0, 10));
    const pages = connections[0]!.pragma('page_count', { simple: true }) as number;
    connections[0]!.pragma(`max_page_count = ${pages + 4}`);
    const large = (i: number) => eventsFrom(100 + i, 1, () => 'x'.repeat(i % 2 === 0 ? 10 : 30_000));
    const answers = await outcomesOf([0, 1, 2, 3, 4].map((i) => stores.events.append(TENANT, large(i))));
    expect(answers).toEqual([STORED, unavailableError, STORED, unavailableError, STORED]);
    expect(idsOf(file).slice(10)).toEqual(['id-100', 'id-102', 'id-104']);
    connections[0]!.pragma('max_page_count = 1000000');
    const again = await outcomesOf([1, 3].map((i) => stores.events.append(TENANT, large(i))));
    expect(again).toEqual([STORED, STORED]);
    expect(openRaw(file).pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('because the commit fails is stored one by one, and told so', async () => {
    const file = newFile();
    let failures = 1;
    const connect = wrapping(file, {
      exec: (sql) => {
        if (sql !== 'COMMIT' || failures-- !== 0) return;
        failures = -1;
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
      },
    });
    const stores = openStores(file, { connect });
    const answers = await outcomesOf(singles(0, 3).map((batch) => stores.events.append(TENANT, batch)));
    expect(answers).toEqual([STORED, STORED, STORED]);
    failures = 0;
    expect(await outcomesOf([stores.events.append(TENANT, eventsFrom(5, 1))])).toEqual([unavailableError]);
    expect(idsOf(file)).toEqual(['id-0', 'id-1', 'id-2']);
  });

  it('because another process holds the lock waits for it once, not once for each', async () => {
    const { file, stores, seen } = traced({ busyTimeoutMs: 300 });
    const raw = openRaw(file);
    raw.exec('BEGIN IMMEDIATE');
    const answers = await outcomesOf(singles(0, 20).map((batch) => stores.events.append(TENANT, batch)));
    expect(answers).toEqual(Array(20).fill(unavailableError));
    expect(transactionsOf(seen)).toEqual(['BEGIN']);
    raw.exec('ROLLBACK');
    expect(await stores.events.append(TENANT, eventsFrom(0, 1))).toEqual(STORED);
  });
});

describe('what waits', () => {
  it('is bounded by the memory budget: beyond it 503 with Retry-After, and nothing is stored', async () => {
    const file = newFile();
    const memory = createMemoryBudget({ bytesMax: 1_000_000 });
    const stores = openStores(file, { resources: testResources({ memory }) });
    const large = (i: number) => eventsFrom(i, 1, () => 'x'.repeat(200_000));
    const answers = await outcomesOf([0, 1, 2, 3, 4, 5].map((i) => stores.events.append(TENANT, large(i))));
    const overloadedError = expect.objectContaining({
      code: 'overloaded',
      headers: { 'Retry-After': '1' },
    }) as unknown;
    // The first waits for nobody; a tenant may have half of all memory.
    expect(answers).toEqual([STORED, STORED, STORED, overloadedError, overloadedError, overloadedError]);
    expect(idsOf(file)).toEqual(['id-0', 'id-1', 'id-2']);
    expect(memory.bytes).toBe(0);
    expect(await stores.events.append(TENANT, large(3))).toEqual(STORED);
  });

  it('is refused to nobody who is alone, however little memory there is', async () => {
    const stores = openStores(newFile(), {
      resources: testResources({ memory: createMemoryBudget({ bytesMax: 1000 }) }),
    });
    const large = (i: number) => eventsFrom(i, 1, () => 'x'.repeat(100_000));
    for (const i of [0, 1, 2]) expect(await stores.events.append(TENANT, large(i))).toEqual(STORED);
  });

  it('is written before the stores close, and what comes later is refused', async () => {
    const file = newFile();
    const stores = openStores(file);
    const waiting = outcomesOf(singles(0, 10).map((batch) => stores.events.append(TENANT, batch)));
    const closing = stores.close();
    await expect(stores.events.append(TENANT, eventsFrom(20, 1))).rejects.toEqual(unavailableError);
    await closing;
    expect(await waiting).toEqual(Array(10).fill(STORED));
    expect(idsOf(file)).toHaveLength(10);
    await stores.close();
  });
});
