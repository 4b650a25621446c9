import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { backupSqlite, verifySqlite } from '../../../adapters/sqlite/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { createTenant } from '../../support/file.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, TENANT } from './fixtures.ts';
import { change, createFile, rebuild, salvage } from './repairs.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

/** The first id of the second log. */
const LOG_2 = 2 * 2 ** 32;

/** What is written over the properties of an event: no JSON in the form of the file. */
const DAMAGED = "properties = x'ff00'";

const messagesOf = ({ losses }: ReturnType<typeof salvage>) => losses.map(({ message }) => message);

describe('rebuildSqlite', () => {
  it('removes the names of the keys that it removes', async () => {
    const file = newFile();
    await createTenant(file, 'shop');
    await createTenant(file, 'other');
    change(
      file,
      "DELETE FROM documents WHERE place = 'shop'; DELETE FROM document_names WHERE name = 'shop'",
    );
    const { repaired, findings } = rebuild(file, true);
    const messages = ['1 keys belong to no tenant', '1 key rings belong to no tenant'];
    expect([repaired.map(({ message }) => message), findings]).toEqual([messages, []]);
    const raw = openRaw(file);
    const keys = raw.prepare("SELECT sequence FROM documents WHERE kind = 'key'").pluck().all();
    expect(keys).toHaveLength(1);
    const named = raw.prepare("SELECT document FROM document_names WHERE kind = 'key'").pluck().all();
    expect(named).toEqual(keys);
  });
});

describe('the new file', () => {
  it.each(['-wal', '-shm', '-journal'])('is not made beside a %s that another file has left', async (end) => {
    const [file, to] = [await createFile(), newFile()];
    // SQLite would apply it to the new file, whichever file it is of.
    writeFileSync(to + end, 'left');
    const copy = () => backupSqlite(file, to, (path) => new Database(path));
    for (const make of [() => salvage(file, to), copy])
      expect(make).toThrow(`${to}${end} exists already; nothing was changed`);
    expect(readdirSync(dirname(to))).toEqual([basename(to) + end]);
  });
});

describe('what the catalogue says of a log', () => {
  it.each([1, 5, 19, 20])('is no bound of it: %i events behind its end are saved', async (behind) => {
    const [file, to] = [await createFile(), newFile()];
    change(file, `UPDATE logs SET size = size - ${behind} WHERE number = 2`);
    expect(salvage(file, to)).toMatchObject({ events: 277, losses: [], remarks: [] });
    const { events } = openStores(to);
    expect(await events.count('another', EVERYTHING)).toBe(20);
    expect((await events.append('another', eventsFrom(19, 2))).duplicates).toEqual([0]);
  });

  it('does not hide a damaged event behind that end', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(
      file,
      `UPDATE logs SET size = 18 WHERE number = 2;
      UPDATE events SET ${DAMAGED} WHERE id = ${LOG_2 + 19}`,
    );
    const saved = salvage(file, to);
    expect([saved.events, ...messagesOf(saved)]).toEqual([
      276,
      '1 events, at the rows 19, of another are damaged: no client can have sent them like this',
    ]);
  });

  it('names no version where nothing of the log is erased', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(file, 'UPDATE logs SET version = 3 WHERE number = 2');
    expect(salvage(file, to)).toMatchObject({ events: 277, losses: [], remarks: [] });
    expect(openRaw(to).prepare('SELECT version FROM logs WHERE number = 2').pluck().get()).toBe(0);
  });
});

describe('a log that is in no list', () => {
  it('keeps the places of its events, however many before them were erased', async () => {
    const [file, to] = [newFile(), newFile()];
    const stores = openStores(file);
    await fill(stores, 2000);
    await stores.close();
    change(file, 'DELETE FROM logs; DELETE FROM events WHERE id < 4294967296 + 1500');
    expect(messagesOf(salvage(file, to, true))).toEqual([
      'nothing says whose log 1 with 500 events is: it is now of recovered-1',
      '1500 events, at the rows 0 to 1499, of recovered-1 cannot be read',
    ]);
    const idsOf = (path: string) => openRaw(path).prepare('SELECT id FROM events ORDER BY id').pluck().all();
    expect(idsOf(to)).toEqual(idsOf(file));
  });

  it.each([
    { what: 'the first', rows: '= 0', damaged: 1, at: '0' },
    { what: 'the last', rows: '= 19', damaged: 1, at: '19' },
    { what: 'many', rows: 'NOT IN (7, 9)', damaged: 18, at: '0 to 6, 8 and 10 to 19' },
  ])('is saved where $what of its events are damaged, and these are told', async ({ rows, damaged, at }) => {
    const [file, to] = [await createFile(), newFile()];
    change(
      file,
      `DELETE FROM logs WHERE number = 2; UPDATE events SET ${DAMAGED} WHERE id - ${LOG_2} ${rows}
      AND id >= ${LOG_2}`,
    );
    const saved = salvage(file, to, true);
    expect(messagesOf(saved).slice(-2)).toEqual([
      `nothing says whose log 2 with ${20 - damaged} events is: it is now of recovered-2`,
      expect.stringMatching(
        `^${damaged} events, at the rows ${at.replaceAll(' and ', '(, | and )')}, of recovered-2 are damaged`,
      ),
    ]);
    expect(saved.events).toBe(277 - damaged);
    expect(verifySqlite(() => new Database(to)).findings).toEqual([]);
  });

  it('is saved where the page of its first events cannot be read', async () => {
    const [file, to] = [newFile(), newFile()];
    const stores = openStores(file);
    await fill(stores, 2000);
    await stores.close();
    change(file, 'DELETE FROM logs');
    const raw = openRaw(file);
    raw.pragma('wal_checkpoint(TRUNCATE)');
    const { page, rows } = raw
      .prepare(
        `SELECT pageno AS page, ncell AS rows FROM dbstat
         WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path LIMIT 1`,
      )
      .get() as { page: number; rows: number };
    raw.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
    expect(messagesOf(salvage(file, to, true))).toEqual([
      `nothing says whose log 1 with ${2000 - rows} events is: it is now of recovered-1`,
      `${rows} events, at the rows 0 to ${rows - 1}, of recovered-1 cannot be read`,
    ]);
  });

  it('is told as lost where all of its events are damaged', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(file, `DELETE FROM logs WHERE number = 2; UPDATE events SET ${DAMAGED} WHERE log = 2`);
    const { losses, events } = salvage(file, to);
    expect([events, losses]).toEqual([
      257,
      [
        {
          message: '20 events that belong to no log are damaged: no client can have sent them like this',
          events: 20,
        },
      ],
    ]);
  });

  it('gets a tenant, whatever others are called', async () => {
    const [file, to] = [await createFile(), newFile()];
    for (const alias of ['recovered-2', 'recovered-2-2']) await createTenant(file, alias);
    change(file, 'DELETE FROM logs WHERE number = 2');
    expect(messagesOf(salvage(file, to, true))).toContain(
      'nothing says whose log 2 with 20 events is: it is now of recovered-2-3',
    );
    const { control, events } = openStores(to);
    const { tenants } = recordsIn(control);
    const all = await tenants.list();
    const { id } = all.find(({ alias }) => alias === 'recovered-2-3')!;
    expect(await events.count(id, EVERYTHING)).toBe(20);
    expect(all.filter(({ id }) => id === TENANT)).toHaveLength(1);
  });
});

describe('a damaged list of erased events', () => {
  /** A file in which each 7th of 300 events of a tenant was erased from the 4th on, and is removed. */
  async function createSweptFile(): Promise<string> {
    const file = await createFile();
    change(
      file,
      `DELETE FROM events WHERE log = 1 AND user_id = 'user-3'; UPDATE erased_rows SET swept = 32768`,
    );
    return file;
  }

  /** Flips bits of the first eight rows. */
  function flipRows(file: string, flips: number): void {
    const raw = openRaw(file);
    const bits = raw.prepare('SELECT bits FROM erased_rows').pluck().get() as Buffer;
    bits[0]! ^= flips;
    raw.prepare('UPDATE erased_rows SET bits = ?').run(bits);
  }

  const REMARK = 'some of the list of erased events is damaged: what was not removed yet is back';
  const DOUBT = 'were erased or cannot be read: the list of erased events is damaged';

  it.each([
    { what: 'more of them', flips: 0b0011_0011 },
    { what: 'fewer of them', flips: 0b0000_1000 },
    { what: 'others', flips: 0b1111_1111 },
  ])('hides nothing that is there where it names $what, and loses nothing', async ({ flips }) => {
    const [file, to] = [await createSweptFile(), newFile()];
    flipRows(file, flips);
    expect(salvage(file, to)).toMatchObject({ events: 277, losses: [], remarks: [REMARK] });
    const { events } = openStores(to);
    expect((await events.append(TENANT, eventsFrom(0, 8))).duplicates).toEqual([0, 1, 2, 4, 5, 6, 7]);
  });

  it('cannot tell an erased event from one that is lost as well', async () => {
    const [file, to] = [await createSweptFile(), newFile()];
    flipRows(file, 0b1111_1111);
    change(file, `DELETE FROM events WHERE id IN (4294967296 + 4, ${LOG_2 + 5})`);
    const { events, losses } = salvage(file, to);
    expect(events).toBe(275);
    expect(losses).toMatchObject([
      {
        message: expect.stringMatching(`^44 events, at the rows 3 to 4, 10, .* ${DOUBT}$`) as string,
        events: 44,
      },
      { message: '1 events, at the rows 5, of another cannot be read', events: 1 },
    ]);
  });

  it.each([
    { what: 'of its rows are cut off', sql: "UPDATE erased_rows SET bits = x'08'" },
    { what: 'of its rows have no log', sql: 'UPDATE erased_rows SET log = -1' },
    {
      what: 'say what it is',
      sql: "UPDATE sqlite_schema SET sql = replace(sql, '(', '[') WHERE name = 'erased_rows'",
    },
  ])('is told where the bytes that $what', async ({ sql }) => {
    const [file, to] = [await createSweptFile(), newFile()];
    const raw = openRaw(file).unsafeMode();
    raw.pragma('writable_schema = ON');
    raw.exec(sql);
    raw.close();
    const { events, losses, remarks } = salvage(file, to);
    expect([events, remarks]).toEqual([277, [REMARK]]);
    expect(losses).toMatchObject([
      { message: expect.stringMatching(`^43 events, at the rows 3, 10, .* ${DOUBT}$`) as string, events: 43 },
    ]);
  });
});

describe('rows of tenants, keys and administration', () => {
  it.each([
    ['documents', 'documents', ['names', 'document']],
    ['audit entries', 'audit', ['note']],
    ['used limits', 'buckets', ['used']],
  ])('%s are found where their JSON is damaged, and left out of a new file', async (what, table, columns) => {
    const file = newFile();
    await createTenant(file, 'shop');
    const raw = openRaw(file);
    raw.exec(`DELETE FROM ${table}`);
    // The text 1 is JSON too.
    const width = (raw.pragma(`table_info(${table})`) as unknown[]).length;
    raw.prepare(`INSERT INTO ${table} VALUES (${Array.from({ length: width }, () => '1').join(', ')})`).run();
    for (const column of columns) {
      raw.exec(`UPDATE ${table} SET ${column} = '{"open": '`);
      const { findings } = verifySqlite(() => new Database(file));
      expect(findings.map(({ kind, message }) => [kind, message])).toContainEqual([
        'damagedRows',
        `1 of the ${what} are damaged`,
      ]);
      const to = newFile();
      expect(messagesOf(salvage(file, to, true))).toContain(`1 of the ${what} are damaged`);
      expect(openRaw(to).prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
      raw.exec(`UPDATE ${table} SET ${column} = '1'`);
    }
  });
});
