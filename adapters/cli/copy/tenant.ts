import {
  isApiError,
  type ApiKey,
  type JsonObject,
  type Tenant,
  type TenantChanges,
} from '../../../src/index.ts';
import { recordsIn, toAuditEntry, toAuditedChanges, type Records } from '../../../src/internal.ts';
import type { AuditEntry, ConfigEntry } from '../../../src/store-kit.ts';
import { quote } from '../../../src/transport-kit.ts';
import { failure } from '../process/errors.ts';
import type { Workplace } from '../stores/open-stores.ts';

/** Makes the audit entry of a change. */
type Note = (action: AuditEntry['action'], details: object) => AuditEntry;

/**
 * Copies a tenant with its settings, remote config and keys to another place, or updates it there. A revoked
 * key is revoked there too; keys that exist only there stay. Each change is written to the audit log there.
 * Throws an Error when the alias or the id is taken by another tenant.
 */
export async function copyTenant(tenant: Tenant, source: Workplace, target: Workplace): Promise<void> {
  const { id, alias, plan, name } = tenant;
  const { tenants, keys } = recordsIn(target.stores.control);
  const note: Note = (action, details) =>
    toAuditEntry(target.by, target.runtime, { action, tenantId: id, alias, details: details as JsonObject });
  const known = (await tenants.findByAlias(alias)) ?? (await tenants.findById(id));
  if (known === undefined) await tenants.create(tenant, note('tenant.create', { alias, plan, name }));
  else if (known.id !== id || known.alias !== alias) throw taken(alias);
  else {
    const changes = changesBetween(known, tenant);
    if (Object.keys(changes).length > 0) {
      const noted = await toAuditedChanges(changes, target.runtime);
      await tenants.update(id, changes, note('tenant.set', noted));
    }
  }
  await copyConfig(id, source, target, note);
  const theirs = new Map((await keys.list(id)).map((key) => [key.id, key]));
  for (const key of await recordsIn(source.stores.control).keys.list(id))
    await copyKey(key, theirs.get(key.id), keys, note);
}

/**
 * Throws an Error when the tenant was deleted at the target before, because the target then refuses its
 * events for ever.
 */
export async function checkTakes(id: string, { stores }: Workplace): Promise<void> {
  await stores.events.append(id, []).catch((error: unknown) => {
    if (!isApiError(error) || error.code !== 'tenantNotFound') throw error;
    throw failure('this tenant was deleted at the place of --to once, for good; copy it to another place');
  });
}

/** The settings of a tenant that can change. */
function settingsOf(tenant: Tenant): Required<TenantChanges> {
  const { name, plan, limits, ingestion, retentionDays, authStrategy, jwt } = tenant;
  return { name, plan, limits, ingestion, retentionDays, authStrategy, jwt };
}

function changesBetween(before: Tenant, after: Tenant): TenantChanges {
  const old: Readonly<Record<string, unknown>> = settingsOf(before);
  const changed = Object.entries(settingsOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
  );
  return Object.fromEntries(changed);
}

/** Makes the remote config there what it is here. What goes is removed first, so that there is room. */
async function copyConfig(id: string, source: Workplace, target: Workplace, note: Note): Promise<void> {
  const { tenants } = recordsIn(target.stores.control);
  const entries = await recordsIn(source.stores.control).tenants.remoteConfig(id);
  const keys = new Set(entries.map(({ key }) => key));
  const theirs = new Map((await tenants.remoteConfig(id)).map(({ key, value }) => [key, value]));
  for (const key of theirs.keys()) {
    if (keys.has(key)) continue;
    await tenants.changeRemoteConfig(id, { key, value: null }, note('config.unset', { key }));
  }
  const changed = entries.filter(({ key, value }) => theirs.get(key) !== value);
  // What becomes shorter goes first, for the same reason.
  const growth = ({ key, value }: ConfigEntry) =>
    Buffer.byteLength(value) - Buffer.byteLength(theirs.get(key) ?? '');
  for (const entry of changed.sort((a, b) => growth(a) - growth(b)))
    await tenants.changeRemoteConfig(id, entry, note('config.set', entry));
}

async function copyKey(
  key: ApiKey,
  there: ApiKey | undefined,
  keys: Records['keys'],
  note: Note,
): Promise<void> {
  const { id, name, permissions, restrictions, expiresAt } = key;
  if (there === undefined) {
    await keys.copy(key, note('key.create', { id, name, permissions, restrictions, expiresAt }));
    return;
  }
  const known = new Set(there.secrets.map(({ hash }) => hash));
  for (const [i, secret] of key.secrets.entries()) {
    if (known.has(secret.hash)) continue;
    // Adding a secret sets when the older ones expire.
    const ends = key.secrets.slice(0, i).map((older) => older.expiresAt ?? Number.MAX_SAFE_INTEGER);
    const othersExpireAt = Math.max(0, ...ends);
    await keys.addSecret(id, secret, othersExpireAt, note('key.rotate', { id, name, othersExpireAt }));
  }
  if (restrictions !== null && JSON.stringify(restrictions) !== JSON.stringify(there.restrictions))
    await keys.restrict(id, restrictions, note('key.set', { id, name, restrictions: { ...restrictions } }));
  if (key.revokedAt === null || there.revokedAt !== null) return;
  await keys.revoke(id, key.revokedAt, note('key.revoke', { id, name }));
}

function taken(alias: string): Error {
  return failure(`the place of --to has another tenant ${quote(alias)}, or this one under another alias`);
}
