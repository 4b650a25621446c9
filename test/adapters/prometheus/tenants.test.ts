import { expect, it, onTestFinished } from 'vitest';
import { createWorkerTenants, type MetricsMessage } from '../../../adapters/cli/server/worker-metrics.ts';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeServer, nodeResources } from '../../../adapters/node-http/index.ts';
import { prometheusMeter } from '../../../adapters/prometheus/index.ts';
import { createTenantLabels, nameTenants } from '../../../adapters/prometheus/tenants.ts';
import { createApi } from '../../../src/index.ts';
import { valueOf } from '../../support/metrics.ts';

const log = { info: () => undefined, error: () => undefined };

/** A server whose metrics count by tenant, or not. */
async function start(tenants: boolean) {
  const meter = prometheusMeter({ processMetrics: false, tenants });
  const resources = nodeResources({ log, meter });
  const api = createApi({ stores: memoryStores({ resources }), resources });
  const server = createNodeServer({ api });
  onTestFinished(() => server.close());
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const send = async (path: string, body: string, headers = {}) => {
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    await answer.text();
    return answer.status;
  };
  return { api, send, text: () => meter.registry.metrics() };
}

const BATCH = '[{"eventName":"paid","userId":"ada"},{"eventName":""}]';
const ingested = (tenant: string, result = 'accepted') =>
  `event_query_events_ingested_total{result="${result}",tenant="${tenant}"}`;
const requests = (route: string, status: number, tenant: string) =>
  'http_server_request_duration_seconds_count{http_request_method="POST",' +
  `http_route="${route}",http_response_status_code="${status}",tenant="${tenant}"}`;
const INGEST = '/v1/events/{tenantId}/multi';
const QUERY = '/v1/api/query/{tenantId}';

it('what a tenant does counts under its alias, and what nobody was let in for under none', async () => {
  const { api, send, text } = await start(true);
  const secrets = new Map<string, string>();
  for (const alias of ['shop', 'other']) {
    await api.admin.createTenant({ alias, plan: 'growth' });
    secrets.set(alias, (await api.admin.createKey(alias, { name: 'k', permissions: ['query'] })).secret);
  }
  expect(await send('/v1/events/shop/multi', BATCH)).toBe(200);
  expect(await send('/v1/events/shop/multi', BATCH)).toBe(200);
  expect(await send('/v1/events/other/multi', BATCH)).toBe(200);
  expect(await send('/v1/events/ghost/multi', BATCH)).toBe(404);
  expect(await send('/v1/api/query/shop', '{}', { 'X-API-Key': secrets.get('shop') })).toBe(200);
  // The key of another tenant, and a made-up one.
  expect(await send('/v1/api/query/shop', '{}', { 'X-API-Key': secrets.get('other') })).toBe(404);
  expect(await send('/v1/api/query/shop', '{}', { 'X-API-Key': 'eqk_ghost' })).toBe(401);
  const found = await text();
  const read = (series: string) => valueOf(found, series);
  expect([read(ingested('shop')), read(ingested('shop', 'rejected'))]).toEqual([2, 2]);
  expect(read(ingested('other'))).toBe(1);
  expect(read('event_query_events_rejected_total{reason="eventName",tenant="shop"}')).toBe(2);
  expect(read('event_query_answered_events_total{operation="query",tenant="shop"}')).toBe(2);
  const decided = 'event_query_limit_decisions_total{window="minute",decision="allowed",tenant="shop"}';
  expect(read(decided)).toBe(1);
  expect(read('event_query_ingest_bytes_total{tenant="shop"}')).toBeGreaterThan(0);
  expect([read(requests(INGEST, 200, 'shop')), read(requests(INGEST, 404, ''))]).toEqual([2, 1]);
  const queries = [requests(QUERY, 200, 'shop'), requests(QUERY, 404, ''), requests(QUERY, 401, '')];
  expect(queries.map(read)).toEqual([1, 1, 1]);
  expect(found).not.toContain('ghost');
  expect(found).not.toContain('_other');
});

it('no label holds a tenant unless that is asked for', async () => {
  const { api, send, text } = await start(false);
  await api.admin.createTenant({ alias: 'shop', plan: 'free' });
  expect(await send('/v1/events/shop/multi', BATCH)).toBe(200);
  const found = await text();
  expect(valueOf(found, 'event_query_events_ingested_total{result="accepted"}')).toBe(1);
  expect(found).not.toContain('tenant=');
});

it('100 tenants have series of their own, and all others one together', async () => {
  const { api, send, text } = await start(true);
  const aliases = Array.from({ length: 103 }, (_, i) => `tenant-${i}`);
  for (const alias of aliases) await api.admin.createTenant({ alias, plan: 'free' });
  for (let round = 1; round <= 2; round += 1) {
    for (const alias of aliases) expect(await send(`/v1/events/${alias}/multi`, BATCH)).toBe(200);
    const found = await text();
    const counts = [...aliases.slice(0, 100), '_other'].map((alias) => valueOf(found, ingested(alias)));
    expect(counts).toEqual([...aliases.slice(0, 100).map(() => round), 3 * round]);
    expect(new Set(found.match(/tenant="[^"]*"/g)).size).toBe(101);
  }
});

it('in a worker, what is counted waits until another process has named the tenant', async () => {
  const told: MetricsMessage[] = [];
  const tenants = createWorkerTenants((message) => told.push(message));
  const labels = createTenantLabels(tenants);
  const counted: string[] = [];
  const count = (id: string) => labels.with(id, (label) => counted.push(label));
  labels.meet('1', 'shop');
  labels.meet('2', 'late');
  count('1');
  labels.meet('1', 'shop');
  count('2');
  count('1');
  expect(told).toEqual([{ tenant: 'shop' }, { tenant: 'late' }]);
  expect(counted).toEqual([]);
  const settled = tenants.settled();
  tenants.receive({ tenant: 'shop', named: ['shop'] });
  expect(counted).toEqual(['shop', 'shop']);
  // Meanwhile other workers have taken all other places.
  const full = ['shop', ...Array.from({ length: 99 }, (_, i) => `tenant-${i}`)];
  tenants.receive({ tenant: 'late', named: full });
  await settled;
  count('1');
  expect(counted).toEqual(['shop', 'shop', '_other', 'shop']);
  // From here on it knows all names, and asks nobody.
  labels.meet('3', 'tenant-5');
  labels.meet('4', 'too-late');
  count('3');
  count('4');
  labels.with(undefined, (label) => counted.push(label));
  expect(counted.slice(4)).toEqual(['tenant-5', '_other', '']);
  expect(told).toHaveLength(2);
});

it('the process that names tenants for others names no more than 100, however many ask at once', () => {
  const named = nameTenants();
  let decided = 0;
  for (let i = 0; i < 102; i++) named.ask(`tenant-${i}`, () => (decided += 1));
  expect([named.aliases.size, named.aliases.has('tenant-99'), decided]).toEqual([100, true, 102]);
});
