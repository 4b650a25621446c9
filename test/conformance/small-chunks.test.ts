/** The rules of stores that answer from columns, where chunks of columns have eight rows. */
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../adapters/memory/index.ts';
import { testEventStore } from './index.ts';
import { sqliteFixture, twoProcesses } from './sqlite-fixture.ts';
import { testResources } from '../support/resources.ts';

const runner = { describe, it, expect };
const options = { bulkEvents: 3000 };

testEventStore(
  'memory, small chunks',
  () => ({ store: memoryEventStore({ resources: testResources() }) }),
  runner,
  options,
);
testEventStore('sqlite, small chunks', () => sqliteFixture('events'), runner, options);
testEventStore('sqlite, two processes, small chunks', () => twoProcesses(), runner, options);
