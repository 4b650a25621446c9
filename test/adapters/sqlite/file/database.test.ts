import { expect, it } from 'vitest';
import { compileLate, toStoreError } from '../../../../adapters/sqlite/file/database.ts';

const failing = (fields: object) => Object.assign(new Error('disk I/O error'), fields);

it.each([
  { code: 'SQLITE_BUSY' },
  { code: 'SQLITE_BUSY_SNAPSHOT' },
  { code: 'SQLITE_IOERR_WRITE' },
  { code: 'ERR_SQLITE_ERROR', errcode: 5 },
  { code: 'ERR_SQLITE_ERROR', errcode: 778 },
])('%j means "not now"', (fields) => {
  const error = failing(fields);
  expect(toStoreError(error)).toMatchObject({ name: 'ApiError', status: 503, cause: error });
});

it.each([
  { code: 'SQLITE_CONSTRAINT_UNIQUE' },
  { code: 'SQLITE_BUSYBODY' },
  { code: 'SQLITE_ERROR' },
  { code: 'ERR_SQLITE_ERROR', errcode: 2067 },
  {},
])('%j is a fault', (fields) => {
  const error = failing(fields);
  expect(toStoreError(error)).toBe(error);
});

it('a statement is compiled when it is first used, and once', () => {
  const compiled: string[] = [];
  const driver = {
    exec: () => undefined,
    close: () => undefined,
    prepare(sql: string) {
      compiled.push(sql);
      const answer = (...values: unknown[]) => [sql, ...values];
      return { run: () => ({ changes: 1 }), get: answer, all: answer, iterate: answer };
    },
  };
  const late = compileLate(driver, (error) => error);
  const [used] = [late.prepare('SELECT 1'), late.prepare('SELECT 2')];
  expect(compiled).toEqual([]);
  expect(used.get(7)).toEqual(['SELECT 1', 7]);
  expect(used.all(8, 9)).toEqual(['SELECT 1', 8, 9]);
  expect(used.run().changes).toBe(1);
  expect(compiled).toEqual(['SELECT 1']);
});
