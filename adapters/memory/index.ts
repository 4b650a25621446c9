import { requireOptions, type Stores } from '../../src/index.ts';
import type { Clock } from '../../src/store-kit.ts';
import { memoryAdminStore } from './admins.ts';
import { memoryEventStore, type MemoryEventOptions } from './events.ts';
import { memoryKeyStore } from './keys.ts';
import { memoryRateLimiter } from './limits.ts';
import { memoryTenantStore } from './tenants.ts';

export { memoryAdminStore, type MemoryAdminStore } from './admins.ts';
export { memoryEventStore, type MemoryEventOptions } from './events.ts';
export { memoryKeyStore } from './keys.ts';
export { memoryRateLimiter } from './limits.ts';
export { memoryTenantStore } from './tenants.ts';

/** What all stores in memory work with. */
export interface MemoryOptions extends MemoryEventOptions {
  /** The time by which limits are judged. */
  readonly clock: Clock;
}

/** All stores in the memory of this process, for tests and for services that keep their events elsewhere. */
export function memoryStores(options: MemoryOptions): Stores {
  requireOptions('memoryStores', options, ['clock']);
  const admins = memoryAdminStore();
  return {
    admins,
    events: memoryEventStore(options),
    tenants: memoryTenantStore(admins),
    keys: memoryKeyStore(admins),
    limits: memoryRateLimiter(options.clock),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
