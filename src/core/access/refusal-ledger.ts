import type { Logger } from '../base/runtime.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { mergeRefusals, type Refusal } from './refusal.ts';
import type { RefusalRecords } from './count-records.ts';

/** Records of refusals that counts in memory first, and is told when to write. */
export interface RefusalLedger extends RefusalRecords, Pick<Ledger<Refusal>, 'flush'> {}

interface RefusalLedgerOptions {
  readonly refusals: RefusalRecords;
  readonly log: Logger;
}

/** Makes a ledger over records of refusals. What is read or erased is flushed before. */
export function createRefusalLedger({ refusals, ...options }: RefusalLedgerOptions): RefusalLedger {
  const ledger = createLedger<Refusal>({
    ...options,
    ...{ what: 'refusals', merge: mergeRefusals, store: refusals },
    keyOf: ({ reason }) => reason,
    countOf: ({ count }) => count,
  });
  return {
    flush: ledger.flush,
    add: ledger.add,
    list: async (tenantId) => {
      await ledger.flush();
      return refusals.list(tenantId);
    },
    eraseExamples: async (tenantId) => {
      await ledger.flush();
      // What the flush could not write is still here.
      ledger.change(tenantId, (row) => ({ ...row, example: null }));
      await refusals.eraseExamples(tenantId);
    },
    erase: async (tenantId, ...entry) => {
      await ledger.flush();
      ledger.forget(tenantId);
      await refusals.erase(tenantId, ...entry);
    },
  };
}
