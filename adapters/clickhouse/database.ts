import { performance } from 'node:perf_hooks';
import { isApiError, unavailable, type Signal } from '../../src/index.ts';
import { createSemaphore } from '../../src/store-kit.ts';
import { toPlainError, whileAwaited, type Statement } from '../sql/index.ts';
import { nameParameters } from './parameters.ts';

/** Rows of a table, the values of each in the order of the columns. */
export type ClickhouseRows = readonly (readonly unknown[])[];

/** What every call of a client takes. */
export interface ClickhouseCall {
  /** Settings of the statement. */
  clickhouse_settings: Record<string, string | number>;
  /** Aborted when nobody waits for the answer. */
  abort_signal?: AbortSignal;
  /** Whether parameters that are too long for an address go in the body. */
  use_multipart_params_auto?: boolean;
}

/** The few methods of a client of `@clickhouse/client` that the store calls. */
export interface ClickhouseClient {
  /** Runs a statement that answers rows. */
  query(
    call: ClickhouseCall & { query: string; query_params: Record<string, unknown>; format: 'JSONEachRow' },
  ): Promise<{ json(): Promise<unknown> }>;
  /** Adds rows to a table. */
  insert(
    call: ClickhouseCall & {
      table: string;
      columns: [string, ...string[]];
      values: ClickhouseRows;
      format: 'JSONCompactEachRow';
    },
  ): Promise<unknown>;
}

/** A row of an answer, by the names of its columns. */
export type ClickhouseRow = Readonly<Record<string, unknown>>;

/** A profile of the account must not make answers less than whole, so these go with every statement. */
const ALWAYS = {
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  max_query_size: '16777216',
  lightweight_deletes_sync: 2,
  mutations_sync: 2,
};

const OF_QUESTIONS = {
  ...ALWAYS,
  // Whoever only reads is stopped when nobody listens any more.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_json_quote_64bit_integers: 0,
  // A condition on other columns than the key decides only after the first write has won.
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

/** A batch is one block, so that it is stored as a whole, and the answer comes when it is. */
const OF_INSERTS = {
  ...ALWAYS,
  async_insert: 0,
  wait_for_async_insert: 1,
  distributed_foreground_insert: 1,
  // The same batch again after its tenant was erased is no repeat of an insert.
  insert_deduplicate: 0,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1048576',
  input_format_skip_unknown_fields: 0,
};

/**
 * What the names of mistakes of a statement or of its data begin with. Everything else, a limit, a lost
 * connection, means "not now".
 */
const MISTAKES = [
  ...['SYNTAX_ERROR', 'UNKNOWN_', 'NO_SUCH_', 'NOT_FOUND_COLUMN', 'ILLEGAL_', 'TYPE_MISMATCH', 'BAD_'],
  ...['CANNOT_PARSE', 'CANNOT_CONVERT', 'INCORRECT_', 'LOGICAL_ERROR', 'NO_COMMON_TYPE', 'NUMBER_OF_'],
  ...['SIZES_OF_', 'NOT_IMPLEMENTED', 'SETTING_CONSTRAINT'],
];

/** Whether an insert was written is not known after this one, so that it is no mistake. */
const UNSURE = 'UNKNOWN_STATUS_OF_INSERT';

/** Does some work; where the engine cannot serve now, throws `unavailable` with its error as the cause. */
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
 * ClickHouse as the store uses it. Everything is for an owner, the id of a tenant, and waits for a
 * connection: one owner has at most half of those that are free. Throws `overloaded()` where others of its
 * own kept it waiting for too long.
 */
export interface ClickhouseDatabase {
  /** The rows that a statement answers. Throws `aborted()` soon after nobody waits for them any more. */
  ask(owner: string, statement: Statement, signal?: Signal): Promise<readonly ClickhouseRow[]>;
  /** Runs a statement that changes something. */
  run(owner: string, statement: Statement): Promise<void>;
  /** How long a statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Stores rows, all of them in one block. */
  insert(owner: string, table: string, columns: [string, ...string[]], rows: ClickhouseRows): Promise<void>;
}

export interface DatabaseOptions {
  /** How long a statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How many statements run at once. Default as many as connections of a client by itself, 10. */
  readonly connections?: number | undefined;
  /** Settings of this installation that go with every insert. */
  readonly insertSettings?: Readonly<Record<string, string | number>>;
}

/** How many connections a client opens unless it is told otherwise. */
const CONNECTIONS = 10;
/** How long somebody waits for a connection before a turn comes too late, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/** Puts the settings that the store relies on to every statement. */
export function createDatabase(
  client: ClickhouseClient,
  { timeoutMs, connections = CONNECTIONS, insertSettings = {} }: DatabaseOptions,
): ClickhouseDatabase {
  const bound = { max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)) };
  const semaphore = createSemaphore({
    ...{ permits: connections, waitMsMax: WAIT_MS_MAX, now: () => performance.now() },
  });
  const send = async (statement: Statement, call: ClickhouseCall) => {
    const { query, query_params } = nameParameters(statement);
    const sent = { query, query_params: { ...query_params }, format: 'JSONEachRow' as const };
    // Long operands of filters do not fit into a URL.
    const result = await client.query({ ...sent, ...call, use_multipart_params_auto: true });
    return (await result.json()) as ClickhouseRow[];
  };
  const change = (owner: string, work: () => Promise<unknown>) =>
    semaphore.run(owner, undefined, () =>
      guarded(async () => {
        await work();
      }),
    );
  return {
    timeoutMs,
    ask: (owner, statement, signal) =>
      semaphore.run(owner, signal, () => {
        // A statement of which the client lets go is ended by the server.
        const controller = new AbortController();
        const settings = { ...OF_QUESTIONS, ...bound };
        const call = { clickhouse_settings: settings, abort_signal: controller.signal };
        const end = () => controller.abort();
        return whileAwaited(signal, end, () => guarded(() => send(statement, call)));
      }),
    run: (owner, statement) => change(owner, () => send(statement, { clickhouse_settings: ALWAYS })),
    insert: (owner, table, columns, values) => {
      const settings = { ...OF_INSERTS, ...bound, ...insertSettings };
      const call = { table, columns, values, format: 'JSONCompactEachRow' as const };
      return change(owner, () => client.insert({ ...call, clickhouse_settings: settings }));
    },
  };
}
