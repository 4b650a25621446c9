import type { Event } from '../../../../src/index.ts';

/** The questions whose answers give the oldest events: the API's pages begin with the newest. */
export interface OldestQuestions {
  /** How many events there are. */
  readonly count: () => Promise<number>;
  /** At most `size` events after the newest `offset`, newest first. */
  readonly page: (offset: number, size: number) => Promise<readonly Event[]>;
}

/** A page of events, oldest first. */
export interface OldestPage {
  readonly events: readonly Event[];
  /** How many older events precede it. */
  readonly from: number;
  /** How many events there were. */
  readonly total: number;
}

/** How often to ask again while events arrive. */
const ATTEMPTS = 5;

/**
 * At most `size` events after the oldest `from`, oldest first. Their place is counted from the newest, so it
 * is right only if no event came or went meanwhile: the number is asked before and after. Rejects if it
 * changes each time.
 */
export async function oldestFirst(
  { count, page }: OldestQuestions,
  from: number,
  size: number,
): Promise<OldestPage> {
  let total = await count();
  for (let i = 0; i < ATTEMPTS; i++) {
    const first = Math.min(from, total);
    const length = Math.min(size, total - first);
    const events = length === 0 ? [] : await page(total - first - length, length);
    const after = await count();
    if (after === total && events.length === length)
      return { events: events.toReversed(), from: first, total };
    total = after;
  }
  throw new Error('New events of this user arrive too quickly to tell which are the oldest. Try again.');
}
