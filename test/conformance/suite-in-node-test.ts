import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryControlStore, memoryEventStore, memoryRateLimiter } from '../../adapters/memory/index.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import { pageOf } from '../../src/store-kit.ts';
import { testControlStore, testEventStore, testRateLimiter, type TestRunner } from './index.ts';
import { testResources } from '../support/resources.ts';

/** Runs the suites with node:test; with the argument `broken` on a store whose pages skip some events. */
const runner: TestRunner = {
  describe,
  it: (name, run) => it(name, run),
  expect: (actual) => ({
    toEqual: (expected) => {
      assert.deepEqual(actual, expected);
    },
  }),
};

function brokenEventStore(): EventStore {
  const store = memoryEventStore({ resources: testResources() });
  return {
    ...store,
    query: async (tenantId, query, page) => {
      const events = await collect(await store.query(tenantId, query, page));
      return pageOf(events.filter(({ insertId }) => insertId !== 'id-10' || query.from === -Infinity));
    },
  };
}

const options = { numRuns: 20, bulkEvents: 500 };
if (process.argv.includes('broken')) {
  testEventStore('broken', () => ({ store: brokenEventStore() }), runner, options);
} else {
  testEventStore(
    'memory',
    () => ({ store: memoryEventStore({ resources: testResources() }) }),
    runner,
    options,
  );
  testControlStore('memory', () => ({ store: memoryControlStore() }), runner, options);
  testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner, options);
}
