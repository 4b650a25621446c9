import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../adapters/sqlite/file/migrations.ts';
import { salvageSqlite, verifySqlite } from '../../../adapters/sqlite/index.ts';
import { toChunksId } from '../../../adapters/sqlite/log/log-name.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { createTenant, runSql } from '../../support/file.ts';
import { createSoundFile, judgeFlips } from './flips.ts';
import {
  eventsFrom,
  fill,
  newFile,
  openRaw,
  openStores,
  P_IS_3,
  queryOf,
  TENANT,
  tracing,
} from './fixtures.ts';
import { change, createFile, rebuild, salvage } from './repairs.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

/** A file with a log of 310 rows, of which the last ten were erased and are removed. */
async function createFileErasedAtItsEnd(): Promise<string> {
  const file = newFile();
  const stores = openStores(file);
  await fill(stores, 300);
  await stores.events.append(
    TENANT,
    eventsFrom(300, 10, () => 'last'),
  );
  const last = queryOf({ property: 'properties.p', comparison: 'EQUALS', value: 'last' });
  expect(await stores.events.erase(TENANT, last)).toBe(10);
  await expect.poll(() => runSql(file, 'SELECT count(*) AS rows FROM events')).toEqual([{ rows: 300 }]);
  await stores.close();
  return file;
}

/** Puts the last ten events of that file back, as they are before they are removed. */
const RETURN_ERASED = `
  INSERT INTO events SELECT id + 10, log, ts + 10000, 'erased-' || insert_id, name, user_id, properties, NULL
  FROM events WHERE id >= 4294967296 + 290;
  UPDATE erased_rows SET swept = 0`;

describe('rebuildSqlite', () => {
  it.each([
    ['eventNames', `DELETE FROM event_names; INSERT INTO event_names VALUES (1, 'other')`],
    ['uncountedEvents', 'UPDATE logs SET size = size - 5 WHERE number = 1'],
    ['columnSizes', `INSERT INTO column_paths VALUES (${toChunksId({ number: 1, version: 1 })}, 'p', 7, 0)`],
    [
      'returnedEvents',
      `INSERT INTO events SELECT 4294967296 + 3, log, 3, 'again', name, user_id, properties, NULL
       FROM events WHERE log = 1 LIMIT 1`,
    ],
    ['logSizes', 'UPDATE logs SET size = -3 WHERE number = 1'],
    [
      'foreignParts',
      `CREATE TRIGGER "a ""b" AFTER INSERT ON events BEGIN DELETE FROM events WHERE id = NEW.id; END;
       CREATE VIEW of_others AS SELECT * FROM events; CREATE TABLE others (x UNIQUE);
       CREATE INDEX of_others_x ON others (x); CREATE UNIQUE INDEX one_user ON events (log, id)`,
    ],
  ] as const)('makes anew: %s', async (kind, sql) => {
    const file = await createFile();
    change(file, sql);
    const { repaired, findings } = rebuild(file);
    expect([repaired.map((finding) => finding.kind), findings]).toEqual([expect.arrayContaining([kind]), []]);
    const { events } = openStores(file);
    expect([await events.count(TENANT, EVERYTHING), await events.count('another', EVERYTHING)]).toEqual([
      257, 20,
    ]);
    expect(await events.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
    expect((await events.append(TENANT, eventsFrom(299, 2))).duplicates).toEqual([0]);
  });

  it('counts the erased events at the end of a log, so that no new event takes their rows', async () => {
    const file = await createFile();
    const stores = openStores(file);
    // Together with those that are erased already, the last three of the first log.
    for (const value of ['user-4', 'user-5'])
      await stores.events.erase(TENANT, queryOf({ property: 'userId', comparison: 'EQUALS', value }));
    const selectLast = 'SELECT max(id) % 4294967296 AS row FROM events WHERE log = 1';
    await expect.poll(() => runSql(file, selectLast)).toEqual([{ row: 296 }]);
    await stores.close();
    change(file, 'UPDATE logs SET size = size - 5 WHERE number = 2');
    expect(rebuild(file).findings).toEqual([]);
    const { events } = openStores(file);
    await events.append(TENANT, eventsFrom(1000, 2));
    expect(await events.count(TENANT, EVERYTHING)).toBe(300 - 129 + 2);
    const page = await events.query(TENANT, EVERYTHING, { offset: 0, size: 3 });
    expect(page.last?.insertId).toBe('id-296');
  });

  it.each([
    ['half of them', 'size - 5', true],
    ['all of them', 'size - 10', true],
    ['all of them and events in front', 'size - 17', true],
    ['more than there are', '-9', true],
    ['too large for any log', 'size + (1 << 40)', true],
    ['half of them, before they are removed', 'size - 5', false],
    ['too large for any log, before they are removed', 'size + (1 << 50)', false],
  ])('gives no new event the row of an erased one: the count is wrong by %s', async (_what, size, swept) => {
    const file = await createFileErasedAtItsEnd();
    if (!swept) change(file, RETURN_ERASED);
    change(file, `UPDATE logs SET size = ${size} WHERE number = 1`);
    // Until it is repaired, nothing is stored that no answer would have.
    const damaged = openStores(file);
    await expect(damaged.events.append(TENANT, eventsFrom(1000, 4))).rejects.toThrow();
    await damaged.close();
    const { repaired, findings } = rebuild(file);
    expect([repaired.length > 0, findings]).toEqual([true, []]);
    expect(runSql(file, 'SELECT size FROM logs WHERE number = 1')).toEqual([{ size: 310 }]);
    const { events } = openStores(file);
    expect(await events.append(TENANT, eventsFrom(1000, 4))).toEqual({ duplicates: [], overNames: [] });
    expect(await events.count(TENANT, EVERYTHING)).toBe(300 + 4);
    const page = await events.query(TENANT, EVERYTHING, { offset: 0, size: 3 });
    expect(page.last?.insertId).toBe('id-1001');
  });

  it('and so does a new file: a log that no list has counts its erased rows', async () => {
    const [file, to] = [await createFileErasedAtItsEnd(), newFile()];
    change(file, 'DELETE FROM logs');
    expect(salvage(file, to, true)).toMatchObject({ events: 300 });
    expect(runSql(to, 'SELECT size FROM logs')).toEqual([{ size: 310 }]);
  });

  it('changes nothing where rows behind the count are neither there nor erased', async () => {
    const file = await createFileErasedAtItsEnd();
    change(
      file,
      'UPDATE logs SET size = 290 WHERE number = 1; DELETE FROM events WHERE id = 4294967296 + 295',
    );
    const { repaired, findings } = rebuild(file);
    expect([repaired, findings.map(({ kind }) => kind)]).toEqual([
      [],
      expect.arrayContaining(['missingEvents', 'uncountedEvents']),
    ]);
  });

  it('removes keys of nobody, and lists the names of the others again', async () => {
    const file = await createFile();
    await createTenant(file, 'shop');
    await createTenant(file, 'other');
    change(file, 'DELETE FROM logs; DELETE FROM events; DELETE FROM erased_rows; DELETE FROM event_names');
    const names = () => runSql(file, 'SELECT * FROM document_names');
    const before = names();
    change(file, "UPDATE document_names SET name = name || 'x' WHERE kind = 'key'");
    expect(rebuild(file, true)).toMatchObject({
      repaired: [{ kind: 'documentNames' }, { kind: 'documentNames' }],
      findings: [],
    });
    expect(names()).toEqual(before);
    change(
      file,
      "DELETE FROM documents WHERE place = 'other'; DELETE FROM document_names WHERE name = 'other'",
    );
    const { repaired, findings } = rebuild(file, true);
    expect(repaired.map(({ message }) => message)).toEqual([
      '1 keys belong to no tenant',
      '1 key rings belong to no tenant',
    ]);
    expect(findings).toEqual([]);
    expect(names()).toHaveLength(2);
  });

  it('changes nothing where something is lost, and where another process has the file open', async () => {
    const file = await createFile();
    change(file, 'DELETE FROM event_names; DELETE FROM events WHERE id = 4294967296 + 4');
    const before = readFileSync(file);
    const { repaired, findings } = rebuild(file);
    expect([repaired, findings.map(({ kind }) => kind)]).toEqual([
      [],
      expect.arrayContaining(['missingEvents']),
    ]);
    expect(readFileSync(file).equals(before)).toBe(true);

    const other = await createFile();
    change(other, 'DELETE FROM event_names');
    const raw = openRaw(other);
    raw.prepare('SELECT count(*) FROM events').get();
    expect(() => rebuild(other)).toThrow(`another process has ${other} open: stop it first`);
    expect(raw.prepare('SELECT count(*) FROM event_names').pluck().get()).toBe(0);
  });
});

describe('salvageSqlite', () => {
  it('saves a sound file as it is', async () => {
    const [file, to] = [await createFile(), newFile()];
    expect(salvage(file, to)).toMatchObject({ events: 277, losses: [], remarks: [] });
    const [before, after] = [openStores(file), openStores(to)];
    for (const tenant of [TENANT, 'another'])
      for (const query of [EVERYTHING, P_IS_3])
        expect(await after.events.count(tenant, query)).toBe(await before.events.count(tenant, query));
    expect(() => salvage(file, to)).toThrow(`${to} exists already`);
  });

  it('copies each table that is not made of others', () => {
    const [file, to] = [newFile(), newFile()];
    change(file, MIGRATIONS.join(';'));
    change(file, `PRAGMA user_version = ${MIGRATIONS.length}; PRAGMA application_id = 0x65767471`);
    const raw = openRaw(file);
    const made = [
      ...['events', 'logs', 'erased_rows', 'event_names', 'column_chunks', 'column_paths'],
      'document_names',
    ];

    const tables = raw
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .pluck()
      .all() as string[];
    const kept = tables.filter((name) => !made.includes(name));
    expect(kept.length).toBe(tables.length - made.length);
    const rowsOf = (database: Database.Database) =>
      kept.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]);
    for (const table of kept) {
      // The text 1 is JSON too. A document of no tenant would go, and names are listed apart.
      const columns = raw.pragma(`table_info(${table})`) as { name: string }[];
      const values = columns.map(({ name }) => ({ tenant_id: 'NULL', names: "'[]'" })[name] ?? '1');
      raw.prepare(`INSERT INTO ${table} VALUES (${values.join(', ')})`).run();
    }
    const { losses, remarks } = salvage(file, to, true);
    expect(losses).toEqual([]);
    // No plan, permission or role is called 1.
    expect(remarks.filter((remark) => !remark.includes('values that this version does not know'))).toEqual(
      [],
    );
    expect(rowsOf(openRaw(to))).toEqual(rowsOf(raw));
  });

  it('begins another version of a log with erased rows, and uses no number of a log again', async () => {
    const [file, to] = [await createFile(), newFile()];
    const before = openStores(file);
    await before.events.append('gone', eventsFrom(0, 5));
    await before.events.erase('gone');
    await before.close();
    const logsOf = (path: string) =>
      openRaw(path)
        .prepare('SELECT number, version FROM logs WHERE tenant_id IS NOT NULL ORDER BY number')
        .all() as { number: number; version: number }[];
    const [first, second] = logsOf(file);
    expect(first!.version).toBeGreaterThan(0);
    expect(salvage(file, to).losses).toEqual([]);
    // Columns and positions of before do not fit: what was not removed yet counts as erased now.
    expect(logsOf(to)).toEqual([{ ...first, version: first!.version + 1 }, second]);
    await openStores(to).events.append('new', eventsFrom(0, 1));
    const numbers = logsOf(to).map(({ number }) => number);
    const gone = second!.number + 1;
    expect(numbers).toEqual([first!.number, second!.number, gone + 1]);
  });

  it('lists lost and damaged rows, and the tenant can be asked again', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(
      file,
      `DELETE FROM events WHERE id BETWEEN 4294967296 + 4 AND 4294967296 + 6;
       UPDATE events SET properties = x'ff00' WHERE id = 4294967296 + 9`,
    );
    const { losses, events } = salvage(file, to);
    expect([events, losses]).toEqual([
      273,
      [
        { message: `3 events, at the rows 4 to 6, of ${TENANT} cannot be read`, events: 3, tenantId: TENANT },
        {
          message: expect.stringContaining(`1 events, at the rows 9, of ${TENANT} are damaged: `) as string,
          ...{ events: 1, tenantId: TENANT },
        },
      ],
    ]);
    const stores = openStores(to);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(253);
    // What was lost can be sent again.
    expect((await stores.events.append(TENANT, eventsFrom(4, 2))).duplicates).toEqual([]);
    expect(verifySqlite(() => new Database(to), { holdsTenants: false }).findings).toEqual([]);
  });

  it('gives a tenant to events of nobody, and an event its own number', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(
      file,
      'DELETE FROM logs WHERE number = 2; UPDATE events SET id = id + 99999 WHERE id = 4294967296 + 299',
    );
    const { losses } = salvage(file, to, true);
    expect(losses.map(({ message }) => message)).toEqual([
      'nothing says whose log 1 with 257 events is: it is now of recovered-1',
      '1 events, at the rows 299, of recovered-1 cannot be read',
      'nothing says whose log 2 with 20 events is: it is now of recovered-2',
    ]);
    const { control, events } = openStores(to);
    const { tenants } = recordsIn(control);
    const [first, second] = await tenants.list();
    expect([first, second]).toMatchObject([
      { id: TENANT, alias: 'recovered-1', authStrategy: 'SERVER_SIDE' },
      { alias: 'recovered-2' },
    ]);
    expect(await events.count(first!.id, EVERYTHING)).toBe(257);
    expect(await events.count(second!.id, EVERYTHING)).toBe(20);
  });

  it('saves both events where damage gave one the number of another', async () => {
    const [file, to] = [await createFile(), newFile()];
    const bytes = readFileSync(file);
    // The number of row 20 of the first log, as SQLite writes it in a page.
    const number = Buffer.from([0x90, 0x80, 0x80, 0x80, 20]);
    const at = bytes.indexOf(number);
    expect([at > 0, bytes.indexOf(number, at + 1)]).toEqual([true, -1]);
    bytes[at + 4] = 21;
    writeFileSync(file, bytes);
    expect(salvage(file, to)).toMatchObject({ events: 277, remarks: [] });
    const { events } = openStores(to);
    expect((await events.append(TENANT, eventsFrom(20, 2))).duplicates).toEqual([0, 1]);
  });

  it('does not bring back what was erased in a log that no list has', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(
      file,
      `DELETE FROM logs WHERE number = 1;
       UPDATE erased_rows SET bits = unhex(replace(hex(zeroblob(length(bits))), '00', 'FF')), count = 32768
       WHERE log = 1`,
    );
    expect(salvage(file, to, true).events).toBe(20);
  });

  it('keeps when events arrived; an event of which that is damaged stays, and is told', async () => {
    const [file, to] = [await createFile(), newFile()];
    change(file, 'UPDATE events SET received_at = 7 WHERE log = 1 AND id % 2 = 1');
    change(file, 'UPDATE events SET received_at = -5 WHERE id = 4294967296 + 299');
    const { findings } = verifySqlite(() => new Database(file), { holdsTenants: false });
    expect(findings.map(({ kind }) => kind)).toEqual(['changedEvents']);
    const { losses } = salvage(file, to);
    expect(losses).toMatchObject([{ events: 0, tenantId: TENANT }]);
    expect(losses[0]!.message).toMatch(/^of 1 events of .* it cannot be read when they arrived$/);
    const arrivals = (path: string, but: number) =>
      openRaw(path).prepare('SELECT id, received_at FROM events WHERE id <> ? ORDER BY id').all(but);
    expect(arrivals(to, 4294967296 + 299)).toEqual(arrivals(file, 4294967296 + 299));
    expect(arrivals(to, 0)).toContainEqual({ id: 4294967296 + 299, received_at: null });
  });

  it('leaves out the names of a key that is lost, and says so', async () => {
    const [file, to] = [newFile(), newFile()];
    await createTenant(file, 'shop');
    await createTenant(file, 'other');
    const lost = `SELECT id FROM documents WHERE kind = 'key' LIMIT 1`;
    change(file, `UPDATE documents SET document = 'no JSON' WHERE id = (${lost})`);
    const { losses, remarks } = salvage(file, to, true);
    expect(losses.map(({ message }) => message)).toEqual(['1 of the keys are damaged']);
    expect([remarks, verifySqlite(() => new Database(to)).findings]).toEqual([[], []]);
    const left = (table: string) =>
      openRaw(to).prepare(`SELECT kind, count(*) AS count FROM ${table} GROUP BY kind`).raw().all();
    expect([left('documents'), left('document_names')]).toEqual([
      [
        ['key', 1],
        ['key-ring', 2],
        ['tenant', 2],
      ],
      [
        ['key', 1],
        ['tenant', 2],
      ],
    ]);
  });

  it('says so where nothing can be read, and leaves nothing', () => {
    const [file, to] = [newFile(), newFile()];
    writeFileSync(file, 'SQLite format 3\0'.padEnd(8192, 'x'));
    expect(() => salvage(file, to)).toThrow();
    expect(existsSync(to)).toBe(false);
  });
});

describe('a file with flipped bytes', () => {
  it.each([
    { seed: 1, count: 1000, from: 262_144 },
    // Some seeds hit the page that says which tables there are: of these nothing can be read.
    { seed: 4, count: 1000, from: 0 },
    { seed: 3, count: 20, from: 0 },
  ])('$count of them: what is readable is saved', async (flips) => {
    const judged = judgeFlips(await createSoundFile(), flips);
    expect(judged.faults).toEqual([]);
    expect(judged.saved).toBe(judged.readable);
    expect(judged.readable).toBeGreaterThan(3500);
  });
});

/** Saves a file, and counts what is asked of it: statements, and those that read all events in passing. */
function countWork(file: string) {
  let [statements, inPassing] = [0, 0];
  const read = tracing(file, (sql) => {
    statements += 1;
    if (sql.includes('FROM events NOT INDEXED ORDER BY')) inPassing += 1;
  });
  const saved = salvageSqlite({ read, write: (path) => new Database(path) }, newFile(), {
    holdsTenants: false,
  });
  return { ...saved, statements, inPassing };
}

async function createLargeFile(events: number): Promise<string> {
  const file = newFile();
  const stores = openStores(file);
  await fill(stores, events);
  await stores.close();
  return file;
}

describe('a truncated file', () => {
  it('is read as far as it goes: check says that it is damaged, and what is there is saved', async () => {
    const [file, to] = [await createLargeFile(8000), newFile()];
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    const before = readFileSync(file);
    const { findings } = verifySqlite(() => new Database(file, { readonly: true }), { holdsTenants: false });
    expect(findings.map(({ kind }) => kind)).toContain('damagedPage');
    const { losses, events } = salvage(file, to);
    expect(events).toBeGreaterThan(1000);
    expect(losses.reduce((sum, loss) => sum + loss.events, 0)).toBe(8000 - events);
    // Events lie in the order in which they arrived, and the file lost its end.
    const saved = openStores(to).events;
    expect((await saved.append(TENANT, eventsFrom(0, 1000))).duplicates).toHaveLength(1000);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('takes few questions for each event that is lost, and not one for each log that could be', async () => {
    const file = await createLargeFile(8000);
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    const { events, statements } = countWork(file);
    expect(statements).toBeLessThan(3 * (8000 - events) + 10_000);
  });
});

describe('a file with an unreadable page', () => {
  it('is read in passing once from each end, however many rows it has', async () => {
    const rows = 20_000;
    const file = await createLargeFile(rows);
    const raw = new Database(file);
    const leaves = raw
      .prepare(`SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path`)
      .pluck()
      .all() as number[];
    raw.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, (leaves[leaves.length >> 1]! - 1) * 4096, leaves[leaves.length >> 1]! * 4096);
    writeFileSync(file, bytes);
    const { events, losses, inPassing } = countWork(file);
    expect(losses).toHaveLength(1);
    expect(events).toBeGreaterThan(rows - 100);
    expect(inPassing).toBe(2);
  });

  it('is read to it from both ends, past a page that comes twice', async () => {
    const rows = 1500;
    const [file, to] = [await createLargeFile(rows), newFile()];
    const raw = new Database(file);
    raw.pragma('wal_checkpoint(TRUNCATE)');
    const selectPages = raw.prepare(
      `SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = ? ORDER BY path`,
    );
    const [root] = selectPages.pluck().all('internal') as number[];
    const leaves = selectPages.pluck().all('leaf') as number[];
    raw.close();
    const bytes = readFileSync(file);
    const start = (root! - 1) * 4096;
    const cellOf = (i: number) => start + bytes.readUInt16BE(start + 12 + 2 * i);
    // The middle of the root leads to a page of the second half, and says that it is one of the first rows:
    // so no id leads to the first half, which can only be read in passing.
    const middle = (leaves.length - 2) >> 1;
    bytes.writeUInt32BE(leaves[middle + 5]!, cellOf(middle));
    bytes.writeUInt32BE(0x90_80_80_80, cellOf(middle) + 4);
    bytes[cellOf(middle) + 8] = 0;
    const unreadable = leaves[middle - 2]!;
    const lost = bytes.readUInt16BE((unreadable - 1) * 4096 + 3);
    const replaced = bytes.readUInt16BE((leaves[middle]! - 1) * 4096 + 3);
    bytes.fill(0xff, (unreadable - 1) * 4096, unreadable * 4096);
    writeFileSync(file, bytes);
    const { events, losses } = salvage(file, to);
    expect([events, losses]).toMatchObject([rows - lost - replaced, [{ events: lost + replaced }]]);
  });
});
