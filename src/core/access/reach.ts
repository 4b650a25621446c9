import type { AdminCredential } from './admin-credential.ts';
import type { Actor } from './audit.ts';
import type { Tenant } from './tenant.ts';

// Who may see and do what, by the role and the tenants of a credential.

/** Who asks for an operation. */
export interface Caller {
  /** Who the audit log names. */
  readonly by: Actor;
  /** What the rights come from; undefined for the program itself and for its commands, which may do all. */
  readonly credential?: AdminCredential | undefined;
}

/** What rights consist of. */
export type Rights = Pick<AdminCredential, 'role' | 'tenantIds' | 'viewedIds'>;

const OWNER: Rights = { role: 'admin', tenantIds: null, viewedIds: null };

/** The rights of a caller. */
export const rightsOf = ({ credential }: Pick<Caller, 'credential'>): Rights => credential ?? OWNER;

/** The ids of the tenants that a credential may read; null for all tenants. */
export function tenantIdsOf({
  tenantIds,
  viewedIds,
}: Pick<Rights, 'tenantIds' | 'viewedIds'>): readonly string[] | null {
  return tenantIds === null || viewedIds === null ? null : [...tenantIds, ...viewedIds];
}

/** Whether a credential grants at least read access to a tenant. */
export function isFor(rights: Rights, { id }: Pick<Tenant, 'id'>): boolean {
  const ids = tenantIdsOf(rights);
  return ids === null || ids.includes(id);
}

/** Whether a credential administers all tenants of a set; null stands for all that there are. */
function administers({ role, tenantIds }: Rights, ids: readonly string[] | null): boolean {
  if (role !== 'admin') return false;
  return tenantIds === null || ids?.every((id) => tenantIds.includes(id)) === true;
}

/** Whether rights suffice to change a tenant. */
export function isAdminOf(rights: Rights, { id }: Pick<Tenant, 'id'>): boolean {
  return administers(rights, [id]);
}

/** Whether rights are those of an owner, who administers all tenants. */
export function isOwner(rights: Rights): boolean {
  return administers(rights, null);
}

/** The person behind a credential, as a provider knows them; undefined without a provider. */
function subjectOf({ identity }: AdminCredential): string | undefined {
  return identity === null ? undefined : JSON.stringify([identity.issuer, identity.subject]);
}

/**
 * Whether two credentials belong to the same person: the same credential, or the same subject of an identity
 * provider. A name proves nothing, since people choose names.
 */
export function isSamePerson(one: AdminCredential | undefined, other: AdminCredential): boolean {
  if (one === undefined) return false;
  const subject = subjectOf(one);
  return one.id === other.id || (subject !== undefined && subject === subjectOf(other));
}

/** Whether a caller may see a session and end it: its own, or one within the tenants that it administers. */
export function mayEnd(caller: Pick<Caller, 'credential'>, session: AdminCredential): boolean {
  return isSamePerson(caller.credential, session) || administers(rightsOf(caller), tenantIdsOf(session));
}
