import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { INDEXES, TABLES } from '../../../adapters/sqlite/check/tables.ts';
import { MIGRATIONS } from '../../../adapters/sqlite/file/migrations.ts';
import { verifySqlite, type FileFinding } from '../../../adapters/sqlite/index.ts';
import { toChunksId } from '../../../adapters/sqlite/log/log-name.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, P_IS_3, queryOf, TENANT } from './fixtures.ts';
import { keyDocument, putDocuments, tenantDocument } from '../../support/documents.ts';

/** As many rows as a chunk of a column has, and some more. */
const ROWS = 33_000;

/** A file with two logs of which something was erased, and with stored columns. */
async function createFile(): Promise<string> {
  const file = newFile();
  const stores = openStores(file, { prepareColumns: true });
  await stores.events.append('another', eventsFrom(0, 100));
  await fill(stores, ROWS + 600);
  await stores.events.erase(TENANT, queryOf({ property: 'userId', comparison: 'EQUALS', value: 'user-3' }));
  await fill(stores, 6000, ROWS + 600);
  expect(await stores.events.count(TENANT, P_IS_3)).toBeGreaterThan(6000);
  // The columns are kept in idle time.
  await expect.poll(() => countChunks(file)).toBeGreaterThanOrEqual(3);
  await stores.close();
  return file;
}

const countChunks = (file: string) =>
  openRaw(file)
    .prepare('SELECT count(*) FROM column_chunks WHERE log >= ?')
    .pluck()
    .get(toChunksId({ number: 0, version: 1 }));

const look = (file: string) => verifySqlite(() => new Database(file), { holdsTenants: false });
const kindsOf = (findings: readonly FileFinding[]) => [...new Set(findings.map(({ kind }) => kind))].sort();

/** What a sound file is made of: made once, since each test damages a copy. */
let sound: Buffer | undefined;
async function createCopy(): Promise<{ readonly file: string; readonly raw: Database.Database }> {
  if (sound === undefined) {
    const [made, whole] = [await createFile(), newFile()];
    openRaw(made).prepare('VACUUM INTO ?').run(whole);
    sound = readFileSync(whole);
  }
  const file = newFile();
  writeFileSync(file, sound);
  return { file, raw: openRaw(file) };
}

/** The events of the second log. */
const ids = 'id >= 2 * 4294967296';

describe('verifySqlite', () => {
  it('finds nothing in a sound file, whatever was erased from it', async () => {
    const { file } = await createCopy();
    const { findings, remarks, events, schema } = look(file);
    expect([findings, remarks]).toEqual([[], []]);
    expect(events).toBe(Number(openRaw(file).prepare('SELECT count(*) FROM events').pluck().get()));
    expect(schema).toBe(MIGRATIONS.length);
  });

  it('says that something is not removed yet', async () => {
    const { file, raw } = await createCopy();
    raw.exec('UPDATE erased_rows SET swept = 0 WHERE chunk = 0');
    expect(look(file)).toMatchObject({
      findings: [],
      remarks: [
        'erased events are hidden and not all removed yet: a server or "event-query compact" goes on with it',
      ],
    });
  });

  it('takes an erased event for returned in front of the row to which all are removed', async () => {
    const { file, raw } = await createCopy();
    raw.exec(
      `INSERT INTO events SELECT 2 * 4294967296 + 3, 2, 5, 'again', name, user_id, properties, NULL
       FROM events WHERE ${ids} LIMIT 1`,
    );
    const sweepTo = (row: number) => {
      raw.exec(`UPDATE erased_rows SET swept = ${row} WHERE log = 2 AND chunk = 0`);
      return kindsOf(look(file).findings);
    };
    expect([sweepTo(3), sweepTo(4)]).toEqual([[], ['returnedEvents']]);
  });

  it.each<[kind: FileFinding['kind'], what: string, sql: string, says: string]>([
    [
      'missingEvents',
      'rows deleted',
      `DELETE FROM events WHERE ${ids} AND id % 4294967296 IN (7, 8, 33500)`,
      `3 events, at the rows 7 to 8, 33500, are missing in the log of ${TENANT}`,
    ],
    [
      'uncountedEvents',
      'a smaller count',
      `UPDATE logs SET size = size - 5 WHERE number = 2`,
      '5 events follow the 39595 rows',
    ],
    [
      'missingEvents',
      'a larger count',
      `UPDATE logs SET size = size + 1 WHERE number = 2`,
      '1 events, at the rows 39600, are missing',
    ],
    [
      'missingEvents',
      'a count with a flipped bit',
      `UPDATE logs SET size = size + (1 << 27) WHERE number = 2`,
      '134217728 events, at the rows 39600 to 134257327, are missing',
    ],
    [
      'logSizes',
      'a count that no log has',
      `UPDATE logs SET size = size + (1 << 40) WHERE number = 2`,
      'the catalogue counts 1099511667376 rows',
    ],
    ['logSizes', 'a count below 0', `UPDATE logs SET size = -3 WHERE number = 2`, 'counts -3 rows'],
    [
      'foreignParts',
      'a trigger',
      'CREATE TRIGGER x AFTER INSERT ON events BEGIN DELETE FROM events WHERE id = NEW.id; END',
      'the trigger "x" is not of event-query',
    ],
    ['foreignParts', 'a view', 'CREATE VIEW v AS SELECT 1', 'the view "v" is not'],
    ['foreignParts', 'a table', 'CREATE TABLE "a ""b" (x)', 'the table "a \\"b" is not'],
    ['foreignParts', 'an index', 'CREATE UNIQUE INDEX one_user ON events (log, id)', 'the index "one_user"'],
    ['damagedPage', 'no index', 'DROP INDEX large_events', 'the index large_events is not there'],
    [
      'foreignParts',
      'a view in the place of a table',
      'ALTER TABLE buckets RENAME TO other; CREATE VIEW buckets AS SELECT * FROM other',
      'the view "buckets" is not',
    ],
    [
      'changedEvents',
      'properties that are no JSON',
      `UPDATE events SET properties = x'ff00' WHERE id = 2 * 4294967296 + 4`,
      '1 events, at the rows 4, are damaged',
    ],
    [
      'changedEvents',
      'a time that no event has',
      `UPDATE events SET ts = -1 WHERE id = 2 * 4294967296 + 4`,
      '1 events, at the rows 4, are damaged',
    ],
    [
      'changedEvents',
      'the log of another tenant',
      `UPDATE events SET log = 1, insert_id = 'new' WHERE id = 2 * 4294967296 + 4`,
      '1 events, at the rows 4, are damaged',
    ],
    [
      'changedEvents',
      'a text that no client can send',
      `UPDATE events SET user_id = user_id || char(0) WHERE id = 2 * 4294967296 + 4`,
      '1 events, at the rows 4, are damaged',
    ],
    [
      'erasures',
      'another count of erased rows',
      `UPDATE erased_rows SET count = count + 1 WHERE chunk = 1`,
      'chunk 1 has',
    ],
    ['erasures', 'no erased rows', `DELETE FROM erased_rows`, 'version 1 has no erased rows'],
    [
      'erasures',
      'bits of another length',
      `UPDATE erased_rows SET bits = x'00', count = 0 WHERE chunk = 1`,
      'chunk 1 has 1 bytes',
    ],
    [
      'erasures',
      'the first version',
      `UPDATE logs SET version = 0 WHERE number = 2`,
      'erased rows belong to no version',
    ],
    [
      'returnedEvents',
      'an erased event',
      `INSERT INTO events SELECT 2 * 4294967296 + 3, 2, 5, 'again', name, user_id, properties, NULL
       FROM events WHERE ${ids} LIMIT 1`,
      '1 erased events are still',
    ],
    [
      'eventNames',
      'a name too few',
      `DELETE FROM event_names WHERE log = 2 AND name = 'name-1'`,
      '1 event names are not listed',
    ],
    [
      'eventNames',
      'a name too many',
      `INSERT INTO event_names VALUES (2, 'other')`,
      '1 listed names have no event',
    ],
    [
      'columns',
      'a changed chunk',
      `UPDATE column_chunks SET checksum = checksum + 1 WHERE path = 'eventName'`,
      'chunks 0 of the column eventName',
    ],
    [
      'columnSizes',
      'another size',
      `UPDATE column_paths SET bytes = bytes + 1 WHERE path = 'eventName'`,
      'the catalogue counts',
    ],
    [
      'columnSizes',
      'a column that is not listed',
      `DELETE FROM column_paths WHERE path = 'eventName'`,
      'the catalogue counts 0',
    ],
    ['eventsWithoutLog', 'no log', `DELETE FROM logs WHERE number = 1`, '100 events belong to no log'],
    [
      'eventsWithoutLog',
      'no log behind the last one',
      `INSERT INTO events SELECT 9 * 4294967296, 9, ts, insert_id, name, user_id, properties, NULL
       FROM events WHERE ${ids} LIMIT 1`,
      '1 events belong to no log',
    ],
  ])('%s: %s', async (kind, _what, sql, says) => {
    const { file, raw } = await createCopy();
    raw.exec(sql);
    const { findings } = look(file);
    expect(kindsOf(findings)).toContain(kind);
    expect(findings.find((finding) => finding.kind === kind)?.message).toContain(says);
  });

  it.each([
    "document = json_set(document, '$.plan', '__proto__')",
    "document = json_set(document, '$.authStrategy', 'constructor')",
    "document = json_set(document, '$.alias', 'A/B'), place = 'A/B'",
    "place = 'other'",
    "document = '[]'",
    "in_group = 'g'",
  ])('finds a value that there is not: %s', async (value) => {
    const { file, raw } = await createCopy();
    putDocuments(raw, tenantDocument('another', 'one'), tenantDocument(TENANT, 'two'));
    expect(verifySqlite(() => new Database(file)).findings).toEqual([]);
    raw.exec(`UPDATE documents SET ${value} WHERE id = 'another'`);
    expect(verifySqlite(() => new Database(file)).findings).toMatchObject([
      { kind: 'damagedRows', message: '1 of the tenants have values that this version does not know' },
    ]);
  });

  it('says that the number of the schema is damaged, and changes nothing', async () => {
    for (const version of [-1, -2147483648, 0]) {
      const { file, raw } = await createCopy();
      raw.pragma(`user_version = ${version}`);
      const before = readFileSync(file);
      const says = `The file is damaged: its header says that its schema is version ${version}`;
      expect(() => look(file)).toThrow(says);
      expect(() => openStores(file)).toThrow(says);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('names who belongs to nobody, where the file holds the tenants', async () => {
    const { file, raw } = await createCopy();
    putDocuments(raw, tenantDocument('another', 'shop'), keyDocument('k', 'another'));
    raw.exec(`UPDATE documents SET tenant_id = 'gone' WHERE id = 'k'`);
    raw.exec(`INSERT INTO document_names (kind, name, document) VALUES ('key', 'h', 99)`);
    raw.exec(`DELETE FROM document_names WHERE name = 'shop'`);
    const { findings } = verifySqlite(() => new Database(file));
    expect(findings.map(({ message }) => message)).toEqual([
      `log 2 with 39600 rows is of tenant ${TENANT}, which is not there`,
      '1 keys belong to no tenant',
      '1 names of documents are not listed',
      '1 listed names are those of no document',
      '1 of the keys have values that this version does not know',
    ]);
  });

  it('finds a list of tables with which no server opens the file', async () => {
    const { file, raw } = await createCopy();
    raw.unsafeMode(true);
    raw.pragma('writable_schema = ON');
    raw.exec(`UPDATE sqlite_schema SET name = 'erased_rows_to_sweex' WHERE name = 'erased_rows_to_sweep'`);
    raw.close();
    expect(() => openStores(file)).toThrow();
    expect(look(file).findings).toMatchObject([
      {
        kind: 'damagedPage',
        message: 'the list of tables is damaged (malformed database schema (erased_rows_to_sweex))',
        matters: true,
      },
    ]);
  });

  it('finds a column that has another name', async () => {
    const { file, raw } = await createCopy();
    raw.unsafeMode(true);
    raw.pragma('writable_schema = ON');
    raw.exec(
      `UPDATE sqlite_schema SET sql = replace(sql, 'updated_at', 'updated_ad') WHERE name = 'buckets'`,
    );
    raw.close();
    expect(look(file).findings).toMatchObject([
      {
        kind: 'damagedPage',
        message: 'the list of tables is damaged (no such column: updated_at)',
        matters: true,
      },
    ]);
  });

  it('knows each table and its columns', () => {
    const raw = openRaw(newFile());
    raw.exec(MIGRATIONS.join(';'));
    const tables = raw
      .prepare(
        `SELECT tables.name, group_concat(columns.name, ', ') AS columns
         FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' GROUP BY tables.name`,
      )
      .raw()
      .all() as [string, string][];
    expect(TABLES).toEqual(Object.fromEntries(tables));
    const indexes = raw
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type <> 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .pluck()
      .all();
    expect(INDEXES).toEqual(indexes);
  });
});
