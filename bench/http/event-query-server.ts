import { performance } from 'node:perf_hooks';
import { createNodeServer, nodeRuntime } from '../../adapters/node-http/index.ts';
import { ApiError, createAdmin, createApi, leasedLimiter, type Limits } from '../../src/index.ts';
import { sampleEvents } from '../events.ts';
import { openSqlite } from '../store/own-peers.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

/**
 * The whole service on a SQLite file, as `serve` puts it together: keys, plans and limits are looked at for
 * every request. Each tenant has the events and a key; the secrets are answered in their order.
 */
export async function startEventQuery(
  { folder, rows }: ServerStart,
  limits: Limits | null,
  aliases: readonly string[] = ['bench'],
): Promise<ServerStarted> {
  const runtime = nodeRuntime();
  const opened = openSqlite(folder);
  const elapsed = () => performance.now();
  const stores = { ...opened, limits: leasedLimiter({ limits: opened.limits, clock: runtime, elapsed }) };
  const admin = createAdmin({ stores, runtime });
  const secrets: string[] = [];
  for (const alias of aliases) {
    const ingestion = null;
    const tenant = await admin.createTenant({ alias, plan: 'custom', limits, ingestion });
    const permissions = ['query', 'ingest'] as const;
    secrets.push((await admin.createKey(alias, { name: 'bench', permissions })).secret);
    let batch = [];
    for (const event of sampleEvents(rows)) {
      if (batch.push(event) < 2000) continue;
      await stores.events.append(tenant.id, batch);
      batch = [];
    }
    if (batch.length > 0) await stores.events.append(tenant.id, batch);
  }
  const log = { info: () => undefined, error: (fields: unknown) => console.error(fields) };
  const tokens = { verify: () => Promise.reject(new ApiError('invalidToken')) };
  const { handler } = createApi({ stores, tokens, runtime, log });
  const { port } = await createNodeServer({ handler, log }).listen({ host: '127.0.0.1', port: 0 });
  return { port, secret: secrets.join(' ') };
}
