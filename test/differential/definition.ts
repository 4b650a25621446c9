import { compareCodePoints } from '../../src/core/event/text.ts';
import { invalid, type EventStore } from '../../src/index.ts';
import {
  pageOf,
  type EventQuery,
  type Grouping,
  type MeasuredGrouping,
  type Page,
  type Ranking,
  type StoredEvent,
} from '../../src/store-kit.ts';
import { topOf } from '../conformance/expected-top.ts';
import { breakdownOf, measuredBreakdownOf } from '../conformance/expected-breakdown.ts';
import { compareNewestFirst, EVERYTHING, identityOf, referenceOf } from '../conformance/expected.ts';

/** A store that is nothing but the definition: events in a list, filtered by the predicate and sorted. */
export function definedStore(): EventStore {
  const tenants = new Map<string, StoredEvent[]>();
  const eventsOf = (tenantId: string) => tenants.get(tenantId) ?? [];
  const matching = (tenantId: string, query: EventQuery) => referenceOf(eventsOf(tenantId))(query);
  const namesOf = (tenantId: string) => new Set(eventsOf(tenantId).map(({ eventName }) => eventName));
  const store = {
    append(tenantId: string, batch: readonly StoredEvent[], { namesMax = Infinity } = {}) {
      const events = [...eventsOf(tenantId)];
      const seen = new Set(events.map(identityOf));
      const names = namesOf(tenantId);
      const [duplicates, overNames]: [number[], number[]] = [[], []];
      batch.forEach((event, index) => {
        if (!names.has(event.eventName) && names.size >= namesMax) overNames.push(index);
        else if (seen.has(identityOf(event))) duplicates.push(index);
        else {
          events.push(event);
          seen.add(identityOf(event));
          names.add(event.eventName);
        }
      });
      tenants.set(tenantId, events);
      return { duplicates, overNames };
    },
    query(tenantId: string, query: EventQuery, { offset, size, after }: Page) {
      const all = matching(tenantId, query);
      const behind = after === undefined ? all : all.filter((event) => compareNewestFirst(after, event) < 0);
      return pageOf(behind.slice(offset, offset + size));
    },
    count: (tenantId: string, query: EventQuery) => matching(tenantId, query).length,
    breakdown: (tenantId: string, query: EventQuery, grouping: Grouping) =>
      orTooFine(breakdownOf(matching(tenantId, query), grouping)),
    measure: (tenantId: string, query: EventQuery, measuring: MeasuredGrouping) =>
      orTooFine(measuredBreakdownOf(matching(tenantId, query), measuring)),
    top: (tenantId: string, query: EventQuery, ranking: Ranking) =>
      pageOf(topOf(matching(tenantId, query), ranking)),
    eventNames: (tenantId: string) => [...namesOf(tenantId)].sort(compareCodePoints),
    erase(tenantId: string, query: EventQuery = EVERYTHING) {
      const erased = new Set(matching(tenantId, query));
      tenants.set(
        tenantId,
        (tenants.get(tenantId) ?? []).filter((event) => !erased.has(event)),
      );
      return erased.size;
    },
    drop: (tenantId: string) => void tenants.delete(tenantId),
  };
  return inPromises(store);
}

function orTooFine<T>(found: T | undefined): T {
  if (found === undefined) throw invalid('by', 'a unit too fine');
  return found;
}

type Method =
  'append' | 'query' | 'count' | 'breakdown' | 'measure' | 'top' | 'eventNames' | 'erase' | 'drop';

/** The same methods, whose answers come as promises. */
function inPromises(store: {
  readonly [Name in Method]: (
    ...args: Parameters<Required<EventStore>[Name]>
  ) => Awaited<ReturnType<Required<EventStore>[Name]>>;
}): EventStore {
  return {
    append: (...args) => Promise.resolve(store.append(...args)),
    query: (...args) => Promise.resolve(store.query(...args)),
    count: (...args) => Promise.resolve(store.count(...args)),
    breakdown: (...args) =>
      new Promise((resolve) => {
        resolve(store.breakdown(...args));
      }),
    measure: (...args) =>
      new Promise((resolve) => {
        resolve(store.measure(...args));
      }),
    top: (...args) => Promise.resolve(store.top(...args)),
    eventNames: (...args) => Promise.resolve(store.eventNames(...args)),
    erase: (...args) => Promise.resolve(store.erase(...args)),
    drop: (...args) => Promise.resolve(store.drop(...args)),
  };
}
