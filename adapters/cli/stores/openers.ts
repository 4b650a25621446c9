import type { Logger, Resources, Stores } from '../../../src/index.ts';
import { clickhouseEvents } from '../../clickhouse/index.ts';
import { memoryRateLimiter } from '../../memory/index.ts';
import { postgresStores } from '../../postgres/index.ts';
import { redisRateLimiter } from '../../redis/index.ts';
import { checkSqlite, sqliteStores, type SchemaUse } from '../../sqlite/index.ts';
import { note } from '../print/output.ts';
import { loadPackage, loadSqlite } from './drivers.ts';
import { endRedis } from './end-redis.ts';
import { isThere, makeFile, reserveBytesOf } from './sqlite-file.ts';
import { splitCluster, splitReplica } from './server-url.ts';
import { showStoreUrl, type StoreKind, type StoreUrl } from './store-url.ts';

/**
 * What a command may do with a file: `existing` needs an existing one, `create` and `serve` may create one,
 * and `check` only tests whether a server could open it.
 */
export type FileUse = 'existing' | 'create' | 'serve' | 'check';

/** The stores that one place provides. */
export type OpenedStores = Partial<Stores> &
  Pick<Stores, 'ready' | 'close'> & {
    /** Whether a server that is not strictly needed, such as Redis, is unavailable now. */
    readonly isAway?: () => boolean;
  };

type Opener = (url: StoreUrl, resources: Resources, use: FileUse) => Promise<OpenedStores>;

/** What a command may do with the schema, by what it may do with the file. */
const SCHEMA_USES: Readonly<Record<FileUse, SchemaUse>> = {
  existing: 'keep',
  create: 'begin',
  // A server migrates an older file before, after a copy of it.
  serve: 'begin',
  check: 'keep',
};

/** How long connecting to a database server may take, and one statement. */
const CONNECT_MS = 2_000;
const STATEMENT_MS = 30_000;
/** The message about an unavailable Redis: the limits work without it. */
const AWAY = 'away: each process counts limits by itself until it is back';

/** Logs once that there is trouble with the file, and once that it is over. */
const sayTrouble = (log: Logger, file: string) => (trouble: string | undefined) => {
  if (trouble === undefined) log.info({ file }, 'the file has recovered');
  else log.error({ file }, trouble);
};

const done = (): Promise<void> => Promise.resolve();

/** Returns what `make` makes; when it fails, closes the connection. */
export async function orClose<T>(make: () => Promise<T>, close: () => Promise<unknown>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Makes stores that own their connection: it is closed with them, and when making them fails. */
async function owning<T extends object>(make: () => Promise<T>, close: () => Promise<void>) {
  return { ...(await orClose(make, close)), close };
}

/** Opens each kind of place. A server writes its file in a thread, a command does not. */
export const OPENERS: Readonly<Record<StoreKind, Opener>> = {
  sqlite: async ({ address: file }, resources, use) => {
    const isServer = use === 'serve';
    const { name, connect } = await loadSqlite();
    if (use === 'check') {
      if (isThere(file)) checkSqlite(() => connect(file));
      return { ready: done, close: done };
    }
    if (use !== 'existing') makeFile(file);
    return sqliteStores({
      schema: SCHEMA_USES[use],
      connect: () => connect(file),
      resources,
      writer: isServer ? 'thread' : 'inline',
      thread: { driver: name, file },
      prepareColumns: isServer,
      reserveBytes: reserveBytesOf(file),
      ...(isServer && { onTrouble: sayTrouble(resources.log, file) }),
    });
  },

  memory: (_url, { runtime }) =>
    Promise.resolve({ limits: memoryRateLimiter(runtime), ready: done, close: done }),

  postgres: async ({ address }, resources) => {
    const { default: pg } = await loadPackage('pg', () => import('pg'));
    const open = (connectionString: string) => {
      const pool = new pg.Pool({
        connectionString,
        connectionTimeoutMillis: CONNECT_MS,
        statement_timeout: STATEMENT_MS,
        // A server that hangs does not enforce its own statement timeout.
        query_timeout: STATEMENT_MS + CONNECT_MS,
      });
      // The pool replaces a lost idle connection when it needs one.
      pool.on('error', () => undefined);
      return pool;
    };
    const { main, replica } = splitReplica(address);
    const pool = open(main);
    const reader = replica === undefined ? undefined : open(replica);
    return owning(
      () => postgresStores({ pool, resources, ...(reader && { reader }) }),
      async () => {
        await Promise.all([pool.end(), reader?.end()]);
      },
    );
  },

  clickhouse: async ({ address }, resources) => {
    const { ClickHouseLogLevel, createClient } = await loadPackage(
      '@clickhouse/client',
      () => import('@clickhouse/client'),
    );
    const { url, ...options } = splitCluster(address);
    const client = createClient({
      url,
      request_timeout: STATEMENT_MS,
      log: { level: ClickHouseLogLevel.OFF },
    });
    return owning(
      () => clickhouseEvents({ client, timeoutMs: STATEMENT_MS, ...options, resources }),
      () => client.close(),
    );
  },

  redis: async (url, { runtime, meter }) => {
    const { createClient } = await loadPackage('redis', () => import('redis'));
    const client = createClient({
      url: url.address,
      disableOfflineQueue: true,
      socket: { connectTimeout: CONNECT_MS, reconnectStrategy: (tries) => Math.min(1000, 50 * 2 ** tries) },
    });
    client.on('error', () => undefined);
    const say = (away: boolean) => note(`${showStoreUrl(url)} is ${away ? AWAY : 'back'}`);
    // Our server also starts without Redis; the client keeps trying to connect.
    const first = new Promise((resolve) => client.once('ready', resolve).once('error', resolve));
    client.connect().catch(() => undefined);
    await first;
    if (!client.isReady) say(true);
    let isAway = false;
    const limits = redisRateLimiter({
      send: (args) => client.sendCommand(args),
      clock: runtime,
      onChange: (away) => {
        isAway = away;
        say(away);
      },
    });
    meter.gauge('event_query_limiter_degraded', {}, () => (isAway || !client.isReady ? 1 : 0));
    return {
      limits,
      ready: done,
      isAway: () => !client.isReady,
      close: () => Promise.resolve(endRedis(client)),
    };
  },
};
