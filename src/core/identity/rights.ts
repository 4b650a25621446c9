import type { AdminCredential, Role } from '../access/admin-credential.ts';
import type { Tenant } from '../access/tenant.ts';

/** The rights that a value of the claim grants: a role, for tenants by alias or for all. */
export interface RoleRule {
  /** A value of the claim, compared exactly. */
  readonly value: string;
  /** The role of people with this value. */
  readonly role: Role;
  /** Null for all tenants, including future ones. */
  readonly aliases: readonly string[] | null;
}

/** The rights that these values grant; undefined if none. */
export async function rightsOf(
  values: readonly string[],
  rules: readonly RoleRule[],
  findByAlias: (alias: string) => Promise<Pick<Tenant, 'id'> | undefined>,
): Promise<Pick<AdminCredential, 'role' | 'tenantIds' | 'viewedIds'> | undefined> {
  const idsOf = async (role: Role): Promise<readonly string[] | null> => {
    const given = rules.filter((rule) => rule.role === role && values.includes(rule.value));
    if (given.some(({ aliases }) => aliases === null)) return null;
    const aliases = [...new Set(given.flatMap((rule) => rule.aliases ?? []))];
    const found = await Promise.all(aliases.map(findByAlias));
    return found.flatMap((tenant) => (tenant === undefined ? [] : [tenant.id]));
  };
  const [tenantIds, viewedIds] = [await idsOf('admin'), await idsOf('viewer')];
  if (tenantIds?.length !== 0) return { role: 'admin', tenantIds, viewedIds };
  return viewedIds?.length === 0 ? undefined : { role: 'viewer', tenantIds: viewedIds, viewedIds: [] };
}
