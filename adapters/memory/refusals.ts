import { mergeRefusals, type Refusal, type RefusalStore } from '../../src/store-kit.ts';
import { memoryAdminStore, type MemoryAdminStore } from './admins.ts';

/** Refusals in memory; that they were cleared is written to the audit log of the given store. */
export function memoryRefusalStore(
  { note }: Pick<MemoryAdminStore, 'note'> = memoryAdminStore(),
): RefusalStore {
  const tenants = new Map<string, Map<string, Refusal>>();
  return {
    add: (tenantId, refusals) => {
      const rows = tenants.get(tenantId) ?? new Map<string, Refusal>();
      for (const each of refusals) rows.set(each.reason, mergeRefusals(rows.get(each.reason), each));
      if (rows.size > 0) tenants.set(tenantId, rows);
      return Promise.resolve();
    },
    list: (tenantId) => Promise.resolve([...(tenants.get(tenantId)?.values() ?? [])]),
    eraseExamples: (tenantId) => {
      const rows = tenants.get(tenantId) ?? new Map<string, Refusal>();
      for (const row of rows.values()) rows.set(row.reason, { ...row, example: null });
      return Promise.resolve();
    },
    erase: (tenantId, entry) => {
      tenants.delete(tenantId);
      note(entry);
      return Promise.resolve();
    },
  };
}
