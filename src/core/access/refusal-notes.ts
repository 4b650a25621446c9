import type { Runtime } from '../base/runtime.ts';
import type { EventWatch } from '../engine/engine.ts';
import { isRequestReason, type Refusal } from './refusal.ts';
import type { RefusalLedger } from './refusal-ledger.ts';

/** Where the parts of a process tell what they refused. */
export interface RefusalNotes {
  readonly events: EventWatch;
  /**
   * A whole request for an existing tenant failed, with an error of this code. Nothing of what the client
   * sent is kept.
   */
  readonly request: (tenantId: string, code: string) => void;
}

/** Makes the notes of a ledger. */
export function createRefusalNotes(ledger: RefusalLedger, { now }: Pick<Runtime, 'now'>): RefusalNotes {
  function note(tenantId: string, refused: readonly Pick<Refusal, 'reason' | 'count' | 'example'>[]): void {
    const at = now();
    const refusals = refused.map((each) => ({ ...each, firstAt: at, lastAt: at }));
    // It only counts in memory, so there is nothing to wait for.
    void ledger.add(tenantId, refusals);
  }

  return {
    events: {
      rejected: (tenantId, reasons) =>
        note(
          tenantId,
          [...reasons].map(([reason, counted]) => ({ reason, ...counted })),
        ),
    },
    request: (tenantId, code) => {
      // A client that has gone was refused nothing, and the events of a batch are counted already.
      if (code === 'aborted' || code === 'nothingAccepted') return;
      const reason = isRequestReason(code) ? code : 'internal';
      note(tenantId, [{ reason, count: 1, example: null }]);
    },
  };
}
