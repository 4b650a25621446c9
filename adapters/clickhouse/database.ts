import { performance } from 'node:perf_hooks';
import { isApiError, unavailable, type Signal } from '../../src/index.ts';
import { createQueuedLimit } from '../../src/store-kit.ts';
import { toPlainError, whileAwaited, type Statement } from '../sql/index.ts';
import { nameParameters } from './parameters.ts';

/** Rows of a table, with the values of each in column order. */
export type ClickhouseRows = readonly (readonly unknown[])[];

/** The options of every client call. */
export interface ClickhouseCall {
  /** Settings of the statement. */
  clickhouse_settings: Record<string, string | number>;
  /** Aborted when the caller no longer waits for the answer. */
  abort_signal?: AbortSignal;
  /** Whether parameters that are too long for a URL go in the body. */
  use_multipart_params_auto?: boolean;
}

/** The few methods of a client of `@clickhouse/client` that the store calls. */
export interface ClickhouseClient {
  /** Runs a statement that returns rows. */
  query(
    call: ClickhouseCall & { query: string; query_params: Record<string, unknown>; format: 'JSONEachRow' },
  ): Promise<{ json(): Promise<unknown>; stream(): AsyncIterable<readonly { json(): unknown }[]> }>;
  /** Inserts rows into a table. */
  insert(
    call: ClickhouseCall & {
      table: string;
      columns: [string, ...string[]];
      values: ClickhouseRows;
      format: 'JSONCompactEachRow';
    },
  ): Promise<unknown>;
}

/** A result row, by column name. */
export type ClickhouseRow = Readonly<Record<string, unknown>>;

/** These settings accompany every statement, because the account's profile must not truncate answers. */
const ALWAYS = {
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  max_query_size: '16777216',
  lightweight_deletes_sync: 2,
  mutations_sync: 2,
};

const OF_QUESTIONS = {
  ...ALWAYS,
  // The server stops a statement that only reads when its client disconnects.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 0,
  // A condition on columns outside the key is applied only after the first write of each event has been
  // selected.
  optimize_move_to_prewhere_if_final: 0,
  timeout_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  count_distinct_implementation: 'uniqExact',
  set_overflow_mode: 'throw',
};

/** A batch is one block, so that it is stored atomically, and the server responds once it is stored. */
const OF_INSERTS = {
  ...ALWAYS,
  async_insert: 0,
  wait_for_async_insert: 1,
  distributed_foreground_insert: 1,
  // The same batch sent again after its tenant was erased is not a repeated insert.
  insert_deduplicate: 0,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1048576',
  input_format_skip_unknown_fields: 0,
};

/**
 * Prefixes of the names of errors in a statement or its data. All other errors, such as a limit or a lost
 * connection, mean "not now".
 */
const MISTAKES = [
  ...['SYNTAX_ERROR', 'UNKNOWN_', 'NO_SUCH_', 'NOT_FOUND_COLUMN', 'ILLEGAL_', 'TYPE_MISMATCH', 'BAD_'],
  ...['CANNOT_PARSE', 'CANNOT_CONVERT', 'INCORRECT_', 'LOGICAL_ERROR', 'NO_COMMON_TYPE', 'NUMBER_OF_'],
  ...['SIZES_OF_', 'NOT_IMPLEMENTED', 'SETTING_CONSTRAINT'],
];

/** After this error it is unknown whether the insert was written, so it does not count as a mistake. */
const UNSURE = 'UNKNOWN_STATUS_OF_INSERT';

/** Runs some work; if the engine cannot serve it now, throws `unavailable` with the error as its cause. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? String(error.type) : '';
    const isMistake = type !== UNSURE && MISTAKES.some((start) => type.startsWith(start));
    if (isApiError(error)) throw error;
    const plain = toPlainError(error);
    throw isMistake ? plain : unavailable(plain);
  }
}

/**
 * ClickHouse as the store uses it. Every call belongs to an owner, the id of a tenant, and waits for a
 * connection: one owner gets at most half of the free ones. Throws `overloaded()` if an owner's other calls
 * kept it waiting for too long.
 */
export interface ClickhouseDatabase {
  /** The rows that a statement returns. Throws `aborted()` soon after the signal aborts. */
  ask(owner: string, statement: Statement, signal?: Signal): Promise<readonly ClickhouseRow[]>;
  /** Tells the rows that a statement returns, as they come; `tell` resolves when more may come. */
  read(
    owner: string,
    statement: Statement,
    tell: (rows: readonly ClickhouseRow[]) => Promise<void>,
    signal?: Signal,
  ): Promise<void>;
  /** Runs a statement that changes something. */
  run(owner: string, statement: Statement): Promise<void>;
  /** How long a statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Stores rows in one block. */
  insert(owner: string, table: string, columns: [string, ...string[]], rows: ClickhouseRows): Promise<void>;
}

export interface DatabaseOptions {
  /** How long a statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How many statements run at once. Default: the client's default number of connections, 10. */
  readonly connections?: number | undefined;
  /** Installation-specific settings for every insert. */
  readonly insertSettings?: Readonly<Record<string, string | number>>;
}

/** The client's default number of connections. */
const CONNECTIONS = 10;
/** How long a request waits for a connection before it fails, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/** Adds the settings that the store relies on to every statement. */
export function createDatabase(
  client: ClickhouseClient,
  { timeoutMs, connections = CONNECTIONS, insertSettings = {} }: DatabaseOptions,
): ClickhouseDatabase {
  const bound = { max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)) };
  const limit = createQueuedLimit(connections, { waitMsMax: WAIT_MS_MAX, now: () => performance.now() });
  const send = (statement: Statement, call: ClickhouseCall) => {
    const { query, query_params } = nameParameters(statement);
    const sent = { query, query_params: { ...query_params }, format: 'JSONEachRow' as const };
    // Long operands of filters do not fit into a URL.
    return client.query({ ...sent, ...call, use_multipart_params_auto: true });
  };
  const sendForRows = async (statement: Statement, call: ClickhouseCall) =>
    (await (await send(statement, call)).json()) as ClickhouseRow[];
  /** Runs a question; the server cancels its statement when the client disconnects. */
  const question = <T>(
    owner: string,
    signal: Signal | undefined,
    work: (call: ClickhouseCall) => Promise<T>,
  ): Promise<T> =>
    limit.run(owner, signal, () => {
      const controller = new AbortController();
      const settings = { ...OF_QUESTIONS, ...bound };
      const call = { clickhouse_settings: settings, abort_signal: controller.signal };
      const end = () => controller.abort();
      return whileAwaited(signal, end, () => guarded(() => work(call)));
    });
  const change = (owner: string, work: () => Promise<unknown>) =>
    limit.run(owner, undefined, () =>
      guarded(async () => {
        await work();
      }),
    );
  return {
    timeoutMs,
    ask: (owner, statement, signal) => question(owner, signal, (call) => sendForRows(statement, call)),
    read: (owner, statement, tell, signal) =>
      question(owner, signal, async (call) => {
        for await (const rows of (await send(statement, call)).stream())
          await tell(rows.map((row) => row.json() as ClickhouseRow));
      }),
    run: (owner, statement) => change(owner, () => sendForRows(statement, { clickhouse_settings: ALWAYS })),
    insert: (owner, table, columns, values) => {
      const settings = { ...OF_INSERTS, ...bound, ...insertSettings };
      const call = { table, columns, values, format: 'JSONCompactEachRow' as const };
      return change(owner, () => client.insert({ ...call, clickhouse_settings: settings }));
    },
  };
}
