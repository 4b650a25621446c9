import { Option } from 'commander';
import type { AdminCredentials } from '../../../../src/index.ts';
import { createAdminCredentials, createPeople, recordsIn, ROLES } from '../../../../src/internal.ts';
import { toIsoInstant } from '../../../../src/store-kit.ts';
import { withStores, type Workplace } from '../../stores/open-stores.ts';
import type { ConnectionUrls } from '../../stores/places.ts';

/** What commands on administrators work with. */
export interface Desk extends Workplace {
  readonly credentials: AdminCredentials;
  readonly people: ReturnType<typeof createPeople>;
}

/** Opens the stores and their admin credentials. */
export async function withDesk(places: ConnectionUrls, work: (desk: Desk) => Promise<void>): Promise<void> {
  await withStores(places, 'existing', async (workplace) => {
    const { admins, tenants } = recordsIn(workplace.stores.control);
    const credentials = createAdminCredentials({ admins, runtime: workplace.runtime });
    await work({ ...workplace, credentials, people: createPeople({ credentials, tenants }) });
  });
}

/** The aliases of tenants as they are printed; null for all. */
export async function namerOfTenants({
  admin,
}: Pick<Workplace, 'admin'>): Promise<(ids: readonly string[] | null) => readonly string[] | null> {
  const aliases = new Map((await admin.listTenants()).map(({ id, alias }) => [id, alias]));
  return (ids) => ids?.map((id) => aliases.get(id) ?? id) ?? null;
}

/** The ids of the tenants with these aliases; null for all. Throws ApiError where no tenant has one. */
export async function idsOf(
  { admin }: Pick<Workplace, 'admin'>,
  aliases: readonly string[] | undefined,
): Promise<readonly string[] | null> {
  if (aliases === undefined) return null;
  const tenants = await Promise.all(aliases.map((alias) => admin.getTenant(alias)));
  return [...new Set(tenants.map(({ id }) => id))];
}

/** The flag for what a credential may do. */
export const roleOption = () =>
  new Option('--role <role>', 'a viewer reads and queries; an admin also makes changes').choices(ROLES);

/** An instant as it is printed. */
export const toTime = (ms: number | null): string | null => (ms === null ? null : toIsoInstant(ms));
