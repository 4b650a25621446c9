/** What is measured, and how: a row of the table of metrics. */
export interface MetricRow {
  /** A counter only grows; a gauge is read when somebody asks; a histogram counts values by their size. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What the metric means: a whole sentence, for the answer and the documentation. */
  readonly help: string;
  /** The values that each label takes, or in words what they are where other tables hold them. */
  readonly labels: Readonly<Record<string, readonly string[] | string>>;
  /** The upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
  /** Whether it is also counted by tenant where somebody asks for that. */
  readonly perTenant?: boolean;
  /** How the gauges of several processes become one; `sum` is the default. */
  readonly across?: 'sum' | 'min' | 'max' | 'first';
}

/** The bounds for durations of requests by OpenTelemetry, with three below, as many answers take less. */
const SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075],
  ...[0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];

/** The bounds for sizes of bodies: each is four times the one before it. */
const BYTES = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

const ROUTE_LABEL = 'the path of a route, or unknown';

/**
 * The methods that count by their name. OpenTelemetry counts all others as one, as a client may invent them.
 */
export const METHOD_LABELS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'] as const;

/**
 * The one table of metrics, by the names that Prometheus shows. Names of HTTP are those of OpenTelemetry, so
 * that existing dashboards fit. No label holds a key, an address or anything else that a client chooses, and
 * none a tenant unless somebody asks for that, so the number of series has a bound.
 */
export const METRICS = {
  http_server_request_duration_seconds: {
    type: 'histogram',
    perTenant: true,
    help: 'How long requests took from their first turn until the answer was made; a tail with its wait.',
    labels: {
      http_request_method: METHOD_LABELS,
      http_route: ROUTE_LABEL,
      http_response_status_code: 'a status code; 499 for a client that has gone',
    },
    buckets: SECONDS,
  },
  http_server_request_body_size_bytes: {
    type: 'histogram',
    help: 'How many bytes the bodies of requests had that were read, as they were sent.',
    labels: { http_route: ROUTE_LABEL },
    buckets: BYTES,
  },
  http_server_response_body_size_bytes: {
    type: 'histogram',
    help: 'How many bytes the bodies of answers had.',
    labels: { http_route: ROUTE_LABEL },
    buckets: BYTES,
  },
  http_server_active_requests: {
    type: 'gauge',
    help: 'Requests that are being handled now.',
    labels: { http_request_method: METHOD_LABELS },
  },
  event_query_auth_failures_total: {
    type: 'counter',
    help: 'Requests that were refused because of who sent them.',
    labels: { reason: ['missing', 'invalid', 'token', 'session', 'permission', 'plan'] },
  },
  event_query_requests_refused_total: {
    type: 'counter',
    help: 'Requests that were refused to keep the server within its bounds.',
    labels: { reason: ['memory', 'places', 'late', 'slow_body', 'body_size', 'connections'] },
  },
  event_query_limit_decisions_total: {
    type: 'counter',
    perTenant: true,
    help: 'What limits decided: of each window, of what a tenant sends, and of each public write key.',
    labels: { window: ['minute', 'day', 'ingestion', 'write_key'], decision: ['allowed', 'refused'] },
  },
  event_query_events_ingested_total: {
    type: 'counter',
    perTenant: true,
    help: 'Events that arrived. Their sum is the number of events received in batches that could be read.',
    labels: { result: ['accepted', 'duplicate', 'rejected'] },
  },
  event_query_events_rejected_total: {
    type: 'counter',
    perTenant: true,
    help: 'Events that were rejected, by the field that was wrong; names: the tenant had too many names.',
    labels: {
      reason: [
        'eventName',
        'userId',
        'eventTs',
        'insertId',
        'properties',
        'eventDate',
        'event',
        'json',
        'names',
      ],
    },
  },
  event_query_ingest_bytes_total: {
    type: 'counter',
    perTenant: true,
    help: 'Bytes of events that arrived over HTTP, unpacked, in batches that could be read.',
    labels: {},
  },
  event_query_append_duration_seconds: {
    type: 'histogram',
    help: 'How long the store took to store a batch, until it was durable.',
    labels: {},
    buckets: SECONDS,
  },
  event_query_append_batch_events: {
    type: 'histogram',
    help: 'How many valid events a batch had.',
    labels: {},
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
  },
  event_query_writer_queue_batches: {
    type: 'gauge',
    help: 'Batches of events and other writes that wait for the disk. SQLite only.',
    labels: {},
  },
  event_query_writer_queue_bytes: {
    type: 'gauge',
    help: 'How much memory the writes have that wait for the disk. SQLite only.',
    labels: {},
  },
  event_query_events_erased_total: {
    type: 'counter',
    help: 'Events that this server erased: because somebody asked for it, or by the retention of a tenant.',
    labels: { cause: ['request', 'retention'] },
  },
  event_query_retention_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When this server last erased what tenants no longer keep, without a failure.',
    labels: {},
    across: 'max',
  },
  event_query_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the command backup last made a complete and verified copy of the file.',
    labels: {},
    across: 'max',
  },
  event_query_backup_duration_seconds: {
    type: 'gauge',
    help: 'How long that backup took, with its verification.',
    labels: {},
    across: 'max',
  },
  event_query_store_size_bytes: {
    type: 'gauge',
    help: 'The size of the SQLite file; of its write-ahead log; of the columns kept in it, a part of main.',
    labels: { part: ['main', 'wal', 'columns'] },
    across: 'max',
  },
  event_query_store_free_bytes: {
    type: 'gauge',
    help: 'The free bytes of the disk of the SQLite file.',
    labels: {},
    across: 'max',
  },
  event_query_log_reads_total: {
    type: 'counter',
    help: 'How often columns of properties were made from the events: for a question, or ahead in idle time.',
    labels: { cause: ['cold', 'ahead'] },
  },
  event_query_limiter_degraded: {
    type: 'gauge',
    help: '1 while Redis is away and each process counts limits by itself. Redis only.',
    labels: {},
    across: 'max',
  },
  event_query_log_lines_dropped_total: {
    type: 'counter',
    help: 'Lines of the log that were dropped because nobody read stderr.',
    labels: {},
  },
  event_query_question_duration_seconds: {
    type: 'histogram',
    help: 'How long the store took to answer a question, with the waits for its turns.',
    labels: {
      operation: [
        'query',
        'count',
        'breakdown',
        'sequence',
        'retention',
        'compare',
        'users',
        'top',
        'properties',
        'eventNames',
        'since',
        'explain',
      ],
    },
    buckets: SECONDS,
  },
  event_query_answered_events_total: {
    type: 'counter',
    perTenant: true,
    help: 'Events in answers, over HTTP.',
    labels: { operation: ['query', 'top', 'tail', 'export'] },
  },
  event_query_scheduler_wait_seconds: {
    type: 'histogram',
    help: 'How long work waited for a turn. Work that did not wait is not counted.',
    labels: {},
    buckets: SECONDS,
  },
  event_query_tail_waiting: {
    type: 'gauge',
    help: 'Answers of the tail that wait for events.',
    labels: {},
  },
  event_query_memory_booked_bytes: {
    type: 'gauge',
    help: 'How much of the memory budget is reserved, with all caches.',
    labels: {},
  },
  event_query_memory_limit_bytes: {
    type: 'gauge',
    help: 'The memory budget now. It shrinks while the process holds more memory than is reserved.',
    labels: {},
  },
  event_query_column_cache_bytes: {
    type: 'gauge',
    help: 'How much memory holds columns, orders and written pages, which can be made again.',
    labels: {},
  },
  event_query_column_cache_limit_bytes: {
    type: 'gauge',
    help: 'How much memory columns, orders and written pages could have now.',
    labels: {},
  },
  event_query_column_cache_evictions_total: {
    type: 'counter',
    help: 'Columns, orders and written pages that had to make room for others.',
    labels: {},
  },
  event_query_workers: {
    type: 'gauge',
    help: 'Processes that serve now.',
    labels: {},
  },
  event_query_worker_restarts_total: {
    type: 'counter',
    help: 'Workers that ended by themselves and were replaced.',
    labels: {},
  },
  event_query_build_info: {
    type: 'gauge',
    help: 'Always 1. The labels say what runs.',
    labels: {
      version: 'the version of event-query',
      node: 'the version of Node',
      store: 'the kind of store',
    },
    across: 'first',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** The names of the metrics of a type. */
export type MetricOf<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];

/** The labels of a metric, each with one of its values. */
export type MetricLabels<N extends MetricName> = {
  readonly [
    L in keyof (typeof METRICS)[N]['labels']
  ]: (typeof METRICS)[N]['labels'][L] extends readonly (infer V)[] ? V : string;
};

/** Where the parts of a process report what they did. */
export interface Meter {
  /** A clock for durations, in milliseconds. Where nothing is measured it stands still. */
  now(): number;
  /** Adds to a counter, 1 by default; `tenantId` says for whom, where it counts by tenant. */
  count<N extends MetricOf<'counter'>>(
    name: N,
    labels: MetricLabels<N>,
    by?: number,
    tenantId?: string,
  ): void;
  /** Adds a value to a histogram; `tenantId` as for `count`. Durations are in seconds. */
  observe<N extends MetricOf<'histogram'>>(
    name: N,
    labels: MetricLabels<N>,
    value: number,
    tenantId?: string,
  ): void;
  /** Takes note of the alias of a tenant that exists. Absent: nothing is counted by tenant. */
  meetTenant?: ((tenantId: string, alias: string) => void) | undefined;
  /**
   * Reads a gauge whenever somebody asks; undefined while it has no value. Several readings under the same
   * labels are added.
   */
  gauge<N extends MetricOf<'gauge'>>(name: N, labels: MetricLabels<N>, read: () => number | undefined): void;
}

/** The meter of a process in which nobody asks for metrics. */
export const SILENT_METER: Meter = {
  now: () => 0,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
};

/** The labels of a metric that has none, and of those alone. */
export const NO_LABELS = {} as const;

/** The method of a request, as it is counted. */
export function toMethodLabel(method: string): (typeof METHOD_LABELS)[number] {
  return METHOD_LABELS.find((each) => each === method) ?? '_OTHER';
}
