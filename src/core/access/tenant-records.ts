import type { AuditEntry } from './audit.ts';
import type { ControlStore, DocumentPage } from './control-store.ts';
import { change, put, readerOf, type DocumentKind } from './decide.ts';
import { withConfigChange, type ConfigChange, type ConfigEntry } from './remote-config.ts';
import type { Tenant, TenantChanges } from './tenant.ts';

/** How tenants are kept. */
export const TENANT: DocumentKind<Tenant> = {
  kind: 'tenant',
  of: ({ id, alias }) => ({ id, place: alias, names: [alias] }),
};

/** The document of a new tenant. */
export const toTenantDocument = (tenant: Tenant) => put(TENANT, tenant);

/** The remote config of a tenant. It is long, and few requests ask for it. */
interface TenantConfig {
  readonly tenantId: string;
  readonly entries: readonly ConfigEntry[];
}

/** How the remote config of a tenant is kept. */
export const CONFIG: DocumentKind<TenantConfig> = {
  kind: 'config',
  of: ({ tenantId }) => ({ id: tenantId, tenantId }),
};

/** The tenants of a control store, with their remote config. Each change has its audit entry, if any. */
export type TenantRecords = ReturnType<typeof tenantsIn>;

/** Keeps tenants in a control store. */
export function tenantsIn(control: ControlStore) {
  const { get, find, list } = readerOf(control, TENANT);
  const { get: getConfig } = readerOf(control, CONFIG);
  return {
    /** Adds a tenant; false when its alias is taken. */
    create: (tenant: Tenant, entry?: AuditEntry): Promise<boolean> =>
      change(
        control,
        async () => (await find(tenant.alias)) ?? (await get(tenant.id)),
        (taken) =>
          taken === undefined ? { puts: [put(TENANT, tenant)], entry, answer: true } : { answer: false },
      ),
    /** The tenant with this UUID; undefined when there is none. */
    findById: async (id: string): Promise<Tenant | undefined> => (await get(id))?.value,
    /** The tenant that has this alias now; undefined if there is none. */
    findByAlias: async (alias: string): Promise<Tenant | undefined> => (await find(alias))?.value,
    /** All tenants, or those of a page, by alias ascending. */
    list: async (page?: DocumentPage): Promise<readonly Tenant[]> =>
      (await list('', page)).map(({ value }) => value),
    /**
     * Changes the given fields; returns the updated tenant, or undefined if there is none. Without any field
     * it only writes the audit entry.
     */
    update: (id: string, changes: TenantChanges, entry?: AuditEntry): Promise<Tenant | undefined> =>
      change(
        control,
        () => get(id),
        (before) => {
          if (before === undefined) return { answer: undefined };
          const answer = { ...before.value, ...changes };
          return { puts: [put(TENANT, answer, before)], entry, answer };
        },
      ),
    /** Removes the tenant with all that belongs to it, except its events; false if there was none. */
    delete: (id: string, entry?: AuditEntry): Promise<boolean> =>
      change(
        control,
        () => get(id),
        (before) =>
          before === undefined
            ? { answer: false }
            : { removes: [before.document], entry, erases: true, answer: true },
      ),
    /** The entries of the remote config of a tenant, by key ascending by code point. */
    remoteConfig: async (tenantId: string): Promise<readonly ConfigEntry[]> =>
      (await getConfig(tenantId))?.value.entries ?? [],
    /**
     * Makes one change by `withConfigChange`, and returns the entries after it; `full` if there is no room
     * for it, and undefined if there is no such tenant. What changes nothing has no audit entry.
     */
    changeRemoteConfig: (
      tenantId: string,
      wanted: ConfigChange,
      entry?: AuditEntry,
    ): Promise<readonly ConfigEntry[] | 'full' | undefined> =>
      change(
        control,
        async () => ({ tenant: await get(tenantId), config: await getConfig(tenantId) }),
        ({ tenant, config }) => {
          if (tenant === undefined) return { answer: undefined };
          const before = config?.value.entries ?? [];
          const entries = withConfigChange(before, wanted);
          if (entries === 'full' || entries === before) return { answer: entries };
          return { puts: [put(CONFIG, { tenantId, entries }, config)], entry, answer: entries };
        },
      ),
  };
}
