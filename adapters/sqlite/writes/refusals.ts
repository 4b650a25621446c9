import type { AuditEntry, Refusal } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { prepareAuditEntry } from './admins.ts';

interface RefusalRow {
  reason: string;
  count: number;
  first_at: number;
  last_at: number;
  example: string | null;
}

/** Refusals from their row. */
export function toRefusal(row: unknown): Refusal {
  const { reason, count, first_at, last_at, example } = row as RefusalRow;
  return {
    ...{ reason: reason as Refusal['reason'], count, firstAt: first_at, lastAt: last_at },
    example: example === null ? null : (JSON.parse(example) as Refusal['example']),
  };
}

/** Prepares the writes of refusals. */
export function prepareRefusalWrites(database: SqliteDatabase) {
  const note = prepareAuditEntry(database);
  const add = database.prepare(
    `INSERT INTO refusals (tenant_id, reason, count, first_at, last_at, example) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, reason) DO UPDATE SET
       count = count + excluded.count,
       first_at = min(first_at, excluded.first_at),
       last_at = max(last_at, excluded.last_at),
       example = iif(excluded.last_at >= last_at, coalesce(excluded.example, example),
         coalesce(example, excluded.example))`,
  );
  const eraseExamples = database.prepare('UPDATE refusals SET example = NULL WHERE tenant_id = ?');
  const erase = database.prepare('DELETE FROM refusals WHERE tenant_id = ?');
  return {
    addRefusals: (tenantId: string, refusals: readonly Refusal[]) => {
      for (const { reason, count, firstAt, lastAt, example } of refusals)
        add.run(tenantId, reason, count, firstAt, lastAt, example && JSON.stringify(example));
    },
    eraseRefusalExamples: (tenantId: string) => void eraseExamples.run(tenantId),
    eraseRefusals: (tenantId: string, noted?: AuditEntry) => {
      erase.run(tenantId);
      note(noted);
    },
  };
}
