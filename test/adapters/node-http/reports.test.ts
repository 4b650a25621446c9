import { expect, it } from 'vitest';
import { createReports } from '../../../adapters/node-http/limits/reports.ts';
import { createTestLog } from '../../support/test-server.ts';

it('what was written is not written again', () => {
  const log = createTestLog();
  const reports = createReports(log);
  reports.note('something happened', { first: true });
  reports.note('something happened', { first: false });
  expect(reports.isEmpty).toBe(false);
  reports.flush();
  expect(log.entries).toEqual([
    { level: 'error', message: 'something happened', fields: { first: true, times: 2 } },
  ]);
  expect(reports.isEmpty).toBe(true);
});
