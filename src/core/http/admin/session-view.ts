import type { AdminCredential } from '../../access/admin-credential.ts';
import type { SessionAnswer } from '../schemas/admin-schema.ts';
import type { TenantRecords } from '../../access/tenant-records.ts';

/** Makes a function that shows a session: its tenants by alias, and which of them it may change. */
export function createSessionView(tenants: Pick<TenantRecords, 'findById'>) {
  async function aliasesOf(ids: AdminCredential['tenantIds']): Promise<readonly string[] | null> {
    if (ids === null) return null;
    const found = await Promise.all(ids.map((id) => tenants.findById(id)));
    return found.flatMap((tenant) => (tenant === undefined ? [] : [tenant.alias]));
  }

  return async ({
    id,
    name,
    role,
    tenantIds,
    viewedIds,
    identity,
    expiresAt,
  }: AdminCredential): Promise<SessionAnswer> => {
    const [own, viewed] = await Promise.all([aliasesOf(tenantIds), aliasesOf(viewedIds)]);
    const administers = role === 'admin' ? own : [];
    const all = own === null || viewed === null ? null : [...new Set([...own, ...viewed])];
    return { id, name, role, tenants: all, administers, provider: identity?.issuer ?? null, expiresAt };
  };
}
