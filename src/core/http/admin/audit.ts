import type { CredentialRecords } from '../../access/credential-records.ts';
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../../access/audit.ts';
import { parseMilliseconds } from '../../access/admin-options.ts';
import { isFor, tenantIdsOf } from '../../access/reach.ts';
import { isAlias } from '../../access/tenant.ts';
import { invalid } from '../../base/errors.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { quote } from '../../event/text.ts';
import { AUDIT_PARAMETERS, type AdminRouteName } from '../admin-routes.ts';
import type { AuditAnswer } from '../schemas/admin-answer.ts';
import { toJson, turnOf, type AdminOperation } from './admin-operation.ts';
import type { AuthContext } from './auth-guard.ts';
import type { ControllerOptions } from './controller.ts';
import { readParameters, toNumber } from './parameters.ts';

/** How many audit entries one page has at most. */
const PAGE_SIZE = 100;
/** How many entries are read at once where some of them may not match. */
const PART_SIZE = 500;
/** How many entries one answer looks at, at most: as many as are kept of a tenant. */
const LOOKED_MAX = 10_000;

/** What a page of the audit log is asked for; a field that is undefined restricts nothing. */
interface AuditFilter {
  readonly before: string | undefined;
  readonly who: string | undefined;
  readonly tenant: string | undefined;
  readonly action: AuditAction | undefined;
  /** Epoch milliseconds; `until` is not included. */
  readonly from: number | undefined;
  readonly until: number | undefined;
}

interface AuditOptions extends Pick<ControllerOptions, 'stores' | 'scheduler'> {
  readonly admins: CredentialRecords;
}

/** Makes the operation that shows the audit log, as far as the caller may see it. */
export function createAudit({ admins, stores, scheduler }: AuditOptions) {
  const turn = turnOf(scheduler);

  /**
   * The tenants whose entries are read, by which stores have an index. The alias of a tenant that is gone, or
   * out of reach, is compared with each entry that the caller may see.
   */
  async function scopeOf(alias: string | undefined, { credential }: AuthContext) {
    const tenantIds = tenantIdsOf(credential);
    const tenant = isAlias(alias) ? await stores.tenants.findByAlias(alias) : undefined;
    if (tenant === undefined || !isFor(credential, tenant)) return { tenantIds, alias };
    return { tenantIds: [tenant.id], alias: undefined };
  }

  /** Reads entries until the page is full, the log ends, or enough of it was looked at. */
  async function find(asked: AuditFilter, auth: AuthContext, pacer: Pacer): Promise<AuditAnswer> {
    const { tenantIds, alias } = await scopeOf(asked.tenant, auth);
    const fits = matcherOf({ ...asked, tenant: alias });
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

  return {
    audit: async (call, auth) => {
      const asked = readFilter(call.target.queryString);
      return turn(call, auth, async (pacer) => toJson(call, await find(asked, auth, pacer)));
    },
  } satisfies Partial<Record<AdminRouteName, AdminOperation>>;
}

/** Reads what a query string asks for. Throws ApiError 400. */
function readFilter(queryString: string): AuditFilter {
  const { before, who, tenant, action, from, until } = readParameters(queryString, AUDIT_PARAMETERS);
  if (before !== undefined && !/^[0-9a-f-]{1,36}$/.test(before))
    throw invalid('before', 'takes the id of an entry');
  const known = AUDIT_ACTIONS.find((each) => each === action);
  if (action !== undefined && known === undefined)
    throw invalid('action', `takes one of ${AUDIT_ACTIONS.join(', ')}, got ${quote(action)}`);
  return {
    ...{ before, who, tenant, action: known },
    from: from === undefined ? undefined : parseMilliseconds('from', toNumber(from)),
    until: until === undefined ? undefined : parseMilliseconds('until', toNumber(until)),
  };
}

/** Makes the test of an entry; undefined where every entry passes. */
function matcherOf({
  who,
  tenant,
  action,
  from = -Infinity,
  until = Infinity,
}: AuditFilter): ((entry: AuditEntry) => boolean) | undefined {
  const isOpen = [who, tenant, action].every((each) => each === undefined);
  if (isOpen && from === -Infinity && until === Infinity) return undefined;
  return (entry) =>
    (who === undefined || entry.who === who) &&
    (tenant === undefined || entry.alias === tenant) &&
    (action === undefined || entry.action === action) &&
    entry.at >= from &&
    entry.at < until;
}
