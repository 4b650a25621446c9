import { describe, expect, it } from 'vitest';
import { memoryControlStore, memoryEventStore, memoryRateLimiter } from '../../adapters/memory/index.ts';
import type { EventStore } from '../../src/index.ts';
import { testControlStore, testEventStore, testRateLimiter } from './index.ts';
import { sqliteFixture } from './sqlite-fixture.ts';
import { testResources } from '../support/resources.ts';

const runner = { describe, it, expect };

/** What a store must have. */
const REQUIRED: readonly string[] = ['append', 'query', 'count', 'eventNames', 'erase', 'drop'];

/** A store that has what it must, by name, so that what is new is left out of it. */
function requiredOf(store: EventStore): EventStore {
  const own = Object.entries(store).filter(([name]) => REQUIRED.includes(name));
  return Object.fromEntries(own) as unknown as EventStore;
}

testEventStore('memory', () => ({ store: memoryEventStore({ resources: testResources() }) }), runner, {
  bulkEvents: 40_000,
});
testEventStore(
  'memory, required methods only',
  () => ({ store: requiredOf(memoryEventStore({ resources: testResources() })) }),
  runner,
);
testControlStore('memory', () => ({ store: memoryControlStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);

testEventStore('sqlite', () => sqliteFixture('events'), runner, { bulkEvents: 40_000 });
testControlStore('sqlite', () => sqliteFixture('control'), runner);
testRateLimiter('sqlite', (clock) => sqliteFixture('limits', clock), runner);
