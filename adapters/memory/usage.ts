import { mergeUsage, USAGE_DAYS_MAX, type UsageDay, type UsageStore } from '../../src/store-kit.ts';

/** How much tenants were used, in memory. */
export function memoryUsageStore(): UsageStore {
  const tenants = new Map<string, Map<string, UsageDay>>();
  return {
    add: (tenantId, days) => {
      const rows = tenants.get(tenantId) ?? new Map<string, UsageDay>();
      for (const each of days) rows.set(each.day, mergeUsage(rows.get(each.day), each));
      const kept = [...rows.values()].sort(byDay).slice(-USAGE_DAYS_MAX);
      if (kept.length > 0) tenants.set(tenantId, new Map(kept.map((each) => [each.day, each])));
      return Promise.resolve();
    },
    list: (tenantId, from) => {
      const rows = [...(tenants.get(tenantId)?.values() ?? [])];
      return Promise.resolve(rows.filter(({ day }) => day >= from).sort(byDay));
    },
    erase: (tenantId) => {
      tenants.delete(tenantId);
      return Promise.resolve();
    },
  };
}

const byDay = (one: UsageDay, other: UsageDay) => (one.day < other.day ? -1 : 1);
