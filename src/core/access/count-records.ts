import type { AuditEntry } from './audit.ts';
import type { ControlStore } from './control-store.ts';
import { change, put, readerOf, type DocumentKind } from './decide.ts';
import { mergeRefusals, type Refusal } from './refusal.ts';
import { TENANT } from './tenant-records.ts';
import { mergeUsage, USAGE_DAYS_MAX, type UsageDay } from './usage.ts';

/** What was refused of a tenant: one row for each reason. */
interface RefusalsOfTenant {
  readonly tenantId: string;
  readonly rows: readonly Refusal[];
}

/** How the refusals of a tenant are kept. */
export const REFUSALS: DocumentKind<RefusalsOfTenant> = {
  kind: 'refusals',
  of: ({ tenantId }) => ({ id: tenantId, tenantId }),
};

/** How much a tenant was used on a day. */
type UsageOfTenant = UsageDay & { readonly tenantId: string };

const idOf = (tenantId: string, day: string) => `${tenantId}/${day}`;
/** How a day of usage is kept. */
export const USAGE: DocumentKind<UsageOfTenant> = {
  kind: 'usage',
  of: ({ tenantId, day }) => ({ id: idOf(tenantId, day), tenantId, group: tenantId, place: day }),
};

/** What was refused of tenants. */
export interface RefusalRecords {
  /**
   * Adds refusals to a tenant's rows, as `mergeRefusals` does. Concurrent calls, of several processes too,
   * lose no count. Of a tenant that is not there nothing is kept.
   */
  add(tenantId: string, refusals: readonly Refusal[]): Promise<void>;
  /** The rows of a tenant, in any order. */
  list(tenantId: string): Promise<readonly Refusal[]>;
  /** Removes the examples of a tenant, and keeps the counts. */
  eraseExamples(tenantId: string): Promise<void>;
  /** Removes the rows of a tenant, with the audit entry, if one is given. */
  erase(tenantId: string, entry?: AuditEntry): Promise<void>;
}

/** Keeps refusals in a control store. The document of a tenant stays when its rows go. */
export function refusalsIn(control: ControlStore): RefusalRecords {
  const { get } = readerOf(control, REFUSALS);
  return {
    add: (tenantId, refusals) =>
      change(
        control,
        async () => ({
          tenant: await control.get(TENANT.kind, tenantId),
          before: await get(tenantId),
        }),
        ({ tenant, before }) => {
          if (tenant === undefined || refusals.length === 0) return { answer: undefined };
          const rows = new Map(before?.value.rows.map((row) => [row.reason, row]));
          for (const each of refusals) rows.set(each.reason, mergeRefusals(rows.get(each.reason), each));
          const puts = [put(REFUSALS, { tenantId, rows: [...rows.values()] }, before)];
          return { puts, mayBeLost: true, answer: undefined };
        },
      ),
    list: async (tenantId) => (await get(tenantId))?.value.rows ?? [],
    eraseExamples: (tenantId) =>
      change(
        control,
        () => get(tenantId),
        (before) => {
          if (before === undefined) return { answer: undefined };
          const rows = before.value.rows.map((row) => ({ ...row, example: null }));
          return { puts: [put(REFUSALS, { tenantId, rows }, before)], erases: true, answer: undefined };
        },
      ),
    erase: (tenantId, entry) =>
      change(
        control,
        () => get(tenantId),
        (before) => ({
          ...(before && { puts: [put(REFUSALS, { tenantId, rows: [] }, before)] }),
          ...{ entry, erases: true, answer: undefined },
        }),
      ),
  };
}

/** How much tenants were used, one row for each day. */
export interface UsageRecords {
  /**
   * Adds counts to days of a tenant, all or none, and removes its days beyond the newest 400. Concurrent
   * calls, of several processes too, lose no count. Of a tenant that is not there nothing is kept.
   */
  add(tenantId: string, days: readonly UsageDay[]): Promise<void>;
  /** The days of a tenant from one on, ascending; days without counts are absent. */
  list(tenantId: string, from: string): Promise<readonly UsageDay[]>;
}

/** Keeps usage in a control store. */
export function usageIn(control: ControlStore): UsageRecords {
  const { get, list } = readerOf(control, USAGE);

  /** The days that counts are added to; also the others, where one of them is new and another has to go. */
  async function read(tenantId: string, days: readonly UsageDay[]) {
    const isThere = (await control.get(TENANT.kind, tenantId)) !== undefined;
    const known = await Promise.all(days.map(({ day }) => get(idOf(tenantId, day))));
    const found = known.filter((each) => each !== undefined);
    return { isThere, stored: found.length < days.length ? await list(tenantId) : found };
  }

  return {
    add: (tenantId, days) =>
      change(
        control,
        () => read(tenantId, days),
        ({ isThere, stored }) => {
          if (!isThere || days.length === 0) return { answer: undefined };
          const before = new Map(stored.map((each) => [each.value.day, each]));
          const after = new Map<string, UsageDay>();
          for (const each of days)
            after.set(each.day, mergeUsage(after.get(each.day) ?? before.get(each.day)?.value, each));
          const all = [...new Set([...before.keys(), ...after.keys()])].sort();
          const old = new Set(all.slice(0, Math.max(0, all.length - USAGE_DAYS_MAX)));
          const puts = [...after.values()].filter(({ day }) => !old.has(day));
          return {
            puts: puts.map((each) => put(USAGE, { ...each, tenantId }, before.get(each.day))),
            removes: [...old].flatMap((day) => before.get(day)?.document ?? []),
            ...{ mayBeLost: true, answer: undefined },
          };
        },
      ),
    list: async (tenantId, from) =>
      (await list(tenantId)).map(({ value }) => withoutTenant(value)).filter(({ day }) => day >= from),
  };
}

function withoutTenant({ day, requests, refused, limited, events, rejected, bytes }: UsageDay): UsageDay {
  return { day, requests, refused, limited, events, rejected, bytes };
}
