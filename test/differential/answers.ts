import { isApiError, type Breakdown, type EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { Whole } from '../../src/store-kit.ts';
import type { UsersBody } from '../../src/core/query/body.ts';
import { parseUsersBody } from '../../src/core/query/parse-users.ts';
import type { AskedCompare } from '../../src/core/query/compare.ts';
import type { AskedRetention } from '../../src/core/query/retention.ts';
import type { AskedSequence } from '../../src/core/query/sequence.ts';
import { askRetention, askSequence, askUsers } from '../conformance/event-store-sequences.ts';
import { askDifferences } from '../conformance/event-store-compare.ts';
import { differencesOf } from '../conformance/expected-compare.ts';
import { retentionOf } from '../conformance/expected-retention.ts';
import { usersOf } from '../conformance/expected-users.ts';
import { sequenceOf } from '../conformance/expected-sequence.ts';
import { comparables, EVERYTHING } from '../conformance/expected.ts';
import type { Example, Question } from './examples.ts';
import { COUNTS_AT_ONCE } from './together.ts';

/** One answer as a text, with what was asked. */
export interface Answer {
  readonly to: string;
  readonly text: string;
}

/** Stands for time that is cut into too many buckets. */
const TOO_FINE = 'too many buckets';

/** How many values of a path are looked at: few, so that stores are asked for the others. */
const VALUES_MAX = 2;

/** How many questions are under way at once: an engine gives up on what waits for long. */
const AT_ONCE = 20;

/** What a store answers to an example, its questions side by side. */
export async function answersOf(store: EventStore, tenantId: string, example: Example): Promise<Answer[]> {
  const answers: Answer[] = [];
  const tell = (to: string, answer: unknown) => answers.push({ to, text: JSON.stringify(answer) });
  const askAll = async (when: string, questions: readonly Question[], atOnce: number) => {
    for (let from = 0; from < questions.length; from += atOnce) {
      const some = questions.slice(from, from + atOnce);
      const given = await Promise.all(some.map((question) => ask(store, tenantId, question)));
      given.forEach((answer, i) => tell(`${when}${JSON.stringify(some[i])}`, answer));
    }
  };
  const { batches, namesMax, erasure, asked, counted } = example;
  for (const batch of batches) {
    const { duplicates, overNames } = await store.append(tenantId, batch, { namesMax });
    tell('append', { duplicates, overNames });
  }
  tell('names', await store.eventNames(tenantId));
  await askAll('', asked, AT_ONCE);
  await askAll('', counted, COUNTS_AT_ONCE);
  if (erasure === undefined) return answers;
  tell('erase', await store.erase(tenantId, erasure.query));
  tell('names after erasing', await store.eventNames(tenantId));
  const { duplicates } = await store.append(tenantId, batches[0]!);
  tell('append after erasing', duplicates);
  await askAll('after erasing: ', asked.slice(0, AT_ONCE), AT_ONCE);
  await askAll('after erasing: ', counted.slice(0, COUNTS_AT_ONCE), COUNTS_AT_ONCE);
  return answers;
}

async function ask(
  store: EventStore,
  tenantId: string,
  { query, page, grouping, measuring, ranking, sequence, retention, users, compared }: Question,
): Promise<unknown> {
  if (grouping !== undefined) return groupsOf(() => store.breakdown!(tenantId, query, grouping));
  if (measuring !== undefined) return groupsOf(() => store.measure!(tenantId, query, measuring));
  if (ranking !== undefined) return comparables(await collect(await store.top!(tenantId, query, ranking)));
  if (sequence !== undefined) return sequenceFrom(store, tenantId, sequence);
  if (retention !== undefined) return retentionFrom(store, tenantId, retention);
  if (users !== undefined) return usersFrom(store, tenantId, users);
  if (compared !== undefined) return differencesFrom(store, tenantId, compared);
  if (page === undefined) return store.count(tenantId, query);
  return comparables(await collect(await store.query(tenantId, query, page)));
}

/** The definition has no streams: it looks at all events. */
async function sequenceFrom(store: EventStore, tenantId: string, asked: AskedSequence) {
  if (store.streams !== undefined) return (await askSequence(store, tenantId, asked)) ?? TOO_FINE;
  return sequenceOf(await allOf(store, tenantId), asked) ?? TOO_FINE;
}

/** The same of retention. */
async function retentionFrom(store: EventStore, tenantId: string, asked: AskedRetention) {
  if (store.streams !== undefined) return (await askRetention(store, tenantId, asked)) ?? TOO_FINE;
  return retentionOf(await allOf(store, tenantId), asked) ?? TOO_FINE;
}

/** The definition has no breakdown: it looks at all events. */
async function differencesFrom(store: EventStore, tenantId: string, asked: AskedCompare) {
  if (store.breakdown !== undefined) return askDifferences(store, tenantId, asked, VALUES_MAX);
  return differencesOf(await allOf(store, tenantId), asked, VALUES_MAX);
}

/** The same of users, page by page. */
async function usersFrom(store: EventStore, tenantId: string, body: UsersBody) {
  if (store.streams !== undefined) return askUsers(store, tenantId, body);
  return usersOf(await allOf(store, tenantId), parseUsersBody(body));
}

async function allOf(store: EventStore, tenantId: string) {
  return collect(await store.query(tenantId, EVERYTHING, { offset: 0, size: Infinity }));
}

async function groupsOf(breakDown: () => Promise<Breakdown | Whole>) {
  try {
    return await breakDown();
  } catch (error) {
    if (isApiError(error) && error.message.startsWith('by: a ')) return TOO_FINE;
    throw error;
  }
}
