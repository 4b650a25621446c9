import { isApiError, unavailable } from '../../src/index.ts';
import { codeOf, toPlainError } from '../sql/index.ts';

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
  /** Gives it back; one that is `broken` is not lent again. */
  release(broken?: boolean): void;
  /** Where there is one: listens for the loss of the connection, which ends a process where nobody does. */
  on?(event: 'error', listener: () => void): unknown;
  /** Listens no longer. */
  off?(event: 'error', listener: () => void): unknown;
}

/** The few methods of a pool of `pg` that the stores call. */
export interface PostgresPool extends PostgresClient {
  /** Lends one connection until it is released. */
  connect(): Promise<LentClient>;
  /** Closes all connections, once they are idle. */
  end(): Promise<void>;
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
    if (isApiError(error)) throw error;
    const plain = toPlainError(error);
    throw MISTAKES.test(codeOf(error)) ? plain : unavailable(plain);
  }
}

/** For the loss of a connection between two statements: the next one is told of it. */
const ignore = () => undefined;

/** Whether an error is no answer of the server: its connection is lost, or hangs. */
function isLost(error: unknown): boolean {
  return !isApiError(error) && !/^[0-9A-Z]{5}$/.test(codeOf(error));
}

/**
 * Runs `work` in one transaction: all of it is stored, or nothing. Each statement sees what was committed
 * before it began, so that what is read behind a lock is as the lock found it.
 */
export function transact<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  return guarded(async () => {
    const client = await pool.connect();
    client.on?.('error', ignore);
    let broken = true;
    try {
      await client.query('begin isolation level read committed');
      const result = await work(client);
      await client.query('commit');
      broken = false;
      return result;
    } catch (error) {
      const rollBack = () =>
        client.query('rollback').then(
          () => false,
          () => true,
        );
      // A connection that hangs would be waited for a second time.
      broken = isLost(error) || (await rollBack());
      throw error;
    } finally {
      // A connection on which even that failed is not given to anybody else.
      client.release(broken);
      client.off?.('error', ignore);
    }
  });
}
