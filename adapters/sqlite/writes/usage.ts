import { USAGE_DAYS_MAX, type UsageDay } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';

/** Prepares the writes of usage. */
export function prepareUsageWrites(database: SqliteDatabase) {
  const add = database.prepare(
    `INSERT INTO usage_days (tenant_id, day, requests, refused, limited, events, rejected, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, day) DO UPDATE SET
       requests = requests + excluded.requests,
       refused = refused + excluded.refused,
       limited = limited + excluded.limited,
       events = events + excluded.events,
       rejected = rejected + excluded.rejected,
       bytes = bytes + excluded.bytes`,
  );
  const trim = database.prepare(
    `DELETE FROM usage_days WHERE tenant_id = ? AND day <= (
       SELECT day FROM usage_days WHERE tenant_id = ? ORDER BY day DESC LIMIT 1 OFFSET ${USAGE_DAYS_MAX}
     )`,
  );
  const erase = database.prepare('DELETE FROM usage_days WHERE tenant_id = ?');
  return {
    addUsage: (tenantId: string, days: readonly UsageDay[]) => {
      for (const { day, requests, refused, limited, events, rejected, bytes } of days)
        add.run(tenantId, day, requests, refused, limited, events, rejected, bytes);
      trim.run(tenantId, tenantId);
    },
    eraseUsage: (tenantId: string) => void erase.run(tenantId),
  };
}
