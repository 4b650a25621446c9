import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { answersOf } from '../../../../src/core/engine/fallbacks/answers.ts';
import { parseBreakdownBody, parseTopBody } from '../../../../src/core/query/parse-query.ts';
import { parseSequenceBody } from '../../../../src/core/query/parse-sequence.ts';
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

it('a breakdown that is read from pages gives back what it has booked, refused or not', async () => {
  const store: EventStore = { ...memoryEventStore({ resources: testResources() }) };
  delete store.breakdown;
  delete store.measure;
  const events = Array.from({ length: 2000 }, (_, i) => ({
    ...{ eventName: 'e', userId: 'u', eventTs: i, insertId: String(i) },
    propertiesJson: `{"n":${i}}`,
  }));
  await store.append('t', events);
  const { query, grouping } = parseBreakdownBody({ by: 'properties.n', size: 3 });
  const told = async (bytesMax: number) => {
    const memory = createMemoryBudget({ bytesMax, ownerShare: 1 });
    const tools = { seed: [1, 2], memory, scheduler: testResources().scheduler } as const;
    const code = await answersOf(store, tools)
      .breakdown('t', query, grouping)
      .then(
        ({ groupsTotal }) => groupsTotal,
        (error: unknown) => (error as { readonly code: string }).code,
      );
    return [code, memory.bytes];
  };
  expect(await told(1e9)).toEqual([2000, 0]);
  expect(await told(50_000)).toEqual(['overloaded', 0]);
});

it('streams that are read from pages are told once, and give back what they have booked', async () => {
  const store: EventStore = { ...memoryEventStore({ resources: testResources() }) };
  delete store.streams;
  const [users, each] = [7, 12_000];
  const events = Array.from({ length: users * each }, (_, i) => ({
    ...{ eventName: 'e', userId: `u${i % users}`, eventTs: i, insertId: String(i), propertiesJson: '{}' },
  }));
  await store.append('t', events);
  const { query, streams: asked } = parseSequenceBody({ steps: [{}] });
  const memory = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 });
  const tools = { seed: [1, 2], memory, scheduler: testResources().scheduler } as const;
  const told: [key: unknown, events: number][] = [];
  let pieces = 0;
  for await (const { streams } of answersOf(store, tools).streams('t', query, asked)) {
    const before = told.length;
    for (const { key, instants } of streams) told.push([key, instants.length]);
    pieces += Number(told.length > before);
  }
  expect(pieces).toBeGreaterThan(1);
  expect(told.sort()).toEqual(Array.from({ length: users }, (_, i) => [`u${i}`, each]));
  expect(memory.bytes).toBe(0);
});
