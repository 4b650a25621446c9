import { performance } from 'node:perf_hooks';
import { createNodeServer, nodeResources } from '../../adapters/node-http/index.ts';
import { ApiError, createAdmin, createApi } from '../../src/index.ts';
import { leasedLimiter, type Limits } from '../../src/store-kit.ts';
import { sampleEvents } from '../events.ts';
import { openSqlite } from '../store/own-peers.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

/** What the tenants of a bench may, and how many keys each has. */
export interface TenantSetting {
  readonly limits: Limits | null;
  readonly keys: number;
  readonly aliases?: readonly string[];
}

/** What `serve` books where nobody says how much memory it may take. */
const LEDGER_BYTES_MAX = 440 * 2 ** 20;

/**
 * The whole service on a SQLite file, as `serve` puts it together: keys, plans and limits are looked at for
 * every request. Each tenant has the events; the secrets of the keys are answered in their order.
 */
export async function startEventQuery(
  { folder, rows }: ServerStart,
  { limits, keys, aliases = ['bench'] }: TenantSetting,
): Promise<ServerStarted> {
  const resources = nodeResources({ memoryMax: LEDGER_BYTES_MAX });
  const { runtime } = resources;
  const opened = openSqlite(folder, { resources });
  const elapsed = () => performance.now();
  const stores = { ...opened, limits: leasedLimiter({ limits: opened.limits, clock: runtime, elapsed }) };
  const admin = createAdmin({ stores, runtime });
  const secrets: string[] = [];
  for (const alias of aliases) {
    const ingestion = null;
    const tenant = await admin.createTenant({ alias, plan: 'custom', limits, ingestion });
    const permissions = ['query', 'ingest'] as const;
    for (let n = 0; n < keys; n++) {
      secrets.push((await admin.createKey(alias, { name: `bench ${n}`, permissions })).secret);
    }
    let batch = [];
    for (const event of sampleEvents(rows)) {
      if (batch.push(event) < 2000) continue;
      await stores.events.append(tenant.id, batch);
      batch = [];
    }
    if (batch.length > 0) await stores.events.append(tenant.id, batch);
  }
  const tokens = { verify: () => Promise.reject(new ApiError('invalidToken')) };
  const server = createNodeServer({ api: createApi({ stores, tokens, resources }) });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { port, secret: secrets.join(' ') };
}
