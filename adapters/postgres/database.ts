import { isAborted, isApiError, unavailable, type Signal } from '../../src/index.ts';
import { codeOf, toPlainError, whileAwaited } from '../sql/index.ts';

/** The result of a statement. */
export interface PostgresResult {
  /** The rows, by column name; empty for a statement that returns none. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows the statement returned or changed; null if the server does not say. */
  readonly rowCount: number | null;
}

/** The one method of a client of `pg` that the stores call. */
export interface PostgresClient {
  /** Runs a statement; `values` are its parameters, from `$1` on. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection that a pool has lent. */
export interface LentClient extends PostgresClient {
  /**
   * The id of its server process, needed to cancel its statement; without it, statements are not cancelled.
   */
  readonly processID?: number | null;
  /** Returns it to the pool, which does not lend a `broken` one again. */
  release(broken?: boolean): void;
  /** If present: adds a listener for the loss of the connection, which without one would end the process. */
  on?(event: 'error', listener: () => void): unknown;
  /** Removes the listener. */
  off?(event: 'error', listener: () => void): unknown;
}

/** The few methods of a pool of `pg` that the stores call. */
export interface PostgresPool extends PostgresClient {
  /** The configuration of the pool: `max` is its largest number of connections. */
  readonly options?: { readonly max?: number | undefined };
  /** Lends a connection until it is released. */
  connect(): Promise<LentClient>;
}

/**
 * The SQLSTATE classes that indicate an error in the statement or its data. All other errors, such as a lost
 * connection, a time limit, a full disk or a standby, mean "not now".
 */
const MISTAKES = /^(0A|20|21|22|23|26|2[BDF]|34|38|39|3B|3D|3F|42|44|P0)/;

/** Runs some work; if the engine cannot serve it now, throws `unavailable` with the error as its cause. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isApiError(error) || isAborted(error)) throw error;
    const plain = toPlainError(error);
    throw MISTAKES.test(codeOf(error)) ? plain : unavailable(plain);
  }
}

/** Handles the loss of a connection between two statements: the next statement fails and reports it. */
const ignore = () => undefined;

/** Whether an error did not come from the server: the connection is lost or hangs. */
function isLost(error: unknown): boolean {
  return !isApiError(error) && !isAborted(error) && !/^[0-9A-Z]{5}$/.test(codeOf(error));
}

/**
 * How a transaction begins. Either each statement sees what was committed before it began, so that reads
 * after a lock see the state under the lock; or all statements see what was committed before the first.
 */
const BEGIN = {
  change: 'begin isolation level read committed',
  snapshot: 'begin isolation level repeatable read read only',
} as const;

/** A connection that its holder uses exclusively. */
export interface Loan extends PostgresClient {
  /** Runs some work in one transaction: everything is stored, or nothing. */
  transact<T>(kind: keyof typeof BEGIN, work: () => Promise<T>): Promise<T>;
}

/**
 * Runs some work on a connection of a pool. Soon after the signal aborts, it cancels the statement and throws
 * `aborted()`. A connection that is lost or hangs is not reused.
 */
export async function lend<T>(
  pool: PostgresPool,
  signal: Signal | undefined,
  work: (loan: Loan) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  client.on?.('error', ignore);
  let broken = false;
  const spoil = () => void (broken = true);
  const query: PostgresClient['query'] = (text, values) => {
    const end = () => {
      // The cancellation may arrive late, and would then cancel the connection's next statement.
      spoil();
      void endStatement(pool, client, text);
    };
    return whileAwaited(signal, end, () => client.query(text, values));
  };
  const loan: Loan = {
    query,
    async transact(kind, transaction) {
      try {
        await client.query(BEGIN[kind]);
        const result = await transaction();
        await client.query('commit');
        return result;
      } catch (error) {
        // A rollback on a connection that hangs would wait for it a second time.
        if (!isLost(error)) await client.query('rollback').catch(spoil);
        throw error;
      }
    },
  };
  try {
    return await work(loan);
  } catch (error) {
    if (isLost(error)) spoil();
    throw error;
  } finally {
    client.release(broken);
    client.off?.('error', ignore);
  }
}

/** How much of its text identifies a statement. */
const START_LENGTH = 60;

/**
 * Cancels a connection's statement through another connection. Behind a proxy, the process id may not be that
 * of the server, so the process must be running this statement.
 */
async function endStatement(pool: PostgresPool, { processID }: LentClient, text: string): Promise<void> {
  const end = `select pg_cancel_backend(pid) from pg_stat_activity
    where pid = $1 and state = 'active' and starts_with(query, $2)`;
  await pool.query(end, [processID, text.slice(0, START_LENGTH)]).catch(ignore);
}

/** Runs some work in one transaction on a connection of a pool. */
export function transact<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  return guarded(() => lend(pool, undefined, (loan) => loan.transact('change', () => work(loan))));
}
