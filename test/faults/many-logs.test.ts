import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { salvageSqlite } from '../../adapters/sqlite/index.ts';
import { createFolder, createTenant, runSql } from '../support/file.ts';

/** More than a function of JavaScript takes arguments with its usual stack. */
const LOGS = 130_000;

it(`saves a file with ${LOGS} tenants`, async () => {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  const [file, to] = [folder.file('events.db'), folder.file('new.db')];
  await createTenant(file, 'shop');
  const numbers = `WITH RECURSIVE numbers (i) AS
    (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${LOGS})`;
  runSql(file, `INSERT INTO logs ${numbers} SELECT i, 'tenant ' || i, 0, 0 FROM numbers`);
  const saved = salvageSqlite(
    { read: () => new Database(file, { readonly: true }), write: (path) => new Database(path) },
    to,
    { holdsTenants: false },
  );
  expect(saved).toMatchObject({ losses: [], remarks: [] });
  expect(runSql(to, 'SELECT count(*) AS logs FROM logs')).toEqual([{ logs: LOGS }]);
});
