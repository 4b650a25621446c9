import { isApiError, unavailable } from '../../src/index.ts';

/** What a statement answers. */
export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** The one method of a client of `pg` that the stores call. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** The few methods of a pool of `pg` that the stores call. */
export interface PostgresPool extends PostgresClient {
  connect(): Promise<PostgresClient & { release(broken?: boolean): void }>;
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw isApiError(error) || MISTAKES.test(code) ? error : unavailable(error);
  }
}

/** Runs `work` in one transaction: all of it is stored, or nothing. */
export function transact<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  return guarded(async () => {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      broken = false;
      return result;
    } catch (error) {
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      // A connection on which even that failed is not given to anybody else.
      client.release(broken);
    }
  });
}
