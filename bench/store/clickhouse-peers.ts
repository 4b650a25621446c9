import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadPeer } from '../harness.ts';
import { exportRows } from './export-rows.ts';
import { toGroupRow, toGroupSql } from './group-questions.ts';
import type { OpenPeer } from './peer.ts';
import type { Question } from './questions.ts';
import { toTableRow } from './table-questions.ts';

interface ChDb {
  Session: new (folder: string) => { query(sql: string, format?: string): string; close(): void };
}

/** ClickHouse in this process. `columns` are those of the properties, filled by `values`. */
function openClickHouse(columns: string, values: string, whereOf: (question: Question) => string): OpenPeer {
  return async ({ folder, rows }) => {
    const chdb = await loadPeer<ChDb>('chdb');
    if (chdb === undefined) return undefined;
    const file = join(folder, 'rows.ndjson');
    exportRows(file, rows);
    const session = new chdb.Session(join(folder, 'clickhouse'));
    session.query('CREATE DATABASE IF NOT EXISTS bench');
    session.query(
      `CREATE TABLE bench.events (ts Int64, insert_id String, name LowCardinality(String), user_id String,
       ${columns}) ENGINE = MergeTree ORDER BY (ts, insert_id)`,
    );
    session.query(
      `INSERT INTO bench.events SELECT ts, insert_id, name, user_id, ${values}
       FROM file('${file}', 'JSONEachRow',
         'ts Int64, insert_id String, name String, user_id String, props String')`,
    );
    session.query('OPTIMIZE TABLE bench.events FINAL');
    rmSync(file);
    const read = (sql: string) => {
      const text = session.query(sql, 'JSONCompactEachRow').trimEnd();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as (string | number)[]);
    };
    return {
      count: (question) =>
        Number(read(`SELECT count() FROM bench.events WHERE ${whereOf(question)}`)[0]?.[0]),
      page: (question, offset, size) =>
        read(
          `SELECT insert_id, name, user_id, ts, raw FROM bench.events WHERE ${whereOf(question)}
           ORDER BY ts DESC, insert_id DESC LIMIT ${size} OFFSET ${offset}`,
        ).map(([insertId, eventName, userId, eventTs, properties]) => {
          return { insertId: insertId as string, eventName, userId, eventTs, properties };
        }),
      groups: (question) =>
        read(toGroupSql('bench.events', question.clickKey, question)).map((row) => toGroupRow(row, question)),
      table: (question) => read(question.click).map((row) => toTableRow(row, question)),
      names: () =>
        read('SELECT DISTINCT name FROM bench.events ORDER BY name').map(([name]) => name as string),
      close: () => session.close(),
    };
  };
}

export const openClickHouseJsonPeer = openClickHouse(
  'props JSON, raw String CODEC(ZSTD(1))',
  'props::JSON, props',
  ({ clickJson }) => clickJson,
);
export const openClickHouseTextPeer = openClickHouse(
  'raw String CODEC(ZSTD(1)), props String ALIAS raw',
  'props',
  ({ clickText }) => clickText,
);
