import { isAborted, isApiError, unavailable, type Signal } from '../../src/index.ts';
import { codeOf, toPlainError, whileAwaited } from '../sql/index.ts';

/** What a statement answers. */
export interface PostgresResult {
  /** The rows of the answer, by the names of their columns; empty for a statement that gives none. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows the statement gave or changed; null where the server does not say. */
  readonly rowCount: number | null;
}

/** The one method of a client of `pg` that the stores call. */
export interface PostgresClient {
  /** Runs a statement; `values` are its parameters, from `$1` on. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection that a pool has lent. */
export interface LentClient extends PostgresClient {
  /** The number of its process in the server, by which its statement is ended; without it none is. */
  readonly processID?: number | null;
  /** Gives it back; one that is `broken` is not lent again. */
  release(broken?: boolean): void;
  /** Where there is one: listens for the loss of the connection, which ends a process where nobody does. */
  on?(event: 'error', listener: () => void): unknown;
  /** Listens no longer. */
  off?(event: 'error', listener: () => void): unknown;
}

/** The few methods of a pool of `pg` that the stores call. */
export interface PostgresPool extends PostgresClient {
  /** How it was made: `max` is how many connections it has at most. */
  readonly options?: { readonly max?: number | undefined };
  /** Lends one connection until it is released. */
  connect(): Promise<LentClient>;
}

/**
 * The classes of SQLSTATE that mean a mistake of the statement or of its data. Everything else, a lost
 * connection, a time limit, a full disk, a standby, means "not now".
 */
const MISTAKES = /^(0A|20|21|22|23|26|2[BDF]|34|38|39|3B|3D|3F|42|44|P0)/;

/** Does some work; where the engine cannot serve now, throws `unavailable` with its error as the cause. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isApiError(error) || isAborted(error)) throw error;
    const plain = toPlainError(error);
    throw MISTAKES.test(codeOf(error)) ? plain : unavailable(plain);
  }
}

/** For the loss of a connection between two statements: the next one is told of it. */
const ignore = () => undefined;

/** Whether an error is no answer of the server: its connection is lost, or hangs. */
function isLost(error: unknown): boolean {
  return !isApiError(error) && !isAborted(error) && !/^[0-9A-Z]{5}$/.test(codeOf(error));
}

/**
 * How a transaction begins: so that each statement sees what was committed before it began, and what is read
 * behind a lock is as the lock found it; or so that all see what was committed before the first.
 */
const BEGIN = {
  change: 'begin isolation level read committed',
  snapshot: 'begin isolation level repeatable read read only',
} as const;

/** A connection that is its holder's alone meanwhile. */
export interface Loan extends PostgresClient {
  /** Does some work in one transaction: all of it is stored, or nothing. */
  transact<T>(kind: keyof typeof BEGIN, work: () => Promise<T>): Promise<T>;
}

/**
 * Does some work on a connection of a pool; soon after nobody waits for it any more, its statement is ended,
 * and it throws `aborted()`. A connection that is lost or hangs is given to nobody else.
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
      // What ends it may come late, and would end what the connection is asked next.
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
        // A connection that hangs would be waited for a second time.
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

/** How much of a statement tells it from others. */
const START_LENGTH = 60;

/**
 * Ends what a connection is asked, by another one. Behind a proxy its number is not that of the server's
 * process, so that the process must be at this statement.
 */
async function endStatement(pool: PostgresPool, { processID }: LentClient, text: string): Promise<void> {
  const end = `select pg_cancel_backend(pid) from pg_stat_activity
    where pid = $1 and state = 'active' and starts_with(query, $2)`;
  await pool.query(end, [processID, text.slice(0, START_LENGTH)]).catch(ignore);
}

/** Does some work in one transaction on a connection of a pool. */
export function transact<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  return guarded(() => lend(pool, undefined, (loan) => loan.transact('change', () => work(loan))));
}
