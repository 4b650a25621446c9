import { compareCodePoints, type Tenant, type TenantStore } from '../../src/index.ts';

/** Tenants in memory. */
export function memoryTenantStore(): TenantStore {
  const tenants = new Map<string, Tenant>();
  const byAlias = (alias: string) => [...tenants.values()].find((tenant) => tenant.alias === alias);
  return {
    create: (tenant) => {
      if (byAlias(tenant.alias) !== undefined) return Promise.resolve(false);
      tenants.set(tenant.id, tenant);
      return Promise.resolve(true);
    },
    findById: (id) => Promise.resolve(tenants.get(id)),
    findByAlias: (alias) => Promise.resolve(byAlias(alias)),
    list: () => Promise.resolve([...tenants.values()].sort((a, b) => compareCodePoints(a.alias, b.alias))),
    update: (id, changes) => {
      const before = tenants.get(id);
      if (before === undefined) return Promise.resolve(undefined);
      const after = { ...before, ...changes };
      tenants.set(id, after);
      return Promise.resolve(after);
    },
    delete: (id) => Promise.resolve(tenants.delete(id)),
  };
}
