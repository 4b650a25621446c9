import Database from 'better-sqlite3';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../../adapters/sqlite/file/migrations.ts';
import { EVERYTHING } from '../../../conformance/expected.ts';
import { stopTime } from '../../../support/stopped-time.ts';
import { writtenByThread } from '../../../support/writer-thread.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, P_IS_3, TENANT, wrapping } from '../fixtures.ts';
import { testResources } from '../../../support/resources.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const unavailableError = expect.objectContaining({ name: 'ApiError', status: 503, logged: true }) as unknown;
const ENDS = ['', '-wal', '-shm'];

/** The stores of a file, and what they tell of it. */
function watched(file: string, options: Parameters<typeof openStores>[1] = {}) {
  const told: (string | undefined)[] = [];
  const stores = openStores(file, { ...options, onTrouble: (trouble) => told.push(trouble) });
  return { stores, told };
}

/** Moves a file with what lies beside it into another folder, which need not be there. */
function move(file: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const end of ENDS) renameSync(file + end, join(folder, basename(file)) + end);
  return join(folder, basename(file));
}

describe.each([
  ['in the thread that asks', () => ({})],
  ['in a thread of its own', writtenByThread],
])('a file that is written %s', (_, writing) => {
  it('and moved: what is committed there is not told to be stored, until it is back', async () => {
    const file = newFile();
    const { stores, told } = watched(file, writing(file));
    await fill(stores, 10);
    const away = move(file, join(dirname(file), 'away'));
    for (let i = 0; i < 5; i++)
      await expect(stores.events.append(TENANT, eventsFrom(10 + i, 1))).rejects.toEqual(unavailableError);
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    await expect(stores.events.count(TENANT, EVERYTHING)).rejects.toEqual(unavailableError);
    await expect(recordsIn(stores.control).tenants.findByAlias('shop')).rejects.toEqual(unavailableError);
    // After a restart there would be a new, empty file.
    const sentence = `${file} or its -wal is not in its place any more: put it back before you restart`;
    expect(told).toEqual([sentence]);
    move(away, dirname(file));
    await stores.ready();
    // What was refused may have been stored; it comes again as a repeat.
    const { duplicates } = await stores.events.append(TENANT, eventsFrom(10, 5));
    expect(duplicates.length).toBeLessThan(5);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(15);
    expect(told.slice(1)).toEqual([undefined]);
  });

  it('and replaced: the new one is left alone, and nothing is answered', async () => {
    const [file, other] = [newFile(), newFile()];
    const { stores, told } = watched(file, writing(file));
    await fill(stores, 10);
    const raw = openRaw(other);
    raw.exec('CREATE TABLE other (text TEXT)');
    move(file, join(dirname(file), 'away'));
    renameSync(other, file);
    await expect(stores.events.append(TENANT, eventsFrom(10, 1))).rejects.toEqual(unavailableError);
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    expect(told).toEqual([expect.stringContaining(`${file} was replaced by another file`)]);
    expect(
      new Database(file, { readonly: true }).prepare('SELECT name FROM sqlite_schema').pluck().all(),
    ).toEqual(['other']);
  });

  it('and whose log is removed: the log is where events are', async () => {
    const file = newFile();
    const { stores, told } = watched(file, writing(file));
    await fill(stores, 10);
    rmSync(`${file}-wal`);
    await expect(stores.events.append(TENANT, eventsFrom(10, 1))).rejects.toEqual(unavailableError);
    expect(told).toHaveLength(1);
  });

  it('and brought to a newer schema: nothing is written or answered by who does not know it', async () => {
    const file = newFile();
    const { stores, told } = watched(file, writing(file));
    await fill(stores, 10);
    const raw = openRaw(file);
    raw.pragma('user_version = 99');
    await expect(stores.limits.take('k', [{ limit: 1, windowMs: 1000 }], [1])).rejects.toEqual(
      unavailableError,
    );
    await expect(stores.events.append(TENANT, eventsFrom(10, 1))).rejects.toEqual(unavailableError);
    await expect(stores.events.count(TENANT, EVERYTHING)).rejects.toEqual(unavailableError);
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    expect(told).toEqual([expect.stringContaining(`${file} has schema 99 of a newer event-query`)]);
    expect(raw.prepare('SELECT count(*) FROM events').pluck().get()).toBe(10);
    raw.pragma(`user_version = ${MIGRATIONS.length}`);
    await stores.ready();
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(10);
  });
});

describe('a file that is watched', () => {
  it('is looked at by itself, whoever asks or not', async () => {
    const file = newFile();
    const { told } = watched(file);
    move(file, join(dirname(file), 'away'));
    await expect.poll(() => told.length).toBe(1);
  });

  it('and brought to a newer schema is noticed by the next who only reads', async () => {
    const file = newFile();
    const { stores } = watched(file);
    await recordsIn(stores.control).tenants.findByAlias('shop');
    await new Promise((resolve) => setImmediate(resolve));
    openRaw(file).pragma('user_version = 99');
    // In the same turn of the event loop, in which nobody else can have looked.
    await expect(recordsIn(stores.control).tenants.findByAlias('shop')).rejects.toEqual(unavailableError);
  });

  it('that is damaged is told once, by its name and with what to do', async () => {
    const file = newFile();
    const before = openStores(file);
    await fill(before, 20_000);
    await before.close();
    const handle = openSync(file, 'r+');
    const { size } = statSync(file);
    for (let at = 131_072; at < size; at += 4096) writeSync(handle, Buffer.alloc(4096, 'x'), 0, 4096, at);
    closeSync(handle);
    const { stores, told } = watched(file);
    for (let i = 0; i < 2; i++)
      await expect(stores.events.count(TENANT, P_IS_3)).rejects.toEqual(unavailableError);
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    expect(told).toEqual([
      expect.stringMatching(
        /events\.db is damaged .*: stop .* restore a backup, or .* check --repair NEW-FILE/,
      ),
    ]);
  });

  it('that another process has locked is named by who cannot write', async () => {
    const file = newFile();
    const { stores } = watched(file, { busyTimeoutMs: 0 });
    openRaw(file).exec('BEGIN IMMEDIATE');
    const error = (await stores.control.trimAudit(1).catch((thrown: unknown) => thrown)) as Error;
    expect(String(error.cause)).toContain(`${file} is held by another process that writes`);
  });
});

describe('a full disk', () => {
  const full = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

  it('without room in reserve takes no events, and answers, counts limits and erases', async () => {
    const file = newFile();
    const before = openStores(file);
    await fill(before, 100);
    await before.close();
    const { stores, told } = watched(file, { ...writtenByThread(file), reserveBytes: 2 ** 50 });
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    await expect(stores.events.append(TENANT, eventsFrom(100, 1))).rejects.toEqual(unavailableError);
    expect(told).toEqual([
      expect.stringMatching(/no room in reserve; until there is room no events are taken/),
    ]);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(100);
    expect(await stores.events.erase(TENANT)).toBe(100);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(0);
  });

  it('erases with what is kept for that, which is there again afterwards', async () => {
    const file = newFile();
    const reserve = `${file}-reserve`;
    const refused: string[] = [];
    const connect = wrapping(file, {
      statement: (sql) => {
        if (!/^\s*(UPDATE logs SET (version|tenant)|DELETE)/.test(sql) || !existsSync(reserve)) return;
        refused.push(sql);
        throw full();
      },
    });
    await fill(openStores(file, writtenByThread(file)), 1);
    // What a server keeps is used by a command too.
    await openStores(file, { ...writtenByThread(file), reserveBytes: 65_536 }).ready();
    expect(statSync(reserve).size).toBe(65_536);
    const { stores } = watched(file, { connect, reserveBytes: 65_536 });
    expect(await stores.events.erase(TENANT)).toBe(1);
    expect(refused).toHaveLength(1);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(0);
    expect(statSync(reserve).size).toBe(65_536);
  });

  it('is not told of where nothing can be kept for another reason', async () => {
    const file = newFile();
    mkdirSync(`${file}-reserve`);
    const { stores, told } = watched(file, { ...writtenByThread(file), reserveBytes: 65_536 });
    await fill(stores, 1);
    await stores.ready();
    expect(told).toEqual([]);
  });

  it('takes events as soon as there is room, and tells of it when that has lasted', async () => {
    const time = stopTime();
    const file = newFile();
    let isFull = true;
    const connect = wrapping(file, {
      statement: (sql) => {
        if (isFull && sql.includes('INTO events')) throw full();
      },
    });
    const { stores, told } = watched(file, { connect });
    await expect(stores.events.append(TENANT, eventsFrom(0, 1))).rejects.toEqual(unavailableError);
    expect(told).toEqual([expect.stringContaining('until there is room no events are taken')]);
    isFull = false;
    await fill(stores, 1);
    time.advance(5000);
    await stores.ready();
    expect(told).toHaveLength(1);
    time.advance(1);
    await stores.ready();
    expect(told.slice(1)).toEqual([undefined]);
  });

  it('keeps the tokens in memory that it cannot write, and writes them as soon as it can', async () => {
    const file = newFile();
    let isFull = false;
    const connect = wrapping(file, {
      statement: (sql) => {
        if (isFull && sql.includes('INTO buckets')) throw full();
      },
    });
    const { stores, told } = watched(file, {
      connect,
      resources: testResources({ runtime: { now: () => 1000 } }),
    });
    const windows = [{ limit: 4, windowMs: 60_000 }];
    const take = async () => {
      const { allowed, windows: states } = await stores.limits.take('k', windows, [1]);
      return [allowed, states[0]!.remaining];
    };
    expect(await take()).toEqual([true, 3]);
    isFull = true;
    expect([await take(), await take()]).toEqual([
      [true, 2],
      [true, 1],
    ]);
    expect((await stores.limits.take('k', windows, 0)).windows[0]!.remaining).toBe(1);
    expect(told).toEqual([expect.stringContaining('limits are counted in memory')]);
    isFull = false;
    expect(await take()).toEqual([true, 0]);
    expect(
      (
        await openStores(file, { resources: testResources({ runtime: { now: () => 1000 } }) }).limits.take(
          'k',
          windows,
          0,
        )
      ).allowed,
    ).toBe(false);
  });
});

describe('two troubles of a file', () => {
  const [DAMAGED, FULL, GONE] = [
    /^\S* is damaged /,
    /^the disk of \S* is full /,
    /not in its place any more/,
  ];

  /** A file whose troubles begin and end as a test says, and are met by the next who asks or sends. */
  async function troubled() {
    const time = stopTime();
    const file = newFile();
    const now = { isFull: false, isDamaged: false };
    const refuse = (code: string, message: string) => Object.assign(new Error(message), { code });
    const connect = wrapping(file, {
      statement: (sql) => {
        if (now.isFull && sql.includes('INTO events')) throw refuse('SQLITE_FULL', 'database is full');
        if (now.isDamaged && sql.includes('FROM documents'))
          throw refuse('SQLITE_CORRUPT', 'database disk image is malformed');
      },
    });
    const { stores, told } = watched(file, { connect });
    await fill(stores, 1);
    let away = '';
    const send = () => stores.events.append(TENANT, eventsFrom(1, 1));
    const begin = {
      full: async () => {
        now.isFull = true;
        await expect(send()).rejects.toEqual(unavailableError);
      },
      damage: async () => {
        now.isDamaged = true;
        await expect(recordsIn(stores.control).tenants.findByAlias('shop')).rejects.toEqual(unavailableError);
        now.isDamaged = false;
      },
      gone: async () => {
        away = move(file, join(dirname(file), 'away'));
        await expect(stores.ready()).rejects.toEqual(unavailableError);
      },
    };
    const end = {
      full: async () => {
        now.isFull = false;
        time.advance(201);
        await send();
        time.advance(5001);
      },
      damage: () => Promise.resolve(),
      gone: () => Promise.resolve(void move(away, dirname(file))),
    };
    const isReady = () =>
      stores.ready().then(
        () => true,
        () => false,
      );
    return { begin, end, told, isReady, send };
  }

  it.each([
    ['damage', 'full'],
    ['full', 'damage'],
  ] as const)('%s, then %s: both are told, and damage stays when there is room', async (first, second) => {
    const { begin, end, told, isReady } = await troubled();
    await begin[first]();
    await begin[second]();
    const both = told.at(-1)!;
    expect(told).toEqual([expect.stringMatching(first === 'full' ? FULL : DAMAGED), both]);
    expect(both.split('; ')).toEqual(
      expect.arrayContaining([expect.stringMatching(FULL), expect.stringMatching(DAMAGED)]),
    );
    await begin[first]();
    await begin[second]();
    expect(told).toHaveLength(2);
    await end.full();
    expect(await isReady()).toBe(false);
    expect(told.slice(2)).toEqual([expect.stringMatching(DAMAGED)]);
    expect(told.at(-1)).not.toMatch(FULL);
  });

  it.each(['full', 'damage'] as const)(
    '%s, then moved and put back: the first is there again',
    async (first) => {
      const { begin, end, told, isReady } = await troubled();
      const sentence = first === 'full' ? FULL : DAMAGED;
      await begin[first]();
      await begin.gone();
      await end.gone();
      expect(await isReady()).toBe(false);
      expect(told).toEqual([sentence, GONE, sentence].map((each) => expect.stringMatching(each) as string));
      await end[first]();
      expect(await isReady()).toBe(first === 'full');
      expect(told.slice(3)).toEqual(first === 'full' ? [undefined] : []);
    },
  );

  it.each(['full', 'damage'] as const)('moved and put back, then %s: each is told', async (second) => {
    const { begin, end, told, isReady } = await troubled();
    await begin.gone();
    await end.gone();
    expect(await isReady()).toBe(true);
    await begin[second]();
    const sentence = second === 'full' ? FULL : DAMAGED;
    expect(told).toEqual([expect.stringMatching(GONE), undefined, expect.stringMatching(sentence)]);
  });
});
