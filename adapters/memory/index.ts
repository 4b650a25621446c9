import { requireOptions, type Stores } from '../../src/index.ts';
import { memoryControlStore } from './control.ts';
import { memoryEventStore, type MemoryOptions } from './events.ts';
import { memoryRateLimiter } from './limits.ts';

export { memoryControlStore } from './control.ts';
export { memoryEventStore, type MemoryOptions } from './events.ts';
export { memoryRateLimiter } from './limits.ts';

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
 * console.log(await stores.events.eventNames('a tenant'));
 * // prints: []
 * ```
 */
export function memoryStores(options: MemoryOptions): Stores {
  requireOptions('memoryStores', options, ['resources']);
  return {
    events: memoryEventStore(options),
    control: memoryControlStore(),
    limits: memoryRateLimiter(options.resources.runtime),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
