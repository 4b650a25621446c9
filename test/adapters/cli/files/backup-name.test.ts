import { expect, it } from 'vitest';
import { toBackupName } from '../../../../adapters/cli/files/backup-name.ts';

it('names a backup by its file and the second in UTC, without colons', () => {
  const at = new Date('2026-11-25T06:15:00.999Z');
  expect(toBackupName('./data/event-query.db', at)).toBe('event-query-2026-11-25T061500Z.db');
  expect(toBackupName('/data/events', at)).toBe('events-2026-11-25T061500Z.db');
});
