import type { AdminCredential } from './admin-credential.ts';
import type { Tenant } from './tenant.ts';

// Who may see and do what, by the role and the tenants of a credential.

/** The ids of the tenants that a credential may read; null for all tenants. */
export function tenantIdsOf({
  tenantIds,
  viewedIds,
}: Pick<AdminCredential, 'tenantIds' | 'viewedIds'>): readonly string[] | null {
  return tenantIds === null || viewedIds === null ? null : [...tenantIds, ...viewedIds];
}

/** Whether a credential grants at least read access to a tenant. */
export function isFor(credential: AdminCredential, { id }: Pick<Tenant, 'id'>): boolean {
  const ids = tenantIdsOf(credential);
  return ids === null || ids.includes(id);
}

/** Whether a credential administers all tenants of a set; null stands for all that there are. */
function administers({ role, tenantIds }: AdminCredential, ids: readonly string[] | null): boolean {
  if (role !== 'admin') return false;
  return tenantIds === null || ids?.every((id) => tenantIds.includes(id)) === true;
}

/** Whether a credential may change a tenant. */
export function isAdminOf(credential: AdminCredential, { id }: Pick<Tenant, 'id'>): boolean {
  return administers(credential, [id]);
}

/** Whether a credential administers all tenants. */
export function isOwner(credential: AdminCredential): boolean {
  return administers(credential, null);
}

/** The person behind a credential, as a provider knows them; undefined without a provider. */
function subjectOf({ identity }: AdminCredential): string | undefined {
  return identity === null ? undefined : JSON.stringify([identity.issuer, identity.subject]);
}

/**
 * Whether two credentials belong to the same person: the same credential, or the same subject of an identity
 * provider. A name proves nothing, since people choose names.
 */
export function isSamePerson(one: AdminCredential, other: AdminCredential): boolean {
  const subject = subjectOf(one);
  return one.id === other.id || (subject !== undefined && subject === subjectOf(other));
}

/** Whether a caller may see a session and end it: its own, or one within the tenants that it administers. */
export function mayEnd(caller: AdminCredential, session: AdminCredential): boolean {
  return isSamePerson(caller, session) || administers(caller, tenantIdsOf(session));
}
