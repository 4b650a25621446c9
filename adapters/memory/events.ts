import { ApiError, requireOptions, type EventStore, type Resources, type Signal } from '../../src/index.ts';
import {
  createColumnIndex,
  createKeyedHash,
  type ChosenRows,
  type EventQuery,
  type HashSeed,
} from '../../src/store-kit.ts';
import { createMemoryLog, type MemoryLog } from './event-log.ts';

/** The options of the memory stores. */
export interface MemoryOptions {
  /**
   * The resources that the engine or the API uses too: `nodeResources()` in Node. Queries reserve memory from
   * their budget; the events themselves do not count.
   */
  readonly resources: Resources;
  /**
   * A path with more distinct values than this gets no column: each query reads it from the events. Default
   * 2,097,152.
   */
  readonly distinctMax?: number | undefined;
}

/**
 * Stores events in memory and answers queries from columns. The events are lost when the process ends.
 * Properties are kept as the JSON text in which they came: an event of 380 bytes of JSON takes about 500
 * bytes of memory, where parsed objects would take 700. Each path that queries name adds 1 to 4 bytes per
 * event.
 *
 * @throws {TypeError} When the resources are missing.
 * @example
 * ```ts
 * import { memoryEventStore } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 *
 * const events = memoryEventStore({ resources: nodeResources() });
 * const signUp = { eventName: 'signed_up', userId: 'ada', eventTs: 0, insertId: '1', propertiesJson: '{}' };
 * const { duplicates } = await events.append('a tenant', [signUp, signUp]);
 * console.log(duplicates);
 * // prints: [ 1 ]
 * ```
 */
export function memoryEventStore(options: MemoryOptions): EventStore {
  requireOptions('memoryEventStore', options, ['resources']);
  const { memory, scheduler, meter } = options.resources;
  const logs = new Map<string, MemoryLog>();
  /** The ids of deleted tenants, kept for ever: each has 36 characters, and tenants are few. */
  const dropped = new Set<string>();
  let lastLogId = 0;
  const seed = [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed;
  const hash = createKeyedHash(seed);
  const index = createColumnIndex({
    open: (tenantId) => logs.get(tenantId)?.view(),
    memory,
    scheduler,
    seed,
    distinctMax: options.distinctMax,
    meter,
  });

  function eraseAll(tenantId: string): number {
    const count = logs.get(tenantId)?.end() ?? 0;
    logs.delete(tenantId);
    index.forget(tenantId);
    return count;
  }

  async function eraseMatching(tenantId: string, query: EventQuery, signal?: Signal): Promise<number> {
    const commit = (chosen: ChosenRows) => Promise.resolve(logs.get(tenantId)?.erase(chosen, query));
    const count = await index.erase(tenantId, query, commit, signal);
    const log = logs.get(tenantId);
    if (count > 0 && log !== undefined)
      await scheduler.run(tenantId, undefined, (pacer) => log.free(pacer), 'batch');
    return count;
  }

  return {
    ...index.answers,
    eventNames: (tenantId) => Promise.resolve(logs.get(tenantId)?.names() ?? []),
    append: (tenantId, events, { namesMax = Infinity } = {}) => {
      if (dropped.has(tenantId)) return Promise.reject(new ApiError('tenantNotFound'));
      // Copy the batch first: when reading an event throws, no event of the batch may be in the log.
      const batch = events.map((event) => ({ ...event }));
      const log = logs.get(tenantId) ?? createMemoryLog((lastLogId += 1), hash);
      logs.set(tenantId, log);
      return Promise.resolve(log.append(batch, namesMax));
    },
    erase: (tenantId, query, signal) =>
      query === undefined ? Promise.resolve(eraseAll(tenantId)) : eraseMatching(tenantId, query, signal),
    drop: (tenantId) => {
      dropped.add(tenantId);
      eraseAll(tenantId);
      return Promise.resolve();
    },
  };
}
