import type { Logger, Runtime } from '../base/runtime.ts';
import { startOfDay, toIsoDay } from '../event/time.ts';
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

/** What usage reads of the record of a request that is over. */
interface UsedBy {
  /** The code of the refusal, or `aborted` where the client has gone; undefined where nothing went wrong. */
  readonly error: string | undefined;
  /** What became of its batch of events; undefined for other requests, and for a dry run. */
  readonly accepted: number | undefined;
  readonly rejected: number | undefined;
}

/** Takes note of a request for an existing tenant that is over, with the bytes of the events in it. */
export type NoteUsage = (tenantId: string, request: UsedBy, bytes?: number) => void;

/** Makes the function that counts requests in a ledger, on the day when they end. */
export function createUsageNotes(ledger: Pick<UsageLedger, 'add'>, { now }: Pick<Runtime, 'now'>): NoteUsage {
  /** The last day as a text: to write it takes longer than to count. */
  let known = { startsAt: Number.NaN, day: '' };
  const dayOf = (instant: number): string => {
    const startsAt = startOfDay(instant);
    if (startsAt !== known.startsAt) known = { startsAt, day: toIsoDay(startsAt) };
    return known.day;
  };

  return (tenantId, { error, accepted: events = 0, rejected = 0 }, bytes = 0) => {
    // A client that has gone was refused nothing.
    const refused = error === undefined || error === 'aborted' ? 0 : 1;
    const limited = error === 'rateLimited' ? 1 : 0;
    const day = dayOf(now());
    // It only counts in memory, so there is nothing to wait for.
    void ledger.add(tenantId, [{ day, requests: 1, refused, limited, events, rejected, bytes }]);
  };
}
