import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import type { JsonObject } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import type { FoundValue, StoredEvent } from '../../../src/store-kit.ts';
import { properties } from '../../conformance/arbitraries/events.ts';
import { KEYS } from '../../conformance/arbitraries/traps.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { stopTime } from '../../support/stopped-time.ts';
import {
  eventsFrom,
  fill,
  newFile,
  openRaw,
  openStores,
  P_IS_3,
  PAGE,
  queryOf,
  TENANT,
  tracing,
  wrapping,
} from './fixtures.ts';

/** Rows of a chunk; a log of a little more has one whole chunk. */
const CHUNK = 32_768;

describe('columns that were kept', () => {
  it('answer after a restart without the log being read again', async () => {
    const file = newFile();
    const before = openStores(file);
    await fill(before, CHUNK * 2 + 100);
    const dated = { ...P_IS_3, from: 1_000_000, until: 50_000_000 };
    const ask = async ({ events }: typeof before) => [
      await events.count(TENANT, P_IS_3),
      await events.count(TENANT, dated),
      await collect(await events.query(TENANT, dated, PAGE)),
      await events.eventNames(TENANT),
    ];
    // A page this deep needs the order, which is stored then.
    await collect(await before.events.query(TENANT, P_IS_3, { offset: CHUNK, size: 10 }));
    const answers = await ask(before);
    await before.close();

    const statements: string[] = [];
    const after = openStores(file, { connect: tracing(file, (sql) => statements.push(sql)) });
    statements.length = 0;
    expect(await ask(after)).toEqual(answers);
    const scans = statements.filter((sql) => sql.includes('json_group_array'));
    // The last hundred rows of the column and of the order, which belong to no whole chunk.
    expect(scans.reduce((rows, sql) => rows + rowsOf(sql), 0)).toBe(200);
  });

  it('are read again when they are damaged or gone, and a column that is not whole is no harm', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, CHUNK * 2);
    const count = await stores.events.count(TENANT, P_IS_3);
    const page = await collect(await stores.events.query(TENANT, P_IS_3, PAGE));
    await stores.close();
    const raw = openRaw(file);
    for (const damage of [
      'UPDATE column_chunks SET codes = zeroblob(32768) WHERE chunk = 1',
      "UPDATE column_chunks SET entries = replace(entries, '3', '4')",
      'UPDATE column_chunks SET codes = substr(codes, 1, 1000)',
      "UPDATE column_chunks SET path = path || 'x'",
      'DELETE FROM column_chunks WHERE chunk = 0',
      'DROP TABLE column_chunks; CREATE TABLE column_chunks (log, path, chunk, entries, codes, checksum)',
    ]) {
      raw.exec(damage);
      const opened = openStores(file);
      expect(await opened.events.count(TENANT, P_IS_3)).toBe(count);
      expect(await collect(await opened.events.query(TENANT, P_IS_3, PAGE))).toEqual(page);
      await opened.close();
    }
  });

  it('go with the tenant', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, CHUNK);
    await stores.events.count(TENANT, P_IS_3);
    const raw = openRaw(file);
    const rows = (table: string) => raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect(rows('column_chunks')).toBe(1);
    await stores.events.erase(TENANT);
    expect([rows('column_chunks'), rows('events'), rows('logs')]).toEqual([0, 0, 0]);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(0);
  });

  it('are a cache only: a query answers while another process holds the write lock', async () => {
    const file = newFile();
    const waits: string[] = [];
    const connect = wrapping(file, {
      exec: (sql) => {
        if (sql.startsWith('PRAGMA busy_timeout')) waits.push(sql);
      },
    });
    const stores = openStores(file, { connect });
    await fill(stores, CHUNK);
    const raw = openRaw(file);
    raw.exec('BEGIN IMMEDIATE');
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(6553);
    raw.exec('ROLLBACK');
    // It would answer as well after it had waited for the lock, only to keep what others can do without.
    expect(waits.at(-1)).toBe('PRAGMA busy_timeout = 0');
  });
});

/** How many rows a traced statement reads: better-sqlite3 writes the bound values into it. */
function rowsOf(sql: string): number {
  const [, first, end] = /id >= ([\d.]+) AND events\.id < ([\d.]+)/.exec(sql) ?? [];
  return Number(end) - Number(first);
}

describe('two processes on one file', () => {
  it('see what the other appends, and number rows without a gap', async () => {
    const file = newFile();
    const [one, two] = [openStores(file), openStores(file)];
    for (let round = 0; round < 5; round++) {
      await one.events.append(TENANT, eventsFrom(round * 20, 10));
      expect(await two.events.count(TENANT, EVERYTHING)).toBe(round * 20 + 10);
      await two.events.append(TENANT, [...eventsFrom(round * 20 + 10, 10), ...eventsFrom(round * 20, 3)]);
      expect(await one.events.count(TENANT, EVERYTHING)).toBe(round * 20 + 20);
    }
    expect(await one.events.count(TENANT, P_IS_3)).toBe(20);
    expect(await collect(await two.events.query(TENANT, P_IS_3, PAGE))).toEqual(
      await collect(await one.events.query(TENANT, P_IS_3, PAGE)),
    );
    const [log] = openRaw(file).prepare('SELECT number, size FROM logs').all() as {
      number: number;
      size: number;
    }[];
    const ids = openRaw(file).prepare('SELECT id FROM events ORDER BY id').pluck().all() as number[];
    expect(ids).toEqual(Array.from({ length: log!.size }, (_, row) => log!.number * 2 ** 32 + row));
  });

  it('notice that the other erased the tenant, also when it began anew with as many events', async () => {
    const file = newFile();
    const [one, two] = [openStores(file), openStores(file)];
    await one.events.append(TENANT, eventsFrom(0, 50));
    expect(await two.events.count(TENANT, P_IS_3)).toBe(10);
    await one.events.erase(TENANT);
    expect(await two.events.count(TENANT, EVERYTHING)).toBe(0);
    await one.events.append(
      TENANT,
      eventsFrom(0, 50, () => 3),
    );
    expect(await two.events.count(TENANT, P_IS_3)).toBe(50);
    expect(await collect(await two.events.query(TENANT, P_IS_3, PAGE))).toHaveLength(10);
  });

  it('answer although the other erases between a look at the file and the reading of rows', async () => {
    const file = newFile();
    let erase: (() => void) | undefined;
    const statement = (sql: string) => {
      if (!sql.includes('json_group_array')) return;
      erase?.();
      erase = undefined;
    };
    const stores = openStores(file, { connect: wrapping(file, { statement }) });
    await fill(stores, 100);
    const other = openRaw(file);
    erase = () => other.exec('UPDATE logs SET tenant_id = NULL; DELETE FROM events');
    // All of the question is within the millisecond for which one look at the file is enough.
    stopTime();
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(0);
    expect(erase).toBeUndefined();
  });

  it('take up an erasure that the other did not finish', async () => {
    const file = newFile();
    const one = openStores(file);
    await fill(one, 5000);
    openRaw(file).exec('UPDATE logs SET tenant_id = NULL');
    expect(await one.events.count(TENANT, EVERYTHING)).toBe(0);
    const two = openStores(file);
    await two.events.erase('another tenant');
    expect(openRaw(file).prepare('SELECT count(*) FROM events').pluck().get()).toBe(0);
  });
});

describe('values', () => {
  const plain = KEYS.filter((key) => /^[a-z]+$/i.test(key));
  /** Keys that one question asks for: those that SQLite looks up, those that it cannot, many and few. */
  const together = fc.oneof(fc.subarray(plain), fc.subarray([...KEYS]), fc.constant(KEYS));

  it('come back as JSON.parse of the canonical text gives them, and are found by every key', async () => {
    const stores = openStores(newFile());
    let tenant = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(properties, { minLength: 1, maxLength: 8 }),
        together,
        async (list, asked) => {
          const id = String((tenant += 1));
          const stored = list.map((own, i): StoredEvent => ({
            eventName: 'n',
            userId: 'u',
            eventTs: i,
            insertId: 'i',
            propertiesJson: canonicalJson(own, 'properties'),
          }));
          await stores.events.append(id, stored);
          const found = await collect(await stores.events.query(id, EVERYTHING, PAGE));
          expect(found.map(({ propertiesJson }) => propertiesJson).reverse()).toEqual(
            stored.map(({ propertiesJson }) => propertiesJson),
          );
          const notNull = (key: string) => {
            const path = { root: 'properties', segments: [key] } as const;
            return { kind: 'test', path, operator: 'IS_NOT_NULL', operand: null } as const;
          };
          // What these find is read in one look at each event.
          await stores.events.count(id, {
            ...EVERYTHING,
            condition: { kind: 'any', of: asked.map(notNull) },
          });
          for (const key of KEYS) {
            const has = (event: StoredEvent) => {
              const own = JSON.parse(event.propertiesJson) as JsonObject;
              const value: FoundValue = Object.hasOwn(own, key) ? own[key] : undefined;
              return value !== undefined && value !== null;
            };
            const count = await stores.events.count(id, { ...EVERYTHING, condition: notNull(key) });
            expect(count).toBe(stored.filter(has).length);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('that are long together are read in parts', async () => {
    const stores = openStores(newFile());
    const text = (i: number) => String(i).padEnd(900_000, 'x');
    for (let i = 0; i < 80; i += 20) await stores.events.append(TENANT, eventsFrom(i, 20, text));
    const begins = queryOf({ property: 'properties.p', comparison: 'STARTS_WITH', value: '7' });
    expect(await stores.events.count(TENANT, begins)).toBe(11);
  });
});
