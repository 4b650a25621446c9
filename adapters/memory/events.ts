import { ApiError, requireOptions, type EventStore, type Resources } from '../../src/index.ts';
import {
  createColumnIndex,
  createKeyedHash,
  LogGoneError,
  type ChosenRows,
  type HashSeed,
  type Survivors,
} from '../../src/store-kit.ts';
import { copyWithout } from './erasure.ts';
import { createMemoryLog, type MemoryLog } from './event-log.ts';

/** What stores in memory work with. */
export interface MemoryOptions {
  /**
   * What the engine or the API has as well: `nodeResources()` in Node. What questions need is booked there,
   * the events themselves are not.
   */
  readonly resources: Resources;
  /**
   * How many distinct values a path may have before it is read from the events each time. Default 2,097,152.
   */
  readonly distinctMax?: number | undefined;
}

/**
 * Events in memory, answered from columns. Nothing survives the process. Properties stay the JSON text that
 * they came as: an event of 380 bytes of JSON takes about 500 bytes of memory, where parsed objects take 700,
 * and each path that queries name adds 1 to 4 bytes an event.
 *
 * @throws {TypeError} Where the resources are missing.
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
  const { memory: ledger, scheduler } = options.resources;
  const logs = new Map<string, MemoryLog>();
  /** An id for ever each, 36 characters: tenants are few. */
  const dropped = new Set<string>();
  let lastLogId = 0;
  const seed = [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed;
  const hash = createKeyedHash(seed);
  const index = createColumnIndex({
    open: (tenantId) => logs.get(tenantId),
    ledger,
    scheduler,
    seed,
    distinctMax: options.distinctMax,
  });

  function eraseAll(tenantId: string): number {
    const log = logs.get(tenantId);
    const size = log?.size() ?? 0;
    log?.erase();
    logs.delete(tenantId);
    index.forget(tenantId);
    return size;
  }

  /** The events that stay become a log of their own, which takes the place of the old one all at once. */
  function replaceLog(tenantId: string, chosen: ChosenRows): Promise<boolean> {
    const create = (survivors: Survivors) => createMemoryLog((lastLogId += 1), hash, survivors);
    const replace = (after: MemoryLog): boolean => {
      if (logs.get(tenantId) !== chosen.log) return false;
      logs.set(tenantId, after);
      (chosen.log as MemoryLog).erase(chosen.rows);
      return true;
    };
    return scheduler
      .run(tenantId, undefined, (pacer) => copyWithout(chosen, { create, replace }, pacer))
      .catch((error: unknown) => {
        if (error instanceof LogGoneError) return false;
        throw error;
      });
  }

  return {
    query: index.query,
    count: index.count,
    breakdown: index.breakdown,
    properties: index.properties,
    since: index.since,
    plan: index.plan,
    eventNames: (tenantId) => Promise.resolve(logs.get(tenantId)?.names() ?? []),
    append: (tenantId, events, { namesMax = Infinity } = {}) => {
      if (dropped.has(tenantId)) return Promise.reject(new ApiError('tenantNotFound'));
      // Copied first, since an event that cannot be read must leave nothing of its batch in the log.
      const batch = events.map((event) => ({ ...event }));
      const log = logs.get(tenantId) ?? createMemoryLog((lastLogId += 1), hash);
      logs.set(tenantId, log);
      return Promise.resolve(log.append(batch, namesMax));
    },
    erase: (tenantId, query, signal) =>
      query === undefined
        ? Promise.resolve(eraseAll(tenantId))
        : index.erase(tenantId, query, (chosen) => replaceLog(tenantId, chosen), signal),
    drop: (tenantId) => {
      dropped.add(tenantId);
      eraseAll(tenantId);
      return Promise.resolve();
    },
  };
}
