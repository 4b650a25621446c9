import type { Tenant } from '../../src/index.ts';
import {
  compareCodePoints,
  withConfigChange,
  type ConfigEntry,
  type TenantStore,
} from '../../src/store-kit.ts';
import { memoryAdminStore, type MemoryAdminStore } from './admins.ts';

/** Tenants in memory; changes are written to the audit log of the given store. */
export function memoryTenantStore(
  { note }: Pick<MemoryAdminStore, 'note'> = memoryAdminStore(),
): TenantStore {
  const tenants = new Map<string, Tenant>();
  const configs = new Map<string, readonly ConfigEntry[]>();
  const byAlias = (alias: string) => [...tenants.values()].find((tenant) => tenant.alias === alias);
  return {
    create: (tenant, noted) => {
      if (byAlias(tenant.alias) !== undefined) return Promise.resolve(false);
      tenants.set(tenant.id, tenant);
      note(noted);
      return Promise.resolve(true);
    },
    findById: (id) => Promise.resolve(tenants.get(id)),
    findByAlias: (alias) => Promise.resolve(byAlias(alias)),
    list: ({ ids = null, after, size } = {}) => {
      const isAsked = ({ id, alias }: Tenant) =>
        ids?.includes(id) !== false && (after === undefined || compareCodePoints(alias, after) > 0);
      const found = [...tenants.values()].filter(isAsked);
      return Promise.resolve(found.sort((a, b) => compareCodePoints(a.alias, b.alias)).slice(0, size));
    },
    update: (id, changes, noted) => {
      const before = tenants.get(id);
      if (before === undefined) return Promise.resolve(undefined);
      const after = { ...before, ...changes };
      tenants.set(id, after);
      note(noted);
      return Promise.resolve(after);
    },
    delete: (id, noted) => {
      const removed = tenants.delete(id);
      configs.delete(id);
      if (removed) note(noted);
      return Promise.resolve(removed);
    },
    remoteConfig: (id) => Promise.resolve(configs.get(id) ?? []),
    changeRemoteConfig: (id, change, noted) => {
      if (!tenants.has(id)) return Promise.resolve(undefined);
      const before = configs.get(id) ?? [];
      const after = withConfigChange(before, change);
      if (after !== 'full' && after !== before) {
        configs.set(id, after);
        note(noted);
      }
      return Promise.resolve(after);
    },
  };
}
