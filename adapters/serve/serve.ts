import {
  createApi,
  requireOptions,
  type Api,
  type ApiOptions,
  type Logger,
  type Resources,
} from '../../src/index.ts';
import { createNodeServer, nodeResources } from '../node-http/index.ts';
import { sdkProtocols } from '../sdks/index.ts';
import { sqliteStores, wrongFileName, type SqliteDatabase } from '../sqlite/index.ts';
import { storeCountsRegularly } from './counts.ts';
import { eraseRegularly } from './retention.ts';

/**
 * The file to serve and the address to listen on. The other options are those of `createApi`; without
 * `protocols`, all of `event-query/sdks` are served.
 */
export interface ServeOptions extends Omit<ApiOptions, 'stores' | 'resources'> {
  /** The SQLite file that stores everything. It is created if it does not exist; its folder must exist. */
  readonly file: string;
  /** The database class of a driver: `Database` of better-sqlite3 or `DatabaseSync` of node:sqlite. */
  readonly driver: new (file: string) => SqliteDatabase;
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The port; 0 picks a free one. Default 8787. */
  readonly port?: number;
  /** Hosts of which each request is one below a path, as in `createNodeServer`. Default: none. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** The memory budget in bytes. Default 512 MiB. */
  readonly memoryMax?: number;
  /** The logger. The default writes errors to the console, and nothing else. */
  readonly log?: Logger;
  /** Where requests are traced, such as `openTelemetryTracer(api)`. Default: nowhere. */
  readonly tracer?: Resources['tracer'];
}

/** A running server on a file. */
export interface ServedFile {
  /** The address of the API. */
  readonly url: string;
  /** The served API, with which the program itself reaches tenants, keys and events. */
  readonly api: Api;
  /** Gives open requests 10 seconds to finish, and closes the file. */
  close(): Promise<void>;
}

/**
 * Serves the whole API on one SQLite file, and erases expired events. Rejects if the file cannot be opened or
 * the address is not available; it then leaves nothing open.
 *
 * @example
 * ```ts
 * import Database from 'better-sqlite3';
 * import { serve } from 'event-query/serve';
 *
 * const { api, url, close } = await serve({ file: 'served.db', driver: Database, port: 0 });
 * const tenants = await api.admin.listTenants();
 * if (tenants.length === 0) await api.admin.createTenant({ alias: 'shop', plan: 'free' });
 * const body = JSON.stringify([{ eventName: 'signed_up', userId: 'ada', insertId: 'first', eventTs: 1e12 }]);
 * const headers = { 'Content-Type': 'application/json' };
 * const answer = await fetch(`${url}/v1/events/shop/multi`, { method: 'POST', headers, body });
 * console.log(answer.status);
 * // prints: 200
 * await close();
 * ```
 */
export async function serve(options: ServeOptions): Promise<ServedFile> {
  requireOptions('serve', options, [], {
    file: { such: "'events.db'", type: 'string' },
    driver: { such: "Database of 'better-sqlite3'", type: 'function' },
  });
  const {
    file,
    driver: Driver,
    host = '127.0.0.1',
    port = 8787,
    memoryMax,
    log,
    tracer,
    ...others
  } = options;
  const { hosts = {}, ...asked } = others;
  const wrong = wrongFileName(file);
  if (wrong !== undefined) throw new TypeError(`serve: file takes ${wrong}`);
  const resources = nodeResources({ ...(memoryMax && { memoryMax }), ...(log && { log }), tracer });
  const stores = sqliteStores({ connect: () => new Driver(file), resources });
  const api = createApi({ stores, resources, protocols: sdkProtocols(), ...asked });
  const server = createNodeServer({ api, hosts });
  let address: { readonly port: number };
  try {
    address = await server.listen({ host, port });
  } catch (error) {
    await stores.close();
    throw error;
  }
  const retention = eraseRegularly(api.eraseExpired, resources.log, {});
  const refusals = storeCountsRegularly(api);
  const shutDown = async () => {
    const stopped = retention.stop();
    await server.close();
    // The stores must stay open until a running erasure has ended.
    await stopped;
    await refusals.stop();
    await stores.close();
  };
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    api,
    close: () => (closed ??= shutDown()),
  };
}
