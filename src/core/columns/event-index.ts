import { unavailable } from '../errors.ts';
import type { EventStore } from '../ports.ts';
import { pageOf } from '../query/stored-page.ts';
import { createBudget } from './budget.ts';
import { LogGoneError, type EventLog } from './log.ts';
import { createLogIndex, type LogIndex } from './log-index.ts';
import type { Pacer } from './pace.ts';

/** How many bytes of memory columns take between queries, where nothing else is asked for: 512 MiB. */
export const COLUMN_CACHE_BYTES_MAX = 536_870_912;

/**
 * How many distinct values a path may have before it is read from the log each time. A Map throws at 2^24.
 */
export const DISTINCT_VALUES_MAX = 2_097_152;

export interface EventIndexOptions {
  /** The log of a tenant as it is now; undefined when the tenant has no events. */
  readonly open: (tenantId: string) => EventLog | undefined;
  readonly pacer: Pacer;
  /** Default `COLUMN_CACHE_BYTES_MAX`. A column that would take more than half of it is not kept at all. */
  readonly columnCacheBytesMax?: number | undefined;
  /** Default `DISTINCT_VALUES_MAX`. */
  readonly distinctMax?: number | undefined;
}

/** The part of a store that answers: whoever keeps a log needs only to append to it and to erase it. */
export interface EventIndex extends Pick<EventStore, 'query' | 'count' | 'eventNames'> {
  /** Lets go of what is known of a tenant's log, because it was erased. */
  forget(tenantId: string): void;
}

/** How often a question is asked again because its log was erased under it. */
const ATTEMPTS = 3;

/**
 * Answers from columns: for each path that a query names, the distinct values and one code for each row. A
 * column is read from the log when it is first asked for, then extended by the new rows only, so appending
 * costs nothing here.
 */
export function createEventIndex({ open, pacer, ...options }: EventIndexOptions): EventIndex {
  const bytesMax = options.columnCacheBytesMax ?? COLUMN_CACHE_BYTES_MAX;
  const budget = createBudget(bytesMax);
  const limits = { distinctMax: options.distinctMax ?? DISTINCT_VALUES_MAX, bytesMax: bytesMax / 2 };
  const indexes = new Map<string, LogIndex>();

  function forget(tenantId: string): void {
    indexes.get(tenantId)?.dispose();
    indexes.delete(tenantId);
  }

  function indexOf(tenantId: string): LogIndex | undefined {
    const log = open(tenantId);
    const known = indexes.get(tenantId);
    if (known !== undefined && known.log.id === log?.id) return known;
    forget(tenantId);
    if (log === undefined) return undefined;
    const index = createLogIndex(log, { budget, limits, pacer });
    indexes.set(tenantId, index);
    return index;
  }

  async function ask<T>(tenantId: string, none: T, question: (index: LogIndex) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const index = indexOf(tenantId);
      if (index === undefined) return none;
      try {
        return await question(index);
      } catch (error) {
        if (!(error instanceof LogGoneError)) throw error;
        forget(tenantId);
        if (attempt === ATTEMPTS) throw unavailable(error);
      }
    }
  }

  return {
    count: (tenantId, query) => ask(tenantId, 0, (index) => index.count(query)),
    query: (tenantId, query, page) => ask(tenantId, pageOf([]), (index) => index.query(query, page)),
    eventNames: (tenantId) => ask(tenantId, [], (index) => index.eventNames()),
    forget,
  };
}
