import { invalid, isAborted, isApiError } from '../base/errors.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS, toIsoDay } from '../event/time.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { TenantStore } from './stores.ts';

/** How much a tenant was used over HTTP on one UTC day. */
export interface UsageDay {
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Requests that named this tenant, of the Query API and of senders. */
  readonly requests: number;
  /** Of these, those that were answered with an error. */
  readonly refused: number;
  /** Of these, those that a limit refused. */
  readonly limited: number;
  /** Events that were stored. */
  readonly events: number;
  /** Events that were rejected, in batches that could be read. */
  readonly rejected: number;
  /** Bytes of the events' JSON in those batches, as the ingestion limit counts them. */
  readonly bytes: number;
}

/** What is counted of a day. */
export const USAGE_COUNTS = ['requests', 'refused', 'limited', 'events', 'rejected', 'bytes'] as const;

/** How many days are kept of each tenant: the newest that have counts. */
export const USAGE_DAYS_MAX = 400;

/** Keeps how much tenants were used, one row for each day. */
export interface UsageStore {
  /**
   * Adds counts to days of a tenant, all or none, and removes its days beyond the newest 400. Concurrent
   * calls, of several processes too, lose no count.
   */
  add(tenantId: string, days: readonly UsageDay[]): Promise<void>;
  /** The days of a tenant from one on, ascending; days without counts are absent. */
  list(tenantId: string, from: string): Promise<readonly UsageDay[]>;
  /** Removes the days of a tenant. */
  erase(tenantId: string): Promise<void>;
}

/** A store of usage that counts in memory first, and is told when to write. */
export interface UsageLedger extends UsageStore, Pick<Ledger<UsageDay>, 'flush'> {}

interface UsageLedgerOptions {
  readonly usage: UsageStore;
  readonly tenants: Pick<TenantStore, 'findById'>;
  readonly log: Logger;
}

/** Makes a ledger over a store of usage. What is read or erased is flushed before. */
export function createUsageLedger({ usage, ...options }: UsageLedgerOptions): UsageLedger {
  const ledger = createLedger<UsageDay>({
    ...options,
    ...{ what: 'figures of usage', merge: mergeUsage, store: usage },
    keyOf: ({ day }) => day,
    countOf: ({ requests }) => requests,
  });
  return {
    flush: ledger.flush,
    add: (tenantId, days) => {
      ledger.note(tenantId, days);
      return Promise.resolve();
    },
    list: async (tenantId, from) => {
      await ledger.flush();
      return usage.list(tenantId, from);
    },
    erase: async (tenantId) => {
      await ledger.flush();
      ledger.forget(tenantId);
      await usage.erase(tenantId);
    },
  };
}

/** What is known of a request that is over. */
interface UsedBy {
  /** What it was refused with, or what broke off its answer; undefined where nothing did. */
  readonly error?: unknown;
  /** What became of its batch of events; undefined for other requests, and for a dry run. */
  readonly batch?:
    { readonly accepted: number; readonly rejected: number; readonly bytes: number } | undefined;
}

/** Takes note of a request for an existing tenant that is over. */
export type NoteUsage = (tenantId: string, request: UsedBy) => void;

/** Makes the function that counts requests in a ledger, on the day when they end. */
export function createUsageNotes(ledger: Pick<UsageLedger, 'add'>, { now }: Pick<Runtime, 'now'>): NoteUsage {
  return (tenantId, { error, batch }) => {
    // A client that has gone was refused nothing.
    const refused = error === undefined || isAborted(error) ? 0 : 1;
    const limited = isApiError(error) && error.code === 'rateLimited' ? 1 : 0;
    const { accepted: events = 0, rejected = 0, bytes = 0 } = batch ?? {};
    const day = toIsoDay(now());
    // It only counts in memory, so there is nothing to wait for.
    void ledger.add(tenantId, [{ day, requests: 1, refused, limited, events, rejected, bytes }]);
  };
}

/** The sum of two rows of one day. */
export function mergeUsage(known: UsageDay | undefined, more: UsageDay): UsageDay {
  if (known === undefined) return more;
  const sums = USAGE_COUNTS.map((name) => [name, known[name] + more[name]] as const);
  return { ...more, ...(Object.fromEntries(sums) as Omit<UsageDay, 'day'>) };
}

const NOTHING = { requests: 0, refused: 0, limited: 0, events: 0, rejected: 0, bytes: 0 };

/** The last days of a tenant, today included, ascending; a day without counts has zeros. */
export async function listUsage(
  usage: Pick<UsageStore, 'list'>,
  tenantId: string,
  days: number,
  now: number,
): Promise<readonly UsageDay[]> {
  const all = Array.from({ length: days }, (_, i) => toIsoDay(now - (days - 1 - i) * DAY_MS));
  const stored = await usage.list(tenantId, all[0]!);
  const known = new Map(stored.map((each) => [each.day, each]));
  return all.map((day) => known.get(day) ?? { day, ...NOTHING });
}

/** Returns a number of days of history. Throws ApiError (400) for any other value. */
export function parseUsageDays(days: unknown): number {
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= USAGE_DAYS_MAX) return days;
  throw invalid('days', `takes a whole number from 1 to ${USAGE_DAYS_MAX}, got ${describeValue(days)}`);
}
