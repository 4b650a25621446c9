import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sampleEvents } from '../events.ts';
import type { OpenPeer, PageRow } from './peer.ts';

/** The driver's types are those of every way to bind parameters at once; these are the ones used here. */
interface Statement {
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

/** SQLite by hand: one table with the properties as JSON, and an index in the order of answers. */
function openByHand(toProps: string, fromProps: string): OpenPeer {
  return ({ folder, rows }) => {
    const database = new Database(join(folder, 'events.db'));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE events (ts INTEGER, insert_id TEXT, name TEXT, user_id TEXT, props ANY);
      CREATE UNIQUE INDEX newest ON events (ts DESC, insert_id DESC)`);
    const insert = database.prepare(`INSERT INTO events VALUES (?, ?, ?, ?, ${toProps})`);
    database.transaction(() => {
      for (const { eventTs, insertId, eventName, userId, propertiesJson } of sampleEvents(rows)) {
        insert.run(eventTs, insertId, eventName, userId, propertiesJson);
      }
    })();
    database.exec('ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
    const columns = `insert_id AS insertId, name, user_id AS userId, ts, ${fromProps} AS properties`;
    const statements = new Map<string, Statement>();
    /** A statement is prepared when it is first used. */
    const prepared = (sql: string): Statement => {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    };
    return Promise.resolve({
      count: ({ sqlite: where }) =>
        (prepared(`SELECT count(*) AS n FROM events WHERE ${where}`).get() as { n: number }).n,
      page: ({ sqlite: where }, offset, size) =>
        prepared(
          `SELECT ${columns} FROM events WHERE ${where} ORDER BY ts DESC, insert_id DESC LIMIT ? OFFSET ?`,
        ).all(size, offset) as PageRow[],
      names: () =>
        (prepared('SELECT DISTINCT name FROM events ORDER BY name').all() as { name: string }[]).map(
          ({ name }) => name,
        ),
      close: () => {
        database.close();
      },
    });
  };
}

export const openSqliteTextPeer = openByHand('?', 'props');
export const openSqliteJsonbPeer = openByHand('jsonb(?)', 'json(props)');
