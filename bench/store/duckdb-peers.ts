import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadPeer } from '../harness.ts';
import { exportRows } from './export-rows.ts';
import { toGroupRow, toGroupSql } from './group-questions.ts';
import type { OpenPeer } from './peer.ts';
import type { Question } from './questions.ts';
import { toTableRow } from './table-questions.ts';

interface Reader {
  getRowsJS(): (string | bigint | number)[][];
}
interface Connection {
  runAndReadAll(sql: string): Promise<Reader>;
  closeSync(): void;
}
interface DuckDb {
  DuckDBInstance: {
    create(file: string): Promise<{ connect(): Promise<Connection>; closeSync(): void }>;
  };
}

const ROWS = `ts: 'BIGINT', insert_id: 'VARCHAR', name: 'VARCHAR', user_id: 'VARCHAR', props: 'VARCHAR'`;

/** Every property in a typed column of its own, beside the text that answers are made of. */
const FLAT = `ts, insert_id, name, user_id,
  p->>'$.plan' AS plan, p->>'$.country' AS country, p->>'$.sessionId' AS session_id,
  p->>'$.page.path' AS path, p->>'$.page.referrer' AS referrer, p->>'$.device.os' AS os,
  p->>'$.device.browser.name' AS browser, (p->'$.device.browser.major')::INTEGER AS major,
  (p->'$.durationMs')::INTEGER AS duration_ms, p->>'$.campaign' AS campaign,
  p->>'$.search.text' AS search_text, (p->'$.search.hits')::INTEGER AS search_hits,
  (p->'$.price')::DOUBLE AS price, (p->'$.quantity')::INTEGER AS quantity,
  from_json(p->'$.tags', '["VARCHAR"]') AS tags, p->>'$.checkout.coupon.code' AS coupon, props`;

function openDuckDb(columns: string, whereOf: (question: Question) => string): OpenPeer {
  return async ({ folder, rows }) => {
    const duckdb = await loadPeer<DuckDb>('@duckdb/node-api');
    if (duckdb === undefined) return undefined;
    const instance = await duckdb.DuckDBInstance.create(join(folder, 'events.duckdb'));
    const connection = await instance.connect();
    const file = join(folder, 'rows.ndjson');
    exportRows(file, rows);
    await connection.runAndReadAll(
      `CREATE TABLE events AS SELECT ${columns}
       FROM (SELECT *, props::JSON AS p
         FROM read_json('${file}', format = 'newline_delimited', columns = {${ROWS}}))`,
    );
    await connection.runAndReadAll('CHECKPOINT');
    rmSync(file);
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS();
    return {
      count: async (question) =>
        Number((await read(`SELECT count(*) FROM events WHERE ${whereOf(question)}`))[0]?.[0]),
      page: async (question, offset, size) => {
        const found = await read(
          `SELECT insert_id, name, user_id, ts, props FROM events WHERE ${whereOf(question)}
           ORDER BY ts DESC, insert_id DESC LIMIT ${size} OFFSET ${offset}`,
        );
        return found.map(([insertId, eventName, userId, eventTs, properties]) => {
          return { insertId: insertId as string, eventName, userId, eventTs, properties };
        });
      },
      groups: async (question) =>
        (await read(toGroupSql('events', question.duckKey, question))).map((row) =>
          toGroupRow(row, question),
        ),
      table: async (question) => (await read(question.duck)).map((row) => toTableRow(row, question)),
      names: async () =>
        (await read('SELECT DISTINCT name FROM events ORDER BY name')).map(([name]) => name as string),
      close: () => {
        connection.closeSync();
        instance.closeSync();
      },
    };
  };
}

export const openDuckDbFlatPeer = openDuckDb(FLAT, ({ duckFlat }) => duckFlat);
export const openDuckDbJsonPeer = openDuckDb(
  'ts, insert_id, name, user_id, p AS props',
  ({ duckJson }) => duckJson,
);
