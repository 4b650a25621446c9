import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import {
  checkSqlite,
  migrateSqlite,
  salvageSqlite,
  verifySqlite,
  type SqliteDatabase,
} from '../../../adapters/sqlite/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { runSql } from '../../support/file.ts';
import { eventsFrom, newFile, openRaw, openStores, P_IS_3, PAGE, TENANT, wrapping } from './fixtures.ts';
import { addLog, createOlderFile } from './older-file.ts';
import { recordsIn } from '../../../src/core/access/records.ts';
import { keyDocument, putDocuments, tenantDocument } from '../../support/documents.ts';

vi.mock('../../../adapters/sqlite/file/migrations.ts', async (load) =>
  (await import('../../support/next-schema.ts')).withNextStep(load),
);

const OLDER = 1;
const NEWEST = 2;

/** A name that the next step replaces. */
const NAME = 'veryfoundname';

/** A file of the older schema with a tenant, its key, its events and those of another. */
function olderFile(): string {
  const file = newFile();
  const older = createOlderFile(file);
  putDocuments(
    older,
    tenantDocument(TENANT, 'shop', NAME),
    tenantDocument('another', 'another', 'Another'),
    keyDocument('k1', TENANT, 'hash-1'),
  );
  addLog(older, { number: 1, tenantId: TENANT, count: 300 }, (i) => eventsFrom(i, 1)[0]!);
  addLog(older, { number: 2, tenantId: 'another', count: 20 }, (i) => eventsFrom(i, 1)[0]!);
  older.close();
  return file;
}

const SELECT_NAME = `SELECT document ->> '$.name' FROM documents WHERE place = 'shop'`;
const versionOf = (file: string) => openRaw(file).pragma('user_version', { simple: true });
const connect = (file: string) => () => new Database(file);

describe('a file of an older schema', () => {
  it('keeps every event, tenant and key, answers about them, and goes on from them', async () => {
    const file = olderFile();
    const { events, control } = openStores(file);
    const { tenants, keys } = recordsIn(control);
    expect(versionOf(file)).toBe(NEWEST);
    expect(await tenants.list()).toMatchObject([
      { alias: 'another', name: 'ANOTHER', plan: 'growth' },
      { alias: 'shop', name: NAME.toUpperCase(), plan: 'growth' },
    ]);
    expect(await keys.findBySecretHash('hash-1')).toMatchObject({ id: 'k1', name: 'k1' });
    expect(openRaw(file).prepare('SELECT tenant_id FROM made_up').pluck().all()).toEqual([TENANT, 'another']);
    expect(await events.count(TENANT, EVERYTHING)).toBe(300);
    expect(await events.count(TENANT, P_IS_3)).toBe(60);
    expect(await events.count('another', EVERYTHING)).toBe(20);
    expect(await events.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
    expect((await events.query(TENANT, EVERYTHING, PAGE)).last).toMatchObject({ insertId: 'id-290' });
    const again = await events.append(TENANT, eventsFrom(290, 20), { namesMax: 3 });
    expect(again).toEqual({ duplicates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], overNames: [] });
    expect(await events.count(TENANT, EVERYTHING)).toBe(310);
    // A table that only the made-up step has is none of this version.
    expect(verifySqlite(connect(file)).findings).toMatchObject([
      { message: 'the table "made_up" is not of event-query' },
    ]);
  });

  it('is neither read nor changed where nothing may migrate it', () => {
    const file = olderFile();
    const before = readFileSync(file);
    for (const schema of ['keep', 'begin'] as const) {
      expect(() => openStores(file, { schema })).toThrow(
        `The file has schema ${OLDER}, and this event-query works with schema ${NEWEST}. ` +
          'To bring it there, stop an older event-query that has it open, and run "event-query migrate"',
      );
    }
    checkSqlite(connect(file));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is migrated once by processes that open it together', async () => {
    const file = olderFile();
    let others = 0;
    // While this one waits for the lock, another opens the file and is done.
    const first = wrapping(file, {
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE' && others++ === 0) openStores(file);
      },
    });
    const { events } = openStores(file, { connect: first });
    expect(others).toBeGreaterThan(0);
    expect(await events.count(TENANT, EVERYTHING)).toBe(300);
  });

  it('holds nothing afterwards that the migration replaced, nor does the log beside it', () => {
    const file = olderFile();
    openStores(file);
    for (const each of [file, `${file}-wal`]) expect(readFileSync(each, 'latin1')).not.toContain(NAME);
  });

  it('stays as it was where the step before fails, or the migration itself', () => {
    const refusing = olderFile();
    const before = () => {
      throw new Error('no room for a copy');
    };
    expect(() => migrateSqlite(connect(refusing), { before })).toThrow('no room for a copy');
    const failing = olderFile();
    runSql(failing, 'CREATE TABLE made_up (other TEXT)');
    expect(() => migrateSqlite(connect(failing))).toThrow('made_up');
    for (const file of [refusing, failing]) {
      expect(versionOf(file)).toBe(OLDER);
      expect(openRaw(file).prepare(SELECT_NAME).pluck().get()).toBe(NAME);
    }
  });

  it('has its pages checked, and the report says what was left out', () => {
    const { schema, events, findings, remarks } = verifySqlite(connect(olderFile()));
    expect({ schema, events, findings }).toEqual({ schema: OLDER, events: 320, findings: [] });
    expect(remarks).toEqual([expect.stringContaining('event-query migrate')]);
  });

  it('is saved in the schema of this version', () => {
    const connections: { read: () => SqliteDatabase; write: (to: string) => SqliteDatabase } = {
      read: connect(olderFile()),
      write: (to) => new Database(to),
    };
    const to = newFile();
    const { schema, events, losses } = salvageSqlite(connections, to);
    expect([schema, events, losses]).toEqual([NEWEST, 320, []]);
    expect(openRaw(to).prepare(SELECT_NAME).pluck().get()).toBe(NAME.toUpperCase());
  });
});

describe('a file of a newer schema', () => {
  it('is refused, and stays as it is', () => {
    const file = olderFile();
    openStores(file);
    openRaw(file).pragma(`user_version = ${NEWEST + 1}`);
    expect(() => openStores(file)).toThrow(
      `version ${NEWEST + 1}, and this one knows up to version ${NEWEST}`,
    );
    expect(versionOf(file)).toBe(NEWEST + 1);
  });
});
