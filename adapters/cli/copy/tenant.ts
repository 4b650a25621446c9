import {
  quote,
  type ApiKey,
  type KeyStore,
  type Stores,
  type Tenant,
  type TenantChanges,
} from '../../../src/index.ts';
import { failure } from '../errors.ts';

type Desk = Pick<Stores, 'tenants' | 'keys'>;

/**
 * Makes a tenant with its settings and keys known at another place, or as they are now where it is known
 * already: a key that was revoked is revoked there too. Keys that only the other place has stay. Throws an
 * Error where the alias or the id is taken.
 */
export async function copyTenant(tenant: Tenant, source: Desk, target: Desk): Promise<void> {
  const { id, alias } = tenant;
  const known = (await target.tenants.findByAlias(alias)) ?? (await target.tenants.findById(id));
  if (known === undefined) await target.tenants.create(tenant);
  else if (known.id !== id || known.alias !== alias) throw taken(alias);
  else await target.tenants.update(id, settingsOf(tenant));
  const theirs = new Map((await target.keys.list(id)).map((key) => [key.id, key]));
  for (const key of await source.keys.list(id)) await copyKey(key, theirs.get(key.id), target.keys);
}

/** All that can change of a tenant. */
function settingsOf(tenant: Tenant): TenantChanges {
  const { name, plan, limits, ingestion, authStrategy, jwt } = tenant;
  return { name, plan, limits, ingestion, authStrategy, jwt };
}

async function copyKey(key: ApiKey, there: ApiKey | undefined, keys: KeyStore): Promise<void> {
  if (there === undefined) return keys.create(key);
  const known = new Set(there.secrets.map(({ hash }) => hash));
  for (const [i, secret] of key.secrets.entries()) {
    if (known.has(secret.hash)) continue;
    // A new secret says when the older ones end.
    const ends = key.secrets.slice(0, i).map(({ expiresAt }) => expiresAt ?? Number.MAX_SAFE_INTEGER);
    await keys.addSecret(key.id, secret, Math.max(0, ...ends));
  }
  if (key.revokedAt !== null) await keys.revoke(key.id, key.revokedAt);
}

function taken(alias: string): Error {
  return failure(`the place of --to has another tenant ${quote(alias)}, or this one under another alias`);
}
