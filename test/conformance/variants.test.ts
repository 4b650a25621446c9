/** The same rules for stores that have little room, or write in a thread: `npm run conformance` asks them. */
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../adapters/memory/index.ts';
import { createMemoryBudget } from '../../src/transport-kit.ts';
import { testControlStore, testEventStore, testRateLimiter } from './index.ts';
import { sqliteFixture, twoProcesses } from './sqlite-fixture.ts';
import { testResources } from '../support/resources.ts';

const runner = { describe, it, expect };

/** Columns are given up after a few values, and there is memory for a few of them. */
const scarce = () => ({
  distinctMax: 5,
  resources: testResources({ memory: createMemoryBudget({ bytesMax: 320_000, ownerShare: 1 }) }),
});

const mayRefuse = true;
testEventStore('memory, short of it', () => ({ store: memoryEventStore(scarce()) }), runner, { mayRefuse });
testEventStore('sqlite, short of memory', () => sqliteFixture('events', undefined, scarce()), runner, {
  mayRefuse,
});

const writer = 'thread';
testEventStore('sqlite, two processes', () => twoProcesses(), runner);
testEventStore('sqlite, two that write by threads', () => twoProcesses({ writer }), runner);
testEventStore('sqlite, written by a thread', () => sqliteFixture('events', undefined, { writer }), runner);
testControlStore(
  'sqlite, written by a thread',
  () => sqliteFixture('control', undefined, { writer }),
  runner,
  {
    numRuns: 30,
  },
);
// Each of its restarts begins a thread.
testRateLimiter(
  'sqlite, written by a thread',
  (clock) => sqliteFixture('limits', clock, { writer }),
  runner,
  {
    numRuns: 10,
  },
);
