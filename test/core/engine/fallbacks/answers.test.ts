import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { answersOf } from '../../../../src/core/engine/fallbacks/answers.ts';
import { parseTopBody } from '../../../../src/core/query/parse-query.ts';
import type { EventStore } from '../../../../src/index.ts';
import { collect } from '../../../../src/internal.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { testResources } from '../../../support/resources.ts';

it('properties that are read from pages are booked until they are told, or cannot be', async () => {
  const store: EventStore = { ...memoryEventStore({ resources: testResources() }) };
  delete store.properties;
  const memory = createMemoryBudget({ bytesMax: 1e6 });
  const tools = { seed: [1, 2], memory, scheduler: testResources().scheduler } as const;
  const event = { eventName: 'e', userId: 'u', eventTs: 0, insertId: 'a', propertiesJson: '{"plan":"pro"}' };
  await store.append('t', [event]);
  const { properties } = await answersOf(store, tools).properties('t', undefined);
  expect(properties.map(({ path }) => path)).toEqual(['properties.plan']);
  expect(memory.bytes).toBe(0);
  const broken = { ...store, query: () => Promise.reject(new Error('disk')) };
  await expect(answersOf(broken, tools).properties('t', 'e')).rejects.toThrow('disk');
  expect(memory.bytes).toBe(0);
});

it('a top that is read from pages keeps no more events than it answers', async () => {
  const store: EventStore = { ...memoryEventStore({ resources: testResources() }) };
  delete store.top;
  const padding = 'x'.repeat(1000);
  const events = Array.from({ length: 2000 }, (_, i) => ({
    ...{ eventName: 'e', userId: 'u', eventTs: i, insertId: String(i) },
    propertiesJson: JSON.stringify({ n: i % 700, padding }),
  }));
  await store.append('t', events);
  const { query, ranking } = parseTopBody({ of: 'properties.n', size: 3 });
  // Room for a few of them, each with its properties.
  const memory = createMemoryBudget({ bytesMax: 12_000, ownerShare: 1 });
  const tools = { seed: [1, 2], memory, scheduler: testResources().scheduler } as const;
  const found = await collect(await answersOf(store, tools).top('t', query, ranking));
  expect(found.map(({ insertId }) => insertId)).toEqual(['1399', '699', '1398']);
  expect(memory.bytes).toBe(0);
  const more = answersOf(store, tools).top('t', query, { ...ranking, size: 100 });
  await expect(more).rejects.toMatchObject({ code: 'overloaded' });
  expect(memory.bytes).toBe(0);
});
