import { isAborted, isApiError } from '../base/errors.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { toIsoDay } from '../event/time.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { UsageRecords } from './count-records.ts';
import { mergeUsage, type UsageDay } from './usage.ts';

/** Records of usage that counts in memory first, and is told when to write. */
export interface UsageLedger extends UsageRecords, Pick<Ledger<UsageDay>, 'flush'> {}

interface UsageLedgerOptions {
  readonly usage: UsageRecords;
  readonly log: Logger;
}

/** Makes a ledger over records of usage. What is read is flushed before. */
export function createUsageLedger({ usage, ...options }: UsageLedgerOptions): UsageLedger {
  const ledger = createLedger<UsageDay>({
    ...options,
    ...{ what: 'figures of usage', merge: mergeUsage, store: usage },
    keyOf: ({ day }) => day,
    countOf: ({ requests }) => requests,
  });
  return {
    flush: ledger.flush,
    add: ledger.add,
    list: async (tenantId, from) => {
      await ledger.flush();
      return usage.list(tenantId, from);
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
    const limited = refused === 1 && isApiError(error) && error.code === 'rateLimited' ? 1 : 0;
    const { accepted: events = 0, rejected = 0, bytes = 0 } = batch ?? {};
    const day = toIsoDay(now());
    // It only counts in memory, so there is nothing to wait for.
    void ledger.add(tenantId, [{ day, requests: 1, refused, limited, events, rejected, bytes }]);
  };
}
