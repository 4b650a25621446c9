import { expect, it } from 'vitest';
import { toStoreError } from '../../../adapters/sqlite/database.ts';

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
