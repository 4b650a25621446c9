import { collect, type EventStore } from '../../src/index.ts';
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
  const { batches, namesMax, erases, asked } = example;
  for (const batch of batches) {
    const { duplicates, overNames } = await store.append(tenantId, batch, { namesMax });
    tell('append', { duplicates, overNames });
  }
  tell('names', await store.eventNames(tenantId));
  const given = await Promise.all(asked.map((question) => ask(store, tenantId, question)));
  given.forEach((answer, i) => tell(JSON.stringify(asked[i]), answer));
  if (erases) {
    await store.erase(tenantId);
    tell('names after erasing', await store.eventNames(tenantId));
    const { duplicates } = await store.append(tenantId, batches[0]!);
    tell('append after erasing', duplicates);
    tell('a question after erasing', await ask(store, tenantId, asked[0]!));
  }
  return answers;
}

async function ask(store: EventStore, tenantId: string, { query, page }: Question): Promise<unknown> {
  if (page === undefined) return store.count(tenantId, query);
  return comparables(await collect(await store.query(tenantId, query, page)));
}
