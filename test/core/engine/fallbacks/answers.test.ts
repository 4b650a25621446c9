import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { answersOf } from '../../../../src/core/engine/fallbacks/answers.ts';
import type { EventStore } from '../../../../src/index.ts';
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
