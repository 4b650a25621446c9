import type { Tenant, TenantChanges } from '../../../src/index.ts';
import {
  withConfigChange,
  type AuditEntry,
  type AuthStrategy,
  type ConfigChange,
  type ConfigEntry,
  type JwtSettings,
  type Limits,
  type PlanName,
} from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { prepareAuditEntry } from './admins.ts';

interface TenantRow {
  id: string;
  alias: string;
  name: string;
  plan: string;
  limits: string | null;
  ingestion: string;
  retention_days: number | null;
  auth_strategy: string;
  jwt: string | null;
  created_at: number;
}

/** The columns of a tenant. Its remote config is long and not among them: few requests ask for it. */
export const TENANT_COLUMNS =
  'id, alias, name, plan, limits, ingestion, retention_days, auth_strategy, jwt, created_at';

/** A tenant from its row; undefined without a row. */
export function toTenant(row: unknown): Tenant | undefined {
  if (row === undefined) return undefined;
  const { id, alias, name, plan, limits, ingestion, retention_days, auth_strategy, jwt, created_at } =
    row as TenantRow;
  return {
    id,
    alias,
    name,
    plan: plan as PlanName,
    limits: limits === null ? null : (JSON.parse(limits) as Limits),
    ingestion: JSON.parse(ingestion) as Tenant['ingestion'],
    retentionDays: retention_days,
    authStrategy: auth_strategy as AuthStrategy,
    jwt: jwt === null ? null : (JSON.parse(jwt) as JwtSettings),
    createdAt: created_at,
  };
}

function settingsOf({ limits, ingestion, jwt, ...plain }: Tenant): unknown[] {
  const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const { name, plan, retentionDays, authStrategy } = plain;
  return [name, plan, toJson(limits), JSON.stringify(ingestion), retentionDays, authStrategy, toJson(jwt)];
}

/** Prepares the writes of tenants. */
export function prepareTenantWrites(database: SqliteDatabase) {
  const note = prepareAuditEntry(database);
  const insert = database.prepare(
    `INSERT INTO tenants
       (id, alias, created_at, name, plan, limits, ingestion, retention_days, auth_strategy, jwt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (alias) DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE tenants SET name = ?, plan = ?, limits = ?, ingestion = ?, retention_days = ?,
     auth_strategy = ?, jwt = ? WHERE id = ?`,
  );
  const remove = database.prepare('DELETE FROM tenants WHERE id = ?');
  const selectById = database.prepare(`SELECT ${TENANT_COLUMNS} FROM tenants WHERE id = ?`);
  const selectConfig = database.prepare('SELECT remote_config FROM tenants WHERE id = ?');
  const updateConfig = database.prepare('UPDATE tenants SET remote_config = ? WHERE id = ?');
  return {
    createTenant: (tenant: Tenant, noted?: AuditEntry) => {
      const { changes } = insert.run(tenant.id, tenant.alias, tenant.createdAt, ...settingsOf(tenant));
      if (Number(changes) === 0) return false;
      note(noted);
      return true;
    },
    updateTenant: (id: string, changes: TenantChanges, noted?: AuditEntry) => {
      const before = toTenant(selectById.get(id));
      if (before === undefined) return undefined;
      const after = { ...before, ...changes };
      update.run(...settingsOf(after), id);
      note(noted);
      return after;
    },
    deleteTenant: (id: string, noted?: AuditEntry) => {
      if (Number(remove.run(id).changes) === 0) return false;
      note(noted);
      return true;
    },
    changeRemoteConfig: (id: string, change: ConfigChange, noted?: AuditEntry) => {
      const before = toConfig(selectConfig.get(id));
      if (before === undefined) return undefined;
      const after = withConfigChange(before, change);
      if (after !== 'full' && after !== before) {
        updateConfig.run(JSON.stringify(after), id);
        note(noted);
      }
      return after;
    },
  };
}

/** The remote config in the row of a tenant; undefined without a row. */
export function toConfig(row: unknown): readonly ConfigEntry[] | undefined {
  if (row === undefined) return undefined;
  return JSON.parse((row as { remote_config: string }).remote_config) as ConfigEntry[];
}
