/**
 * A server in a process of its own, whose clock the test moves. What it serves is what
 * `event-query serve --dashboard` puts together; the pages are those of the build.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import * as client from 'openid-client';
import pg from 'pg';
import { createNodeServer, nodeResources } from '../../adapters/node-http/index.ts';
import { oidcProvider } from '../../adapters/oidc/index.ts';
import { postgresStores } from '../../adapters/postgres/index.ts';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { createApi, type RoleRule, type Stores } from '../../src/index.ts';
import { DIST } from '../support/built.ts';

/** What the process is started with. */
export interface OidcServerSettings {
  /** A file, or the address of a PostgreSQL. */
  readonly db: string;
  readonly issuer: string;
  readonly roles: readonly RoleRule[];
  readonly sealingSecret?: string;
  /** How far its clock is moved when it begins. */
  readonly offsetMs: number;
}

const settings = JSON.parse(process.env.OIDC_TEST_SERVER!) as OidcServerSettings;
let { offsetMs } = settings;
const errors: string[] = [];
const log = {
  info: () => undefined,
  error: ({ err }: Readonly<Record<string, unknown>>) => void errors.push(String(err)),
};
const own = nodeResources({ log });
const resources = { ...own, runtime: { ...own.runtime, now: () => Date.now() + offsetMs } };
const { db } = settings;
const stores: Stores = db.startsWith('postgres:')
  ? await postgresStores({
      pool: new pg.Pool({ connectionString: db, allowExitOnIdle: true }),
      resources,
    })
  : sqliteStores({ connect: () => new Database(db), resources, writer: 'inline' });
await stores.ready();
/** The package, which waits for the provider for as long as a busy machine may need. */
const patient: typeof client = {
  ...client,
  discovery: (server, id, metadata, authentication, options) =>
    client.discovery(server, id, metadata, authentication, { ...options, timeout: 60 }),
};
const provider = oidcProvider({
  ...{
    client: patient,
    issuer: settings.issuer,
    clientId: 'dash',
    clientSecret: 'a secret that only two know',
  },
  sealingSecret: settings.sealingSecret,
});
const api = createApi({ stores, resources, signIn: { provider, roles: settings.roles } });
const pages = pathToFileURL(join(DIST, 'dashboard.js')).href;
const { withDashboard } = (await import(pages)) as typeof import('../../adapters/dashboard/index.ts');
const server = createNodeServer({ api: withDashboard(api) });
const { port } = await server.listen({ host: '127.0.0.1', port: 0 });

process.on('message', (order: { readonly advanceMs?: number; readonly end?: true }) => {
  if (order.advanceMs !== undefined) offsetMs += order.advanceMs;
  if (order.end !== true) return void process.send!({ answer: { errors } });
  void server
    .close()
    .then(() => stores.close())
    .then(() => process.exit());
});
process.once('disconnect', () => process.exit());
process.send!({ port });
