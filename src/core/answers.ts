import type { Ledger } from './bounds/ledger.ts';
import { breakDownByPages } from './columns/groups/by-pages.ts';
import { createKeyedHash, type HashSeed } from './columns/keyed-hash.ts';
import { createPropertyTable } from './columns/properties/property-table.ts';
import type { EventStore, Signal } from './ports.ts';
import { eventsOf } from './query/stored-page.ts';
import { parseCountBody } from './query/parse-query.ts';
import type { Properties } from './query/properties.ts';

/** The properties of all events, each of which is read. */
async function readProperties(
  store: EventStore,
  { tenantId, event }: { readonly tenantId: string; readonly event: string | undefined },
  ledger: Ledger | undefined,
  signal: Signal | undefined,
): Promise<Properties> {
  const account = ledger?.account(tenantId);
  try {
    const table = createPropertyTable(account);
    const query = parseCountBody(event === undefined ? {} : { event });
    for await (const stored of eventsOf(store, { tenantId, query, signal })) table.add(stored);
    return table.answer(event);
  } finally {
    account?.release();
  }
}

/** The answers that a store may leave out. */
export interface OptionalAnswers extends Required<Pick<EventStore, 'breakdown' | 'plan'>> {
  properties(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties>;
}

export interface AnswersOptions {
  /** A secret of this process, so that nobody can choose values that are slow to look up. */
  readonly seed: HashSeed;
  /** Where what is put together here is booked. Absent: nowhere. */
  readonly ledger?: Ledger | undefined;
}

/** A store's own answers, and in the place of one that it lacks the same put together from its pages. */
export function answersOf(store: EventStore, { seed, ledger }: AnswersOptions): OptionalAnswers {
  const hash = createKeyedHash(seed);
  return {
    breakdown: (tenantId, query, grouping, signal) =>
      store.breakdown?.(tenantId, query, grouping, signal) ??
      breakDownByPages(store, { tenantId, query, grouping }, { hash, ledger }, signal),
    properties: async (tenantId, event, signal) =>
      (await store.properties?.(tenantId, event, signal)) ??
      readProperties(store, { tenantId, event }, ledger, signal),
    plan: async (tenantId, query, signal) => (await store.plan?.(tenantId, query, signal)) ?? { by: 'store' },
  };
}
