import { answersOf } from './fallbacks/answers.ts';
import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import { createKeyedHash, toHashSeed } from '../base/keyed-hash.ts';
import { aborted, ApiError, invalid, isAborted } from '../base/errors.ts';
import { NO_LABELS, type Meter, type MetricLabels } from '../base/metrics.ts';
import { requireOptions } from '../base/options.ts';
import type { TracedPart, Tracer } from '../base/tracing.ts';
import { toEvent, type Event, type Includable, type StoredEvent } from '../event/event.ts';
import type { ArrivingEvent, EventInput, EventSource } from '../event/parse-event.ts';
import { describeValue } from '../event/text.ts';
import { createUuidV7 } from '../event/uuid-v7.ts';
import { createCompare } from './compare.ts';
import { parseExplainBody } from '../explain/asked.ts';
import { createExplain, type Explain } from '../explain/explanation.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import {
  createBatch,
  nothingAccepted,
  type IngestOptions,
  type IngestReport,
  type RejectReasons,
} from './intake.ts';
import type { AppendResult, EventStore } from '../query/event-store.ts';
import type { Signal } from '../base/signal.ts';
import {
  ARRIVAL_ORDER,
  parsePosition,
  toPositionText,
  type ArrivalPosition,
  type Arrivals,
} from '../query/arrivals.ts';
import {
  PAGE_SIZE_MAX,
  type BreakdownBody,
  type ExportBody,
  type QueryBody,
  type TailBody,
  type UsersBody,
  type TopBody,
} from '../query/body.ts';
import { cursorAfter } from '../query/cursor.ts';
import { pagesOf, usersOf } from '../query/pages.ts';
import { createStoredSizes, type StoredSizes } from './stored-sizes.ts';
import { awaitArrivals, type WaitOptions } from './waiting.ts';
import type { EventQuery, StoredPage } from '../query/event-query.ts';
import {
  bucketsOf,
  readClock,
  seriesOf,
  type Breakdown,
  type GroupPath,
  type TimeSeries,
  type Whole,
} from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  parseTopBody,
  type ExportQuery,
  type GroupedQuery,
  type PagedQuery,
  type RankedQuery,
} from '../query/parse-query.ts';
import { parseRetentionBody } from '../query/parse-retention.ts';
import { parseUsersBody } from '../query/parse-users.ts';
import { parseSequenceBody } from '../query/parse-sequence.ts';
import { parseCompareBody } from '../query/parse-compare.ts';
import type { AskedCompare, Differences } from '../query/compare.ts';
import type { AskedRetention, Retention } from '../query/retention.ts';
import type { AskedUsers, UserPage } from '../query/users.ts';
import type { AskedSequence, Sequence } from '../query/sequence.ts';
import { createRetentionFold } from '../sequences/retention.ts';
import type { StreamsFold } from '../sequences/fold.ts';
import { createSequenceFold } from '../sequences/sequence.ts';
import { createUsersFold } from '../sequences/users.ts';
import { collect, piecesOf } from '../query/stored-page.ts';
import type { Resources } from '../bounds/resources.ts';
import type { Zones } from '../bounds/zones.ts';
import type {
  AskOptions,
  BreakdownOf,
  EventPage,
  SinceOptions,
  TailOptions,
  TenantEvents,
  TenantQuestions,
} from './tenant-events.ts';

/** The engine answers for any tenant. It does not check access; the service does. */
export interface Engine {
  /**
   * The events of the tenant with this id. An id is not an alias; it is the same in every store.
   *
   * @throws {TypeError} Where the id is no text, or an empty one.
   */
  tenant(id: string): TenantEvents;
}

/**
 * The operations on the events of tenants, each one once. Embedding programs and requests both parse their
 * bodies first and then call these. `tenantId` is the id of a tenant, not its alias.
 */
export interface EventOperations {
  /** A page of the events that match, newest first. Events are loaded as the caller reads them. */
  query(tenantId: string, asked: PagedQuery, signal?: Signal): Promise<StoredPage>;
  /** How many events match. */
  count(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /** Every event that matches, newest first, in pieces of about a mebibyte or of one larger event. */
  export(tenantId: string, asked: ExportQuery, signal?: Signal): ReturnType<typeof piecesOf>;
  /** Groups the events that match. Throws ApiError 400 where there are too many groups. */
  breakdown(tenantId: string, asked: GroupedQuery, signal?: Signal): Promise<Breakdown | Whole>;
  /** How far the distinct values came in a sequence. Throws ApiError 400 where there are too many groups. */
  sequence(tenantId: string, asked: AskedSequence, signal?: Signal): Promise<Sequence>;
  /** The matching events with the first numbers at a path. They are loaded as the caller reads them. */
  top(tenantId: string, asked: RankedQuery, signal?: Signal): Promise<StoredPage>;
  /** A page of the distinct values at a path, by what their events say. */
  users(tenantId: string, asked: AskedUsers, signal?: Signal): Promise<UserPage>;
  /** How many of those who started returned, and when. Throws ApiError 400 for too many cohorts. */
  retention(tenantId: string, asked: AskedRetention, signal?: Signal): Promise<Retention>;
  /** Where the selected events and the others differ. */
  compare(tenantId: string, asked: AskedCompare, signal?: Signal): Promise<Differences>;
  /** The property paths of the events of one name, or of all events, and the values there. */
  properties(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties>;
  /** Whether the store knows the property paths of its events, so that no events have to be read for them. */
  readonly knowsProperties: boolean;
  /** The time zones that bodies name. */
  readonly zones: Zones;
  /** Explains what a question means and how it will be answered. Throws ApiError as the question would. */
  readonly explain: Explain;
  /** Throws ApiError 501 where the store does not know in which order events arrived. */
  requireArrivals(): void;
  /** The events that match in the order in which they arrived, as `EventStore.since`. Throws ApiError 501. */
  since(
    tenantId: string,
    query: EventQuery,
    position: ArrivalPosition | undefined,
    signal?: Signal,
  ): Promise<Arrivals>;
  /** As `since`, and waits up to 25 seconds for a first event. */
  waitSince(
    tenantId: string,
    query: EventQuery,
    position: ArrivalPosition | undefined,
    options?: WaitOptions,
  ): Promise<Arrivals>;
  /** The distinct event names, ascending by code point. */
  eventNames(tenantId: string, signal?: Signal): Promise<readonly string[]>;
  /** How many events there are of each name, and how many bytes. It reads every event. */
  storedSizes(tenantId: string, signal?: Signal): Promise<StoredSizes>;
  /** Erases the events that match. Resolves to their number. */
  erase(tenantId: string, query: EventQuery): Promise<number>;
  /** Stores the valid events of a batch and reports on the others, as `TenantEvents.append`. */
  append(tenantId: string, events: Iterable<ArrivingEvent>, options?: IngestOptions): Promise<IngestReport>;
}

/** The parts from which the engine is made. */
export interface EngineOptions {
  /** The store of events. The engine does not close it; the caller does. */
  readonly events: EventStore;
  /** The resources that the store uses too: `nodeResources()` in Node. */
  readonly resources: Resources;
  /** How many distinct event names a tenant may have. Default 10,000. */
  readonly eventNamesMax?: number | undefined;
}

/** Who is told of what happens to a tenant's events, besides the meter. */
export interface EventWatch {
  /** Some events of a batch were rejected. */
  readonly rejected: (tenantId: string, reasons: RejectReasons) => void;
}

/** How many distinct event names a tenant may have by default. */
const EVENT_NAMES_MAX = 10_000;

/**
 * Makes the engine: it stores and queries events, without keys, plans and limits.
 *
 * @throws {TypeError} Where the store or the resources are missing.
 * @example
 * ```ts
 * import { createEngine } from 'event-query';
 * import { memoryEventStore } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const engine = createEngine({ events: memoryEventStore({ resources }), resources });
 * const shop = engine.tenant('shop');
 * const signUp = { eventName: 'signed_up', userId: 'ada', properties: { plan: 'pro' } };
 * const { rejected } = await shop.append([signUp]);
 * if (rejected.length > 0) console.error(rejected);
 * console.log(await shop.count({ event: 'signed_up' }));
 * // prints: 1
 * ```
 */
export function createEngine(options: EngineOptions): Engine {
  requireOptions('createEngine', options, ['events', 'resources']);
  const operations = createOperations(options);
  return {
    tenant(id) {
      if (typeof id !== 'string' || id === '')
        throw new TypeError(`engine.tenant takes the id of a tenant, got ${describeValue(id)}`);
      return tenantEventsOf(operations, id);
    },
  };
}

/**
 * Makes the operations over a store. Where the store lacks an optional one, the engine computes the answer.
 */
export function createOperations(options: EngineOptions, watch?: EventWatch): EventOperations {
  const { events: store, resources } = options;
  const { runtime, scheduler, memory, meter, tracer, zones } = resources;
  const timed = createTimer(meter, tracer);
  const seed = toHashSeed(runtime.randomBytes(8));
  const hash = createKeyedHash(seed);
  const answers = answersOf(store, { seed, memory, scheduler });
  const explain = createExplain({ answers, scheduler, zones });
  const compare = createCompare({ answers, scheduler, memory });

  /** Reads the clock of a zone in turns, before time is cut by it. */
  async function readClockOf(
    tenantId: string,
    by: GroupPath | TimeSeries | undefined,
    signal: Signal | undefined,
  ): Promise<void> {
    if (by !== undefined && 'unit' in by && by.zone !== undefined)
      await scheduler.run(tenantId, signal, (pacer) => readClock(by, pacer));
  }

  /** Puts an answer together from streams, piece by piece in turns. */
  async function foldStreams<T>(
    tenantId: string,
    { query, streams }: Pick<AskedSequence, 'query' | 'streams'>,
    signal: Signal | undefined,
    begin: (room: Reservation) => StreamsFold<T>,
  ): Promise<T> {
    const room = memory.reservation(tenantId);
    try {
      const fold = begin(room);
      for await (const piece of answers.streams(tenantId, query, streams, signal))
        await scheduler.run(tenantId, signal, (pacer) => fold.add(piece, pacer));
      return await scheduler.run(tenantId, signal, (pacer) => fold.finish(pacer));
    } finally {
      room.release();
    }
  }

  function requireArrivals(): void {
    if (store.since === undefined) throw new ApiError('notSupported', [ARRIVAL_ORDER]);
  }

  const since: EventOperations['since'] = async (tenantId, query, position, signal) => {
    requireArrivals();
    return timed('since', () => store.since!(tenantId, query, position, PAGE_SIZE_MAX, signal));
  };

  return {
    query: (tenantId, { query, page }, signal) =>
      timed('query', () => store.query(tenantId, query, page, signal)),
    count: (tenantId, query, signal) => timed('count', () => store.count(tenantId, query, signal)),
    export: (tenantId, { query, after }, signal) => piecesOf(store, { tenantId, query, after, signal }),
    breakdown: (tenantId, { query, grouping }, signal) =>
      timed('breakdown', async () => {
        const series = seriesOf(grouping);
        await readClockOf(tenantId, series, signal);
        // What has its own bounds may have too many buckets or cells, which is known before any work.
        if (series?.zone !== undefined) bucketsOf(series, undefined);
        return 'measures' in grouping
          ? answers.measure(tenantId, query, grouping, signal)
          : answers.breakdown(tenantId, query, grouping, signal);
      }),
    sequence: (tenantId, asked, signal) =>
      timed('sequence', async () => {
        await readClockOf(tenantId, asked.by, signal);
        return foldStreams(tenantId, asked, signal, (room) => createSequenceFold(asked, { hash, room }));
      }),
    users: (tenantId, asked, signal) =>
      timed('users', () => foldStreams(tenantId, asked, signal, (room) => createUsersFold(asked, room))),
    retention: (tenantId, asked, signal) =>
      timed('retention', async () => {
        await readClockOf(tenantId, asked.series, signal);
        return foldStreams(tenantId, asked, signal, (room) => createRetentionFold(asked, room));
      }),
    top: (tenantId, { query, ranking }, signal) =>
      timed('top', () => answers.top(tenantId, query, ranking, signal)),
    compare: (tenantId, asked, signal) => timed('compare', () => compare(tenantId, asked, signal)),
    properties: (tenantId, event, signal) =>
      timed('properties', () => answers.properties(tenantId, event, signal)),
    knowsProperties: store.properties !== undefined,
    zones,
    explain: (tenantId, asked, signal) =>
      timed('explain', async () => {
        if (asked.reading.method === 'since') requireArrivals();
        return explain(tenantId, asked, signal);
      }),
    requireArrivals,
    since,
    waitSince: (tenantId, query, position, waiting = {}) =>
      awaitArrivals((from) => since(tenantId, query, from, waiting.signal), position, {
        ...waiting,
        runtime,
      }),
    eventNames: (tenantId, signal) => timed('eventNames', () => store.eventNames(tenantId, signal)),
    storedSizes: createStoredSizes(store, scheduler),
    erase: async (tenantId, query) => {
      const erased = await inPart(tracer, { name: 'erase' }, () => store.erase(tenantId, query));
      meter.count('event_query_events_erased_total', { cause: 'request' }, erased);
      return erased;
    },
    append: createAppend(options, watch),
  };
}

/** Does work that belongs to a request, and has it recorded as a part of that where requests are traced. */
function inPart<T>(tracer: Tracer | undefined, part: TracedPart, work: () => Promise<T>): Promise<T> {
  return tracer === undefined ? work() : tracer.part(part, work);
}

/** Makes a function that measures how long the answers to questions take. */
function createTimer(meter: Meter, tracer: Tracer | undefined) {
  return async <T>(
    operation: MetricLabels<'event_query_question_duration_seconds'>['operation'],
    ask: () => Promise<T>,
  ): Promise<T> => {
    const beganAt = meter.now();
    try {
      return await inPart(tracer, { name: 'question', operation }, ask);
    } finally {
      meter.observe('event_query_question_duration_seconds', { operation }, (meter.now() - beganAt) / 1000);
    }
  };
}

/** Makes `append`: it parses a batch in scheduled turns, reserves its memory and stores its valid events. */
function createAppend(options: EngineOptions, watch: EventWatch | undefined): EventOperations['append'] {
  const { events: store, resources, eventNamesMax: namesMax = EVENT_NAMES_MAX } = options;
  const { runtime, scheduler, memory, meter, tracer } = resources;
  const newInsertId = createUuidV7(runtime);

  /** The wait for the disk needs no turn of the scheduler. */
  async function storeAll(tenantId: string, events: readonly StoredEvent[]): Promise<AppendResult> {
    if (events.length === 0) return { duplicates: [], overNames: [] };
    const beganAt = meter.now();
    const part: TracedPart = { name: 'append', events: events.length };
    const result = await inPart(tracer, part, () => store.append(tenantId, events, { namesMax }));
    meter.observe('event_query_append_duration_seconds', NO_LABELS, (meter.now() - beganAt) / 1000);
    meter.observe('event_query_append_batch_events', NO_LABELS, events.length);
    return result;
  }

  function noteReport(
    tenantId: string,
    { accepted, duplicates, rejected }: IngestReport,
    reasons: RejectReasons,
  ): void {
    const note = (result: MetricLabels<'event_query_events_ingested_total'>['result'], events: number) =>
      meter.count('event_query_events_ingested_total', { result }, events, tenantId);
    note('accepted', accepted);
    if (duplicates > 0) note('duplicate', duplicates);
    if (rejected.length === 0) return;
    note('rejected', rejected.length);
    for (const [reason, { count }] of reasons)
      meter.count('event_query_events_rejected_total', { reason }, count, tenantId);
    watch?.rejected(tenantId, reasons);
  }

  return async (tenantId, events, { idempotencyKey, signal, dryRun = false, ...from } = {}) => {
    // All of a batch arrives at one instant, however long it takes to read it.
    const receivedAt = runtime.now();
    const key = idempotencyKey === undefined ? undefined : parseIdempotencyKey(idempotencyKey, receivedAt);
    const reservation = memory.reservation(tenantId);
    const source: EventSource = { now: () => receivedAt, newInsertId };
    const batch = createBatch(from, source, key);
    try {
      await scheduler.run(tenantId, signal, async (pacer) => {
        for (const event of events) {
          const pause = pacer.yieldIfDue();
          if (pause !== undefined) await pause;
          reserveOrThrow(reservation, batch.add(isPromise(event) ? await event : event));
        }
        await pacer.yieldIfDue();
      });
      if (dryRun) return batch.dryReport();
      const report = batch.report(await storeAll(tenantId, batch.events), namesMax);
      noteReport(tenantId, report, batch.reasons);
      return report;
    } finally {
      reservation.release();
    }
  };
}

function isPromise(event: ArrivingEvent): event is Promise<EventInput> {
  return event instanceof Promise;
}

/** The questions about one tenant's events: each method parses its body and calls the operation. */
export function tenantQuestionsOf(operations: EventOperations, id: string): TenantQuestions {
  async function query<P>(body: QueryBody = {}, { signal }: AskOptions = {}): Promise<EventPage<Event<P>>> {
    const asked = parseQueryBody(body, operations.zones);
    const found = await wanted(signal, () => operations.query(id, asked, signal));
    const stored = await wanted(signal, () => collect(found));
    return { events: toEvents<P>(stored, asked.include), nextCursor: cursorAfter(asked, found) };
  }

  const userPage = async (body: UsersBody = {}, { signal }: AskOptions = {}): Promise<UserPage> => {
    const asked = parseUsersBody(body, operations.zones);
    return wanted(signal, () => operations.users(id, asked, signal));
  };

  return {
    query,
    count: async (body = {}, { signal } = {}) => {
      const asked = parseCountBody(body, operations.zones);
      return wanted(signal, () => operations.count(id, asked, signal));
    },
    breakdown: async <Body extends BreakdownBody>(body: Body, { signal }: AskOptions = {}) => {
      const asked = parseBreakdownBody(body, operations.zones);
      const found = await wanted(signal, () => operations.breakdown(id, asked, signal));
      return found as BreakdownOf<Body>;
    },
    sequence: async (body, { signal } = {}) => {
      const asked = parseSequenceBody(body, operations.zones);
      return wanted(signal, () => operations.sequence(id, asked, signal));
    },
    top: async <P>(body: TopBody, { signal }: AskOptions = {}) => {
      const asked = parseTopBody(body, operations.zones);
      const found = await wanted(signal, () => operations.top(id, asked, signal));
      return toEvents<P>(await wanted(signal, () => collect(found)), asked.include);
    },
    userPage,
    users: (body, options) => usersOf(userPage, body, options),
    retention: async (body, { signal } = {}) => {
      const asked = parseRetentionBody(body, operations.zones);
      return wanted(signal, () => operations.retention(id, asked, signal));
    },
    compare: async (body, { signal } = {}) => {
      const asked = parseCompareBody(body, operations.zones);
      return wanted(signal, () => operations.compare(id, asked, signal));
    },
    properties: ({ event } = {}, { signal } = {}) =>
      wanted(signal, () => operations.properties(id, event, signal)),
    explain: async (body = {}, { signal } = {}) => {
      const asked = parseExplainBody(body, operations.zones);
      return wanted(signal, () => operations.explain(id, asked, signal));
    },
    eventNames: ({ signal } = {}) => wanted(signal, () => operations.eventNames(id, signal)),
    pages: <P>(body?: QueryBody, options?: AskOptions) => pagesOf(query<P>, body, options),
    async *events<P>(body?: QueryBody, options?: AskOptions) {
      for await (const page of pagesOf(query<P>, body, options)) yield* page;
    },
    async *export<P>(body: ExportBody = {}, { signal }: AskOptions = {}) {
      const asked = parseExportBody(body, operations.zones);
      const pieces = operations.export(id, asked, signal);
      try {
        for (;;) {
          const { done, value } = await wanted(signal, () => pieces.next());
          if (done === true) return;
          yield* toEvents<P>(value, asked.include);
        }
      } finally {
        // Who leaves the loop ends the reading of the store, too.
        await pieces.return();
      }
    },
    since: async <P>(body: TailBody = {}, { position, signal }: SinceOptions = {}) => {
      operations.requireArrivals();
      const from = position === undefined ? undefined : parsePosition(position, 'position');
      const { query, include } = parseTailBody(body, operations.zones);
      const found = await wanted(signal, () => operations.since(id, query, from, signal));
      return { events: toEvents<P>(found.events, include), position: toPositionText(found.position) };
    },
    async *tail<P>(body: TailBody = {}, { position, signal, onPosition }: TailOptions = {}) {
      operations.requireArrivals();
      let from = position === undefined ? undefined : parsePosition(position, 'position');
      const { query, include } = parseTailBody(body, operations.zones);
      for (;;) {
        const found = await wanted(signal, () => operations.waitSince(id, query, from, { signal }));
        yield* toEvents<P>(found.events, include);
        from = found.position;
        onPosition?.(toPositionText(from));
      }
    },
  };
}

function toEvents<P>(stored: readonly StoredEvent[], include: readonly Includable[]): readonly Event<P>[] {
  return stored.map((event) => toEvent(event, include)) as readonly Event<unknown>[] as readonly Event<P>[];
}

/** The events of one tenant for an embedding program. */
export function tenantEventsOf(operations: EventOperations, id: string): TenantEvents {
  return {
    ...tenantQuestionsOf(operations, id),
    erase: async (body) => operations.erase(id, parseCountBody(body, operations.zones)),
    append: async (events, options = {}) => {
      requireList(events);
      const report = await wanted(options.signal, () => operations.append(id, events, options));
      const refusal = options.dryRun === true ? undefined : nothingAccepted(report);
      if (refusal !== undefined) throw refusal;
      return report;
    },
  };
}

/**
 * Does what is asked in process. If it ends because its signal is aborted, it throws the signal's reason. A
 * store may ignore the signal.
 */
async function wanted<T>(signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    if (signal?.aborted === true) throw aborted();
    return await work();
  } catch (error) {
    throw isAborted(error) ? (signal?.reason ?? error) : error;
  }
}

function requireList(events: unknown): void {
  if (typeof events === 'object' && events !== null && Symbol.iterator in events) return;
  throw invalid('events', `takes a list of events, got ${describeValue(events)}`);
}
