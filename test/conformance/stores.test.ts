import { describe, expect, it } from 'vitest';
import {
  memoryEventStore,
  memoryKeyStore,
  memoryRateLimiter,
  memoryTenantStore,
} from '../../adapters/memory/index.ts';
import { testEventStore, testKeyStore, testRateLimiter, testTenantStore } from './index.ts';

const runner = { describe, it, expect };

testEventStore('memory', () => ({ store: memoryEventStore() }), runner, { bulkEvents: 40_000 });
testTenantStore('memory', () => ({ store: memoryTenantStore() }), runner);
testKeyStore('memory', () => ({ store: memoryKeyStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);
