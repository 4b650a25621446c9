import { createNodeServer, nodeRuntime } from '../../adapters/node-http/index.ts';
import { ApiError, createAdmin, createApi, type Limits } from '../../src/index.ts';
import { sampleEvents } from '../events.ts';
import { openSqlite } from '../store/own-peers.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

const ALIAS = 'bench';

/** The whole service on a SQLite file: keys, plans and limits are looked at for every request. */
export async function startEventQuery(
  { folder, rows }: ServerStart,
  limits: Limits | null,
): Promise<ServerStarted> {
  const runtime = nodeRuntime();
  const stores = openSqlite(folder);
  const admin = createAdmin({ stores, runtime });
  const tenant = await admin.createTenant({ alias: ALIAS, plan: 'custom', limits });
  const { secret } = await admin.createKey(ALIAS, { name: 'bench', permissions: ['query'] });
  let batch = [];
  for (const event of sampleEvents(rows)) {
    if (batch.push(event) < 2000) continue;
    await stores.events.append(tenant.id, batch);
    batch = [];
  }
  if (batch.length > 0) await stores.events.append(tenant.id, batch);
  const log = { info: () => undefined, error: (fields: unknown) => console.error(fields) };
  const tokens = { verify: () => Promise.reject(new ApiError('invalidToken')) };
  const { handler } = createApi({ stores, tokens, runtime, log });
  const { port } = await createNodeServer({ handler, log }).listen({ host: '127.0.0.1', port: 0 });
  return { port, secret };
}
