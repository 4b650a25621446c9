import type { Pass, Role } from '../access/pass.ts';
import type { Tenant } from '../access/tenant.ts';

/** What a value of the claim gives: a role, for tenants by their aliases or for all. */
export interface RoleRule {
  /** A value of the claim, compared exactly. */
  readonly value: string;
  /** What somebody with the value may do. */
  readonly role: Role;
  /** Null for all tenants, those to come among them. */
  readonly aliases: readonly string[] | null;
}

/** What somebody may who has these values; undefined where that is nothing. */
export async function rightsOf(
  values: readonly string[],
  rules: readonly RoleRule[],
  findByAlias: (alias: string) => Promise<Pick<Tenant, 'id'> | undefined>,
): Promise<Pick<Pass, 'role' | 'tenantIds' | 'viewedIds'> | undefined> {
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
