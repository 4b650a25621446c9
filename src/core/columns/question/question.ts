import type { Account, Ledger } from '../../bounds/ledger.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { SourceTools } from '../selection/source.ts';
import { lastly, type Soon } from './soon.ts';

/** What a question works with until it ends. */
export interface QuestionTools extends SourceTools {
  /** Does this when the question ends, however it does. */
  readonly atEnd: (end: () => void) => void;
}

/** Asks a question: whatever it took is given back when it ends. */
export type Ask = <T>(pacer: Pacer, work: (question: QuestionTools) => Soon<T>) => Soon<T>;

/** How questions of an owner are asked. */
export function createAsk(ledger: Ledger, owner: string): Ask {
  /** Those of questions that have ended, for the next ones. */
  const accounts: Account[] = [];
  return (pacer, work) => {
    const account = accounts.pop() ?? ledger.account(owner);
    const ends: (() => void)[] = [];
    return lastly(
      () => work({ account, pacer, atEnd: (end) => void ends.push(end) }),
      () => {
        for (let i = ends.length - 1; i >= 0; i--) ends[i]!();
        account.release();
        accounts.push(account);
      },
    );
  };
}
