/**
 * Which files of the product a request of each kind enters: a program that serves, sends the requests to
 * itself and prints the files as JSON, by the counts of V8. It has a process of its own, as its counts do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { request as send } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createNodeServer, nodeResources } from '../../../adapters/node-http/index.ts';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import { createApi } from '../../../src/index.ts';
import { createAdminCredentials } from '../../../src/internal.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const ROOT = new URL('../../../', import.meta.url).href;

const folder = mkdtempSync(join(tmpdir(), 'event-query-walks-'));
const resources = nodeResources();
const stores = sqliteStores({ connect: () => new Database(join(folder, 'events.db')), resources });
const api = createApi({ stores, resources });
const tenant = await api.admin.createTenant({ alias: 'shop', plan: 'custom', limits: null });
const { secret } = await api.admin.createKey('shop', { name: 'walk', permissions: ['query'] });
const credentials = createAdminCredentials({
  admins: recordsIn(stores.control).admins,
  runtime: resources.runtime,
});
const by = { who: 'walk', from: 'walk' };
const pass = await credentials.createKey({ name: 'walk', role: 'admin', tenantIds: null }, null, by);
const query = createNodeServer({ api });
const admin = createNodeServer({ api: { handler: api.adminHandler, resources } });
const ports = {
  query: (await query.listen({ host: '127.0.0.1', port: 0 })).port,
  admin: (await admin.listen({ host: '127.0.0.1', port: 0 })).port,
};

/** Sends a request on a connection of its own; resolves when it was answered and the server has let go. */
async function ask(port: number, path: string, body: string | undefined, headers: Record<string, string>) {
  const status = await new Promise<number>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = { 'content-type': 'application/json', connection: 'close', ...headers };
    const asked = send({ host: '127.0.0.1', port, path, method, headers: sent, agent: false }, (answer) => {
      answer.resume().once('close', () => resolve(answer.statusCode!));
    });
    asked.once('error', reject).end(body);
  });
  if (status !== 200) throw new Error(`${path}: ${status}`);
  while (process.getActiveResourcesInfo().includes('TCPSocketWrap')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The files of which a function ran since somebody asked last; to load a file is no such function. */
async function entered(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(ROOT))
    .filter(({ functions }) =>
      functions.some(({ ranges, functionName }) => {
        const [range] = ranges;
        return range!.count > 0 && (functionName !== '' || range!.startOffset > 0);
      }),
    )
    .map(({ url }) => url.slice(ROOT.length).split('?')[0]!)
    .filter((path) => path.startsWith('src/') || path.startsWith('adapters/'))
    .sort();
}

const walks: Record<string, readonly string[]> = {};
async function walk(name: string, work: () => Promise<unknown>): Promise<void> {
  await entered();
  await work();
  walks[name] = await entered();
}

const eventsOf = (count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, i) => ({
      eventName: 'order',
      userId: `u${i % 7}`,
      properties: { total: i },
    })),
  );
const filter = { filterSet: [{ property: 'properties.total', comparison: 'GREATER_THAN', value: 5 }] };

/** Each question by the path that asks it, below that of the API. */
const QUESTIONS: Readonly<Record<string, readonly [path: string, body?: object]>> = {
  count: ['query/count/shop', filter],
  query: ['query/shop', filter],
  eventNames: ['query/events/shop'],
  breakdown: ['query/breakdown/shop', { by: 'properties.total' }],
  users: ['query/users/shop', { having: [{ event: 'left', atLeast: 1 }] }],
  compare: ['query/compare/shop', { selected: { event: 'left' } }],
  retention: ['query/retention/shop', { steps: [{}, { event: 'left' }], unit: 'day' }],
  sequence: ['query/sequence/shop', { steps: [{}, { event: 'left' }] }],
  top: ['query/top/shop', { of: 'properties.total', ...filter }],
  properties: ['query/properties/shop'],
  tail: ['query/tail/shop', {}],
  export: ['query/export/shop', {}],
  explain: ['query/explain/shop', filter],
};

try {
  const append = () => ask(ports.query, '/v1/events/shop/multi', eventsOf(500), {});
  // The first request of a key notes that it was used, and the first events of a tenant begin its log.
  await append();
  await ask(ports.query, '/v1/api/query/events/shop', undefined, { 'x-api-key': secret });
  await walk('append', append);
  for (const [name, [path, body]] of Object.entries(QUESTIONS)) {
    const text = body && JSON.stringify(body);
    const prefer = { prefer: 'wait=0' };
    await walk(name, () => ask(ports.query, `/v1/api/${path}`, text, { ...prefer, 'x-api-key': secret }));
    const bearer = { ...prefer, authorization: `Bearer ${pass.secret}` };
    await walk(`admin ${name}`, () => ask(ports.admin, `/v1/admin/${path}`, text, bearer));
  }
  const events = await api.tenant(tenant.alias);
  await walk('erase', () => events.erase(filter as never));
  process.stdout.write(JSON.stringify(walks));
} finally {
  await query.close();
  await admin.close();
  await stores.close();
  rmSync(folder, { recursive: true });
}
