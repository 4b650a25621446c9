/**
 * A server put together from the built library, with a clock and a store that the test moves. It reads one
 * line of JSON each from its standard input: `{"nowMs": n}` sets the clock, which stands still from then on,
 * `{"hang": "query" | "append" | null}` makes that method of the event store never answer for the tenant
 * whose alias is `stuck`. It answers each line with `done`.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { pino, destination } from 'pino';
import type { EventStore, Resources } from '../../../src/index.ts';
import { DIST } from '../../support/built.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

interface Wishes {
  nowMs: number | null;
  hang: 'query' | 'append' | null;
}

const load = (name: string) => import(pathToFileURL(join(DIST, name)).href) as Promise<unknown>;
const { createApi } = (await load('index.js')) as typeof import('../../../src/index.ts');
const { createNodeServer, nodeResources } = (await load(
  'node-http.js',
)) as typeof import('../../../adapters/node-http/index.ts');
const { sqliteStores } = (await load('sqlite.js')) as typeof import('../../../adapters/sqlite/index.ts');
const { joseTokenVerifier } = (await load('jose.js')) as typeof import('../../../adapters/jose/index.ts');

const { values } = parseArgs({
  options: {
    db: { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    'handler-timeout-ms': { type: 'string', default: '30000' },
    'close-timeout-ms': { type: 'string', default: '10000' },
  },
});

const wishes: Wishes = { nowMs: null, hang: null };
const own = nodeResources({ log: pino(destination({ dest: 2, sync: true })) });
const now = () => wishes.nowMs ?? own.runtime.now();
const resources: Resources = { ...own, runtime: { ...own.runtime, now } };
const stores = sqliteStores({
  connect: () => new Database(values.db),
  resources,
});
const stuck = (await recordsIn(stores.control).tenants.findByAlias('stuck'))?.id;

/** Never answers where the test wishes so. */
function hangOn<A extends unknown[], T>(
  name: Wishes['hang'],
  method: (tenantId: string, ...rest: A) => Promise<T>,
) {
  return (tenantId: string, ...rest: A): Promise<T> =>
    wishes.hang === name && tenantId === stuck ? new Promise(() => undefined) : method(tenantId, ...rest);
}

const { events } = stores;
const hanging: EventStore = {
  ...events,
  query: hangOn('query', (...args: Parameters<EventStore['query']>) => events.query(...args)),
  append: hangOn('append', (...args: Parameters<EventStore['append']>) => events.append(...args)),
};
const api = createApi({ stores: { ...stores, events: hanging }, tokens: joseTokenVerifier(), resources });
const server = createNodeServer({
  api,
  handlerTimeoutMs: Number(values['handler-timeout-ms']),
  closeTimeoutMs: Number(values['close-timeout-ms']),
});
const { port } = await server.listen({ host: '127.0.0.1', port: Number(values.port) });

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  Object.assign(wishes, JSON.parse(line) as Partial<Wishes>);
  console.log('done');
});
process.once('SIGTERM', () => {
  void server
    .close()
    .then(() => stores.close())
    .then(() => input.close())
    .then(() => process.stdin.destroy());
});
console.log(`listening on http://127.0.0.1:${port}`);
