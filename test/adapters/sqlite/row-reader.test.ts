import Database from 'better-sqlite3';
import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import type { SqliteOptions } from '../../../adapters/sqlite/index.ts';
import { prepareRowOperations } from '../../../adapters/sqlite/log/row-operations.ts';
import { prepareLogs } from '../../../adapters/sqlite/log/event-log.ts';
import { createRecentEvents } from '../../../adapters/sqlite/log/recent-events.ts';
import { createRowReader } from '../../../adapters/sqlite/row-reader.ts';
import { createFileWatch } from '../../../adapters/sqlite/file/watch.ts';
import type { LogName } from '../../../adapters/sqlite/log/log-name.ts';
import type { WriterChannel } from '../../../adapters/sqlite/writer/writer.ts';
import { carryToThread } from '../../../adapters/sqlite/writer/thread.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { parseCountBody, type Path } from '../../../src/store-kit.ts';
import { eventsWith } from '../../core/columns/fixtures.ts';
import { casesOf } from '../../support/cases.ts';
import { writtenByThread } from '../../support/writer-thread.ts';
import { newFile, openRaw, openStores, TENANT } from './fixtures.ts';
import { testResources } from '../../support/resources.ts';

const { resolve } = createRequire(import.meta.url);
const below = (...segments: string[]): Path => ({ root: 'properties', segments });
const PATHS: readonly Path[] = [
  { root: 'eventName', segments: [] },
  { root: 'userId', segments: [] },
  below('p', 'plan'),
  below('p', 'list'),
  below('p', 'text'),
];
const valueOf = (i: number) => ({
  plan: [i % 5, String(i % 5), null][i % 3],
  list: i % 4 === 0 ? [i % 2, 'é'] : undefined,
  text: `text ${i % 40}`.repeat(1 + (i % 30)),
});
const is = (property: string, value: string) =>
  parseCountBody({ filterSet: [{ property, comparison: 'EQUALS', value }] });

it('what another thread reads are the values of the rows, of every version of the log', async () => {
  const file = newFile();
  const stores = openStores(file);
  const ROWS = 20_000;
  await stores.events.append(TENANT, eventsWith(Array.from({ length: ROWS }, (_, i) => valueOf(i))));
  await stores.events.erase(TENANT, is('userId', 'user-2'));
  await stores.events.erase(TENANT, is('properties.p.text', 'text 0'));
  const database = openRaw(file);
  const name = database.prepare('SELECT number, version FROM logs').get() as LogName;
  expect(name.version).toBe(2);
  const recent = createRecentEvents(0);
  const log = prepareLogs(database, { watch: createFileWatch(database), recent })(name);
  const { entry, driver } = writtenByThread(file).thread;
  const reader = createRowReader(() => carryToThread({ busyTimeoutMs: 5000, driver, file }, entry), 2);
  const size = log.size();
  expect(size).toBeGreaterThan(10_000);
  const range = fc.tuple(fc.nat(size - 1), fc.integer({ min: 1, max: 12_000 }));
  await fc.assert(
    fc.asyncProperty(fc.subarray([...PATHS], { minLength: 1 }), range, async (paths, [from, count]) => {
      const to = Math.min(size, from + count);
      const found = await reader.of(name).valuesAhead(paths, from, to);
      const rows = found[0]!.codes.length;
      // A thread that has read nothing of the log yet begins with few rows: 32, 128, 512 and 2,048.
      expect(rows).toBeGreaterThanOrEqual(Math.min(to - from, 2720));
      expect(rows).toBeLessThanOrEqual(to - from);
      const expected = paths.map((path) => {
        const values = [];
        while (values.length < rows)
          values.push(...log.values([path], from + values.length, from + rows)[0]!);
        return values.map((value) => value ?? undefined);
      });
      expect(found.map(({ values, codes }) => Array.from(codes, (code) => values[code]))).toEqual(expected);
    }),
    { numRuns: casesOf(30) },
  );
  await expect(reader.of({ number: 99, version: 0 }).valuesAhead(PATHS, 0, 10)).rejects.toThrow();
  await reader.close();
  // Nothing is left that another thread would be begun for.
  await expect(reader.of(name).valuesAhead(PATHS, 0, 10)).rejects.toMatchObject({ status: 503 });
});

it('reads about four mebibytes at once, and of a log that is gone nothing', async () => {
  const file = newFile();
  const stores = openStores(file);
  const large = Array.from({ length: 400 }, (_, i) => ({ text: `${i}`.padEnd(60_000, 'x') }));
  for (let from = 0; from < 400; from += 100)
    await stores.events.append(TENANT, eventsWith(large.slice(from, from + 100), from));
  const database = openRaw(file);
  const name = database.prepare('SELECT number, version FROM logs').get() as LogName;
  const { codeRows } = prepareRowOperations(database);
  const [found] = codeRows(name, [below('p', 'text')], 0, 400);
  expect(found!.codes.length).toBeLessThan(100);
  expect(found!.codes.length).toBeGreaterThan(30);
  await stores.events.erase(TENANT, undefined);
  await vi.waitFor(() => expect(database.prepare('SELECT count(*) FROM events').pluck().get()).toBe(0));
  expect(() => codeRows(name, [below('p', 'text')], 0, 400)).toThrow('erased');
});

it('reads the very log, and the version of it, that it is asked for', async () => {
  const file = newFile();
  const stores = openStores(file);
  const plan = below('p', 'plan');
  for (const [tenant, own] of [TENANT, 'other'].entries()) {
    const plans = Array.from({ length: 8 }, (_, i) => ({ plan: `${tenant} ${i % 4}` }));
    await stores.events.append(own, eventsWith(plans));
  }
  const database = openRaw(file);
  const names = () => database.prepare('SELECT number, version FROM logs ORDER BY number').all() as LogName[];
  const { codeRows } = prepareRowOperations(database);
  const plansOf = (name: LogName, rows: number) => {
    const [{ values, codes } = { values: [], codes: [] }] = codeRows(name, [plan], 0, rows);
    return Array.from(codes, (code) => values[code]);
  };
  const found = names().map((name) => plansOf(name, 8));
  expect(found.map((plans) => plans[1])).toEqual(['0 1', '1 1']);
  await stores.events.erase('other', is('properties.p.plan', '1 1'));
  // An erased row keeps its number, and has nothing else.
  const left = ['1 0', undefined, '1 2', '1 3'];
  expect(plansOf(names()[1]!, 8)).toEqual([...left, ...left]);
});

it('threads begin when the others are busy, as many as may be, and all end', async () => {
  const file = newFile();
  const stores = openStores(file);
  await stores.events.append(TENANT, eventsWith(Array.from({ length: 500 }, (_, i) => valueOf(i))));
  const name = openRaw(file).prepare('SELECT number, version FROM logs').get() as LogName;
  const { entry, driver } = writtenByThread(file).thread;
  const carried: number[] = [];
  let closed = 0;
  const carry = (): WriterChannel => {
    const channel = carryToThread({ busyTimeoutMs: 5000, driver, file }, entry);
    const own = carried.push(0) - 1;
    return {
      ...channel,
      carry(tasks, settle) {
        carried[own]! += tasks.length;
        channel.carry(tasks, settle);
      },
      close: () => channel.close().then(() => void (closed += 1)),
    };
  };
  const reader = createRowReader(carry, 2);
  const { valuesAhead, sortedAhead } = reader.of(name);
  expect(carried).toEqual([]);
  const read = () => valuesAhead(PATHS, 0, 500);
  await read();
  await sortedAhead(0, 500);
  // A thread that has failed is free again.
  await expect(reader.of({ number: 99, version: 0 }).valuesAhead(PATHS, 0, 10)).rejects.toThrow();
  await read();
  expect(carried).toEqual([4]);
  const answers = await Promise.all(Array.from({ length: 6 }, read));
  for (const answer of answers) expect(answer[0]!.codes).toHaveLength(500);
  expect(carried).toEqual([7, 3]);
  await reader.close();
  expect(closed).toBe(2);
});

/** Stores of a file whose reading thread dies at the first rows that it lists, and whether it has. */
function openDying(options: Partial<SqliteOptions> = {}) {
  const file = newFile();
  const module = join(dirname(file), 'driver.mjs');
  const flag = join(dirname(file), 'flag');
  writeFileSync(
    module,
    // Of the threads only the one that reads lists rows.
    `import Database from ${JSON.stringify(pathToFileURL(resolve('better-sqlite3')).href)};
     import { existsSync, rmSync } from 'node:fs';
     const flag = ${JSON.stringify(flag)};
     export default class extends Database {
       prepare(sql) {
         const statement = super.prepare(sql);
         if (!sql.includes('json_group_array')) return statement;
         return { get: (...values) => {
           if (existsSync(flag)) { rmSync(flag); process.exit(1); }
           return statement.get(...values);
         } };
       }
     }`,
  );
  writeFileSync(flag, '');
  const stores = openStores(file, {
    ...writtenByThread(file, pathToFileURL(module)),
    connect: () => new Database(file),
    prepareColumns: true,
    ...options,
  });
  const raw = openRaw(file);
  const paths = () => raw.prepare('SELECT DISTINCT path FROM column_chunks ORDER BY path').pluck().all();
  return { stores, paths, hasDied: () => !existsSync(flag) };
}

const settled = { timeout: 50_000, interval: 100 };

it(
  'a reading thread that dies is replaced, and columns are made by the next',
  { timeout: 60_000 },
  async () => {
    const { stores, paths, hasDied } = openDying();
    const ROWS = 33_000;
    await stores.events.append(TENANT, eventsWith(Array.from({ length: ROWS }, (_, i) => valueOf(i))));
    await vi.waitFor(() => expect(hasDied()).toBe(true), settled);
    await vi.waitFor(async () => {
      // What has failed is tried again when somebody is at work again.
      expect(await stores.events.count(TENANT, is('eventName', 'name-1'))).toBeGreaterThan(0);
      expect(paths()).toContain('properties.p.text');
    }, settled);
    const texts = await stores.events.count(TENANT, is('properties.p.text', 'text 0'));
    expect(texts).toBe(
      Array.from({ length: ROWS }, (_, i) => valueOf(i).text).filter((t) => t === 'text 0').length,
    );
  },
);

it(
  'a first question has other threads read, and reads itself when they die',
  { timeout: 60_000 },
  async () => {
    const { stores, hasDied } = openDying({ prepareColumns: false });
    const ROWS = 132_000;
    const plans = Array.from({ length: ROWS }, (_, i) => ({ plan: i % 7, kind: i % 3 }));
    for (let from = 0; from < ROWS; from += 11_000)
      await stores.events.append(TENANT, eventsWith(plans.slice(from, from + 11_000), from));
    expect(hasDied()).toBe(false);
    const countOf = (property: string, value: number) =>
      stores.events.count(
        TENANT,
        parseCountBody({
          filterSet: [{ property: `properties.p.${property}`, comparison: 'EQUALS', value }],
        }),
      );
    expect(await countOf('plan', 3)).toBe(plans.filter(({ plan }) => plan === 3).length);
    expect(hasDied()).toBe(true);
    expect(await countOf('kind', 2)).toBe(ROWS / 3);
  },
);

it.runIf(process.platform === 'linux')('a thread that reads gives way to all others', async () => {
  /** How much each thread of this process gives way, beside this one. */
  const levels = () =>
    readdirSync('/proc/self/task').map((id) => {
      const text = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
    });
  const file = newFile();
  const stores = openStores(file, { prepareColumns: true, ...writtenByThread(file) });
  const countLow = () => levels().filter((level) => level > 0).length;
  const before = countLow();
  await stores.events.append(TENANT, eventsWith(Array.from({ length: 33_000 }, (_, i) => valueOf(i))));
  await vi.waitFor(() => expect(countLow()).toBeGreaterThan(before), settled);
});

it(
  'no thread reads where it would take more than a fifth of the memory budget',
  { timeout: 60_000 },
  async () => {
    const MIB = 1_048_576;
    const withMemory = (bytesMax: number) => testResources({ memory: createMemoryBudget({ bytesMax }) });
    const little = openDying({ resources: withMemory(199 * MIB) });
    const enough = openDying({ resources: withMemory(200 * MIB) });
    const ROWS = 33_000;
    for (const { stores } of [little, enough])
      await stores.events.append(TENANT, eventsWith(Array.from({ length: ROWS }, (_, i) => valueOf(i))));
    await vi.waitFor(() => {
      expect(little.paths()).toContain('properties.p.text');
      expect(enough.hasDied()).toBe(true);
    }, settled);
    expect(little.hasDied()).toBe(false);
  },
);
