import { memoryStores } from '../../../adapters/memory/index.ts';
import type { EventStore, Stores } from '../../../src/index.ts';
import type { EventQuery, StoredEvent } from '../../../src/store-kit.ts';
import { P_IS_3, queryOf } from '../../adapters/sqlite/fixtures.ts';
import { comparables, EVERYTHING } from '../../conformance/expected.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

/** What a file answers: a value, or the error, for each question. */
export type Answers = ReadonlyMap<string, unknown>;

/** The ids of tenants by their aliases. */
export type Tenants = Readonly<Record<string, string>>;

const QUERIES: Readonly<Record<string, EventQuery>> = {
  everything: EVERYTHING,
  'p is 3': P_IS_3,
  'a user': queryOf({ property: 'userId', comparison: 'EQUALS', value: 'user-3' }),
  'not a name': queryOf({ property: 'eventName', comparison: 'NOT_EQUALS', value: 'name-1' }),
};

const BY_P = { by: { root: 'properties', segments: ['p'] }, size: 10 } as const;

const PAGE_SIZE = 1000;

/** Asks for counts, groups, names and all events of each tenant. */
export async function askEvents(events: EventStore, tenants: Tenants): Promise<Answers> {
  const answers = new Map<string, unknown>();
  for (const [alias, id] of Object.entries(tenants)) {
    const put = async (what: string, work: () => Promise<unknown>) =>
      void answers.set(`${what} of ${alias}`, await attempt(work));
    for (const [name, query] of Object.entries(QUERIES))
      await put(`count: ${name}`, () => events.count(id, query));
    await put('groups by p', () => events.breakdown!(id, EVERYTHING, BY_P));
    await put('names', () => events.eventNames(id));
    await put('export', () => exported(events, id));
  }
  return answers;
}

/** Asks for the tenants and their keys. */
export async function askControl({ control }: Stores, known: Tenants): Promise<Answers> {
  const { tenants, keys } = recordsIn(control);
  const answers = new Map<string, unknown>();
  answers.set('tenants', await attempt(() => tenants.list()));
  for (const [alias, id] of Object.entries(known)) {
    answers.set(`tenant ${alias}`, await attempt(() => tenants.findByAlias(alias)));
    answers.set(`keys of ${alias}`, await attempt(() => keys.list(id)));
  }
  return answers;
}

/** What some events answer, by the definition of the questions. */
export async function answersOf(
  events: ReadonlyMap<string, readonly StoredEvent[]>,
  tenants: Tenants,
): Promise<Answers> {
  const stores = memoryStores({ resources: testResources() });
  for (const [tenantId, each] of events) await stores.events.append(tenantId, each);
  return askEvents(stores.events, tenants);
}

async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** All events of a tenant, page by page, as one text. */
async function exported(events: EventStore, tenantId: string): Promise<string> {
  const texts: string[] = [];
  let after: StoredEvent | undefined;
  for (;;) {
    const page = { offset: 0, size: PAGE_SIZE, ...(after !== undefined && { after }) };
    const found: StoredEvent[] = [];
    for await (const piece of (await events.query(tenantId, EVERYTHING, page)).pieces()) found.push(...piece);
    texts.push(...comparables(found));
    if (found.length < PAGE_SIZE) return texts.join('\n');
    after = found.at(-1)!;
  }
}
