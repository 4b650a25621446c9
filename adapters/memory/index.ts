import { requireOptions, type Stores } from '../../src/index.ts';
import { memoryAdminStore } from './admins.ts';
import { memoryEventStore, type MemoryOptions } from './events.ts';
import { memoryKeyStore } from './keys.ts';
import { memoryRateLimiter } from './limits.ts';
import { memoryRefusalStore } from './refusals.ts';
import { memoryTenantStore } from './tenants.ts';
import { memoryUsageStore } from './usage.ts';
import { memoryViewStore } from './views.ts';

export { memoryAdminStore, type MemoryAdminStore } from './admins.ts';
export { memoryEventStore, type MemoryOptions } from './events.ts';
export { memoryKeyStore } from './keys.ts';
export { memoryRateLimiter } from './limits.ts';
export { memoryRefusalStore } from './refusals.ts';
export { memoryTenantStore } from './tenants.ts';
export { memoryUsageStore } from './usage.ts';
export { memoryViewStore } from './views.ts';

/**
 * All stores in the memory of this process, for tests and for services that keep their events elsewhere.
 *
 * @throws {TypeError} When the resources are missing.
 * @example
 * ```ts
 * import { memoryStores } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 *
 * const stores = memoryStores({ resources: nodeResources() });
 * await stores.ready();
 * console.log(await stores.tenants.list());
 * // prints: []
 * ```
 */
export function memoryStores(options: MemoryOptions): Stores {
  requireOptions('memoryStores', options, ['resources']);
  const admins = memoryAdminStore();
  return {
    admins,
    events: memoryEventStore(options),
    tenants: memoryTenantStore(admins),
    keys: memoryKeyStore(admins),
    refusals: memoryRefusalStore(admins),
    views: memoryViewStore(admins),
    usage: memoryUsageStore(),
    limits: memoryRateLimiter(options.resources.runtime),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
