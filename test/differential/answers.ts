import { collect, isApiError, type EventStore } from '../../src/index.ts';
import type { GroupedExample } from '../conformance/arbitraries/groupings.ts';
import { comparables } from '../conformance/expected.ts';
import type { Example, Question } from './examples.ts';

/** One answer as a text, with what was asked. */
export interface Answer {
  readonly to: string;
  readonly text: string;
}

/** What a store answers to an example, its questions side by side. */
export async function answersOf(store: EventStore, tenantId: string, example: Example): Promise<Answer[]> {
  const answers: Answer[] = [];
  const tell = (to: string, answer: unknown) => answers.push({ to, text: JSON.stringify(answer) });
  const { batches, namesMax, erasure, asked } = example;
  for (const batch of batches) {
    const { duplicates, overNames } = await store.append(tenantId, batch, { namesMax });
    tell('append', { duplicates, overNames });
  }
  tell('names', await store.eventNames(tenantId));
  const given = await askAll(store, tenantId, asked);
  given.forEach((answer, i) => tell(JSON.stringify(asked[i]), answer));
  if (erasure === undefined) return answers;
  tell('erase', await store.erase(tenantId, erasure.query));
  tell('names after erasing', await store.eventNames(tenantId));
  const { duplicates } = await store.append(tenantId, batches[0]!);
  tell('append after erasing', duplicates);
  const askedAgain = asked.slice(0, 20);
  const left = await askAll(store, tenantId, askedAgain);
  left.forEach((answer, i) => tell(`after erasing: ${JSON.stringify(askedAgain[i])}`, answer));
  return answers;
}

/** How many questions are under way at once: an engine gives up on what waits for long. */
const AT_ONCE = 20;

async function askAll(store: EventStore, tenantId: string, asked: readonly Question[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const some = asked.slice(from, from + AT_ONCE);
    answers.push(...(await Promise.all(some.map((question) => ask(store, tenantId, question)))));
  }
  return answers;
}

async function ask(
  store: EventStore,
  tenantId: string,
  { query, page, grouping }: Question,
): Promise<unknown> {
  if (grouping !== undefined) return groupsOf(store, tenantId, { query, grouping });
  if (page === undefined) return store.count(tenantId, query);
  return comparables(await collect(await store.query(tenantId, query, page)));
}

async function groupsOf(store: EventStore, tenantId: string, { query, grouping }: GroupedExample) {
  try {
    return await store.breakdown!(tenantId, query, grouping);
  } catch (error) {
    if (isApiError(error) && error.message.startsWith('by: a ')) return 'too many buckets';
    throw error;
  }
}
