import type { CredentialRecords } from './credential-records.ts';
import type { AuditAction, AuditEntry } from './audit.ts';
import { isFor, rightsOf, tenantIdsOf, type Caller } from './reach.ts';
import type { TenantRecords } from './tenant-records.ts';
import { isAlias } from './tenant.ts';
import { invalid } from '../base/errors.ts';

/** How many audit entries one page has at most. */
const PAGE_SIZE = 100;
/** How many entries are read at once where some of them may not match. */
const PART_SIZE = 500;
/** How many entries one answer looks at, at most: as many as are kept of a tenant. */
const LOOKED_MAX = 10_000;

/** What a page of the audit log is asked for; a field that is absent restricts nothing. */
export interface AuditFilter {
  /** The id of the entry before which the page begins. */
  readonly before?: string;
  readonly who?: string;
  /** The alias of a tenant, as the entries have it. */
  readonly tenant?: string;
  readonly action?: AuditAction;
  /** Epoch milliseconds; `until` is not included. */
  readonly from?: number;
  readonly until?: number;
}

interface AuditLogOptions {
  readonly admins: Pick<CredentialRecords, 'audit'>;
  readonly tenants: Pick<TenantRecords, 'findByAlias'>;
  /** Lets others take their turn. */
  readonly pacer: { readonly yieldIfDue: () => Promise<void> | undefined };
}

/**
 * A page of the audit log, newest first, as far as the caller may see it: it reads until the page is full,
 * the log ends, or enough of it was looked at. `before` is where the next page begins, and absent if there
 * is none.
 */
export async function findAuditEntries(
  { admins, tenants, pacer }: AuditLogOptions,
  caller: Caller,
  asked: AuditFilter,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly before?: string }> {
  const { tenantIds, alias } = await scopeOf(tenants, asked.tenant, caller);
  const fits = matcherOf(asked, alias);
  const size = fits === undefined ? PAGE_SIZE : PART_SIZE;
  const entries: AuditEntry[] = [];
  let { before } = asked;
  for (let looked = 0; looked < LOOKED_MAX; looked += size) {
    const found = await admins.audit({ before, size: size + 1, tenantIds });
    if (found === undefined) {
      // An entry that was there a moment ago was the oldest that is kept.
      if (looked > 0) return { entries };
      throw invalid('before', 'there is no such entry, or none any more');
    }
    for (const [i, entry] of found.slice(0, size).entries()) {
      before = entry.id;
      if (fits?.(entry) ?? true) entries.push(entry);
      if (entries.length === PAGE_SIZE) return i + 1 < found.length ? { entries, before } : { entries };
    }
    if (found.length <= size) return { entries };
    await pacer.yieldIfDue();
  }
  return { entries, before: before! };
}

/**
 * The tenants whose entries are read, by which stores have an index. The alias of a tenant that is gone, or
 * out of reach, is compared with each entry that the caller may see.
 */
async function scopeOf(
  tenants: AuditLogOptions['tenants'],
  alias: string | undefined,
  caller: Caller,
): Promise<{ readonly tenantIds: readonly string[] | null; readonly alias: string | undefined }> {
  const rights = rightsOf(caller);
  const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
  if (tenant === undefined || !isFor(rights, tenant)) return { tenantIds: tenantIdsOf(rights), alias };
  return { tenantIds: [tenant.id], alias: undefined };
}

/** Makes the test of an entry; undefined where every entry passes. */
function matcherOf(
  { who, action, from = -Infinity, until = Infinity }: AuditFilter,
  alias: string | undefined,
): ((entry: AuditEntry) => boolean) | undefined {
  const isOpen = [who, alias, action].every((each) => each === undefined);
  if (isOpen && from === -Infinity && until === Infinity) return undefined;
  return (entry) =>
    (who === undefined || entry.who === who) &&
    (alias === undefined || entry.alias === alias) &&
    (action === undefined || entry.action === action) &&
    entry.at >= from &&
    entry.at < until;
}
