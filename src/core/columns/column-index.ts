import type { MemoryBudget } from '../bounds/memory-budget.ts';
import type { JobPriority, Pacer, Scheduler } from '../bounds/scheduler.ts';
import { unavailable } from '../base/errors.ts';
import { SILENT_METER, type Meter } from '../base/metrics.ts';
import type { AnswerPlan } from '../query/answer-plan.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { EventStore } from '../query/event-store.ts';
import type { Signal } from '../base/signal.ts';
import type { Arrivals } from '../query/arrivals.ts';
import type { Properties } from '../query/properties.ts';
import { emptyBreakdown } from '../query/group-table.ts';
import type { Breakdown, Grouping, MeasuredGrouping, Whole } from '../query/grouping.ts';
import { pageOf } from '../query/stored-page.ts';
import { BYTE_ORDER } from './column/chunk.ts';
import { createKernel, type Wasm } from './counting/kernel.ts';
import { createErasing, type Erasing } from './erasing.ts';
import { createKeyedHash, type HashSeed } from '../base/keyed-hash.ts';
import { loadPage } from './log/loaded-page.ts';
import { ATTEMPTS, LogGoneError, type EventLog } from './log/log.ts';
import { tellInParts, type FoundStreams } from './streams/in-parts.ts';
import { createTenantIndex, type FoundPage, type TenantIndex } from './tenant-index.ts';

/**
 * A path with more distinct values has no column: each question reads it from the log. A Map throws at 2^24.
 */
const DISTINCT_VALUES_MAX = 2_097_152;

/** How much of the memory budget one column may take. */
const COLUMN_SHARE = 0.25;

/** What a column index works with. */
export interface ColumnIndexOptions {
  /** The log of a tenant as it is now; undefined when the tenant has no events. */
  readonly open: (tenantId: string) => EventLog | undefined;
  /** The budget for columns, orders and the memory that questions need. */
  readonly memory: MemoryBudget;
  /** Gives time slices to the questions of tenants. */
  readonly scheduler: Scheduler;
  /** A secret of this process, so that no client can choose values that are slow to look up. */
  readonly seed: HashSeed;
  /** Default `DISTINCT_VALUES_MAX`. */
  readonly distinctMax?: number | undefined;
  /** Counts how often columns are read from the log. Default: no counting. */
  readonly meter?: Meter;
}

/** The questions that columns answer. */
export type ColumnAnswers = Pick<
  Required<EventStore>,
  'query' | 'count' | 'breakdown' | 'measure' | 'top' | 'streams' | 'properties' | 'since' | 'plan'
>;

/** The part of a store that answers. The store itself only has to append to its logs and to erase them. */
export interface ColumnIndex extends ColumnAnswers, Erasing {
  /** The answers alone, for a store that gives them as they are. */
  readonly answers: ColumnAnswers;
  /**
   * Builds the order and the columns that questions will probably need, and stores their chunks. No question
   * waits for it, so the caller's pacer gives it time slices.
   */
  prepare(tenantId: string, pacer: Pacer): Promise<void>;
  /** Frees the index of a tenant's log, because the log was erased. */
  forget(tenantId: string): void;
}

const { WebAssembly } = globalThis as { WebAssembly?: Wasm };

type IndexQuestion<T> = (index: TenantIndex, pacer: Pacer) => T | Promise<T>;

/** No log has the number 0, so the first event after this position is the first one that arrives. */
const NO_ARRIVALS: Arrivals = { events: [], position: { log: 0, row: 0 } };
const NO_PROPERTIES: Properties = { properties: [], more: false };
const NO_PLAN: AnswerPlan = { by: 'columns', events: 0, paths: [] };
const NO_EVENTS = pageOf([]);

/** How many old indexes are checked whenever one is made. With more than one, all get checked in time. */
const REVISED = 2;

/**
 * Answers from columns. For each path that queries name, a column has the distinct values and one code for
 * each row. The first query of a path reads the log, and later ones read new rows only. Appending events
 * costs nothing here. A question is about the rows that existed when it began.
 *
 * @example
 * ```ts
 * import type { Resources } from 'event-query';
 * import { createColumnIndex, type ColumnIndex, type EventLog } from 'event-query/store-kit';
 *
 * function answersOf(logs: ReadonlyMap<string, EventLog>, resources: Resources): ColumnIndex {
 *   const { memory, runtime, scheduler } = resources;
 *   const seed = [...new Uint32Array(runtime.randomBytes(8).slice().buffer)] as [number, number];
 *   return createColumnIndex({ open: (tenantId) => logs.get(tenantId), memory, scheduler, seed });
 * }
 * console.log(typeof answersOf);
 * // prints: function
 * ```
 */
export function createColumnIndex({
  open,
  memory,
  scheduler,
  seed,
  distinctMax = DISTINCT_VALUES_MAX,
  meter = SILENT_METER,
}: ColumnIndexOptions): ColumnIndex {
  const hash = createKeyedHash(seed);
  // WebAssembly has the lowest byte of a code first, on any machine.
  const kernel = createKernel(BYTE_ORDER === 'little' ? WebAssembly : undefined);
  const limits = { distinctMax, bytesMax: memory.bytesMax * COLUMN_SHARE };
  const indexes = new Map<string, TenantIndex>();

  function forget(tenantId: string): void {
    indexes.get(tenantId)?.dispose();
    indexes.delete(tenantId);
  }

  /** Frees the oldest index if another process has erased its log. No question would ever find it again. */
  function reviseOldest(): void {
    for (const [tenantId, index] of indexes) {
      indexes.delete(tenantId);
      if (open(tenantId)?.id === index.log.id) indexes.set(tenantId, index);
      else index.dispose();
      return;
    }
  }

  function indexOf(tenantId: string): TenantIndex | undefined {
    const log = open(tenantId);
    const known = indexes.get(tenantId);
    if (known !== undefined && known.log.id === log?.id) {
      if (known.log.version !== log.version) adopt(tenantId, known, log);
      return known;
    }
    forget(tenantId);
    if (log === undefined) return undefined;
    for (let i = 0; i < REVISED; i++) reviseOldest();
    // An older index may be evicted later. That must not remove this one.
    const evicted = () => (indexes.get(tenantId) === index ? forget(tenantId) : undefined);
    const options = { owner: tenantId, memory, limits, hash, evicted, meter, kernel };
    const index: TenantIndex = createTenantIndex(log, options);
    indexes.set(tenantId, index);
    return index;
  }

  /**
   * Tells an index of an erasure. What it frees, it frees as a batch job, so no question waits for it. Until
   * then counts look at rows.
   */
  function adopt(tenantId: string, index: TenantIndex, log: EventLog): void {
    index.adopt(log);
    void scheduler.run(tenantId, undefined, (pacer) => index.settle(pacer), 'batch').catch(() => undefined);
  }

  /** Asks the current index, and asks again if the log was erased meanwhile. */
  async function attempt<T>(
    tenantId: string,
    none: T,
    question: IndexQuestion<T>,
    pacer: Pacer,
    left: number,
  ): Promise<T> {
    let index: TenantIndex | undefined;
    let version: number | undefined;
    try {
      index = indexOf(tenantId);
      version = index?.log.version;
      return index === undefined ? none : await question(index, pacer);
    } catch (error) {
      if (!(error instanceof LogGoneError)) throw error;
      // The log is as it was, but its rows are not: what is known of them is of no use.
      const log = open(tenantId);
      if (indexes.get(tenantId) === index && log?.id === index?.log.id && log?.version === version)
        forget(tenantId);
      if (left === 0) throw unavailable(error);
    }
    return attempt(tenantId, none, question, pacer, left - 1);
  }

  const ask = <T>(
    tenantId: string,
    signal: Signal | undefined,
    none: T,
    question: IndexQuestion<T>,
    priority?: JobPriority,
  ): Promise<T> =>
    scheduler.run(
      tenantId,
      signal,
      (pacer) => attempt(tenantId, none, question, pacer, ATTEMPTS - 1),
      priority,
    );

  const { erase } = createErasing({ ask });

  /** The events of the rows that an index finds. */
  const findEvents = (
    tenantId: string,
    signal: Signal | undefined,
    find: (index: TenantIndex, pacer: Pacer) => Promise<FoundPage>,
  ) =>
    ask(tenantId, signal, NO_EVENTS, async (index, pacer) =>
      loadPage(await find(index, pacer), (job) => scheduler.run(tenantId, signal, job)),
    );

  const breakDown = async (
    tenantId: string,
    query: EventQuery,
    grouping: Grouping | MeasuredGrouping,
    signal?: Signal,
  ): Promise<Breakdown | Whole> => {
    const found = await ask<Breakdown | Whole | undefined>(tenantId, signal, undefined, (index, pacer) =>
      index.breakdown(query, grouping, pacer),
    );
    return found ?? emptyBreakdown(grouping);
  };

  const answers: ColumnAnswers = {
    count: (tenantId, query, signal) => ask(tenantId, signal, 0, (index, pacer) => index.count(query, pacer)),
    query: (tenantId, query, page, signal) =>
      findEvents(tenantId, signal, (index, pacer) => index.find(query, page, pacer)),
    top: (tenantId, query, ranking, signal) =>
      findEvents(tenantId, signal, (index, pacer) => index.top(query, ranking, pacer)),
    breakdown: (tenantId, query, grouping, signal) =>
      breakDown(tenantId, query, grouping, signal) as Promise<Breakdown>,
    measure: breakDown,
    streams: (tenantId, query, asked, signal) => {
      const room = memory.reservation(tenantId);
      return tellInParts(room, (part) =>
        ask<FoundStreams | undefined>(tenantId, signal, undefined, (index, pacer) => {
          // The part before is not needed any more. If the log was erased meanwhile, this is another attempt.
          room.release();
          return index.streams(query, asked, part, { room, pacer });
        }),
      );
    },
    // It reads whole events, at first all of them. As a batch job it does not delay other questions.
    properties: (tenantId, event, signal) =>
      ask(tenantId, signal, NO_PROPERTIES, (index, pacer) => index.properties(event, pacer), 'batch'),
    since: (tenantId, query, position, size, signal) =>
      ask(tenantId, signal, NO_ARRIVALS, (index, pacer) => index.since({ query, position, size }, pacer)),
    plan: (tenantId, reading, signal) =>
      ask(tenantId, signal, NO_PLAN, (index, pacer) => index.plan(reading, pacer)),
  };

  return {
    ...answers,
    answers,
    erase,
    prepare: async (tenantId, pacer) =>
      attempt(tenantId, undefined, (index) => index.prepare(pacer), pacer, 0),
    forget,
  };
}
