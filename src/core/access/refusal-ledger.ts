import type { Logger } from '../base/runtime.ts';
import { mergeRefusals, type Refusal, type RefusalReason } from './refusal.ts';
import type { RefusalStore, TenantStore } from './stores.ts';

/** A store of refusals that counts in memory first, and is told when to write. */
export interface RefusalLedger extends RefusalStore {
  /**
   * Writes what is counted. It never rejects: what cannot be written is kept and tried again, and the log
   * says so.
   */
  flush(): Promise<void>;
}

interface LedgerOptions {
  readonly refusals: RefusalStore;
  readonly tenants: Pick<TenantStore, 'findById'>;
  readonly log: Logger;
}

/** The rows of tenants that are not written yet. */
type Counted = Map<string, Map<RefusalReason, Refusal>>;

/** How many tenants a process counts for between two flushes: each has at most some 20 rows of 1 KiB. */
const TENANTS_MAX = 1_000;

/**
 * Makes a ledger over a store of refusals. A refusal is then an addition in memory, so that neither a flood
 * of bad requests nor a slow store delays anybody. A process that dies loses what it has counted since the
 * last flush. What is read or erased is flushed before.
 */
export function createRefusalLedger({ refusals, tenants, log }: LedgerOptions): RefusalLedger {
  let counted: Counted = new Map();
  /** How many refusals of further tenants were not counted since the last flush. */
  let uncounted = 0;
  let isTold = false;
  let flushed = Promise.resolve();

  function note(tenantId: string, more: readonly Refusal[]): void {
    const rows = counted.get(tenantId) ?? new Map<RefusalReason, Refusal>();
    if (counted.size >= TENANTS_MAX && !counted.has(tenantId)) {
      for (const { count } of more) uncounted += count;
      return;
    }
    counted.set(tenantId, rows);
    for (const refusal of more) rows.set(refusal.reason, mergeRefusals(rows.get(refusal.reason), refusal));
  }

  /** Removes what was written for a tenant that has been deleted meanwhile: nobody could remove it later. */
  async function removeIfDeleted(tenantId: string): Promise<void> {
    if ((await tenants.findById(tenantId)) === undefined) await refusals.erase(tenantId);
  }

  async function writeAll(): Promise<void> {
    const writing = counted;
    counted = new Map();
    if (uncounted > 0) log.error({ uncounted }, 'refusals of too many tenants at once were not counted');
    uncounted = 0;
    for (const [tenantId, rows] of writing) {
      try {
        await refusals.add(tenantId, [...rows.values()]);
      } catch (err) {
        if (!isTold) log.error({ err }, 'refusals could not be stored; they are kept and tried again');
        isTold = true;
        // The others would only wait for the same store.
        for (const [id, kept] of writing) note(id, [...kept.values()]);
        return;
      }
      isTold = false;
      // What is written must not be written again, whatever fails after it.
      writing.delete(tenantId);
      await removeIfDeleted(tenantId).catch(() => undefined);
    }
  }

  /** Flushes come one after the other, so that whoever waits for one also waits for those before it. */
  function flush(): Promise<void> {
    return (flushed = flushed.then(() => (counted.size > 0 ? writeAll() : undefined)));
  }

  return {
    flush,
    add: (tenantId, more) => {
      const isNew = !counted.has(tenantId);
      note(tenantId, more);
      if (isNew && counted.size === TENANTS_MAX) void flush();
      return Promise.resolve();
    },
    list: async (tenantId) => {
      await flush();
      return refusals.list(tenantId);
    },
    eraseExamples: async (tenantId) => {
      await flush();
      // What the flush could not write is still here.
      const rows = counted.get(tenantId) ?? new Map<RefusalReason, Refusal>();
      for (const row of rows.values()) rows.set(row.reason, { ...row, example: null });
      await refusals.eraseExamples(tenantId);
    },
    erase: async (tenantId, ...entry) => {
      await flush();
      counted.delete(tenantId);
      await refusals.erase(tenantId, ...entry);
    },
  };
}
