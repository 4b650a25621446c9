import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeServer, nodeResources } from '../../../adapters/node-http/index.ts';
import { prometheusMeter } from '../../../adapters/prometheus/index.ts';
import { createApi } from '../../../src/index.ts';
import { METRICS } from '../../../src/transport-kit.ts';
import { valueOf } from '../../support/metrics.ts';

/** A server that is measured, with a tenant whose key may ask twice a minute. */
async function openServer(limits = { perMinute: 2, perDay: 100 }) {
  const meter = prometheusMeter({ processMetrics: false });
  const resources = nodeResources({ meter, log: { info: () => undefined, error: () => undefined } });
  const api = createApi({ stores: memoryStores({ resources }), resources });
  await api.admin.createTenant({
    alias: 'shop',
    plan: 'custom',
    limits,
  });
  const { secret } = await api.admin.createKey('shop', { name: 'k', permissions: ['query'] });
  const server = createNodeServer({ api });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const send = async (path: string, body?: unknown, key = secret, method?: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'Content-Type': 'application/json', ...(key !== '' && { 'X-API-Key': key }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await answer.text();
    return answer.status;
  };
  return { send, secret, shop: await api.tenant('shop'), text: () => meter.registry.metrics() };
}

const INGEST = '/v1/events/shop/multi';
const COUNT = '/v1/api/query/count/shop';
const COUNT_ROUTE = 'http_route="/v1/api/query/count/{tenantId}"';

describe('the metrics of a server', () => {
  it('count events by what became of them, and batches by their size', async () => {
    const { send, text } = await openServer();
    const event = { eventName: 'a', userId: 'u', eventTs: '2024-05-03T10:00:00Z', insertId: 'one' };
    await send(INGEST, [event, { ...event, insertId: 'two' }, { eventName: 'a' }]);
    await send(INGEST, [event]);
    const found = await text();
    const ingested = (result: string) =>
      valueOf(found, `event_query_events_ingested_total{result="${result}"}`);
    expect(['accepted', 'duplicate', 'rejected'].map(ingested)).toEqual([2, 1, 1]);
    expect(valueOf(found, 'event_query_append_batch_events_sum')).toBe(3);
    expect(valueOf(found, 'event_query_append_duration_seconds_count')).toBe(2);
  });

  it('count rejected events by the field that was wrong, and bytes as they are without gzip', async () => {
    const { send, text } = await openServer();
    const event = { eventName: 'a', userId: 'u' };
    const batch = [
      ...[event, { ...event, userId: 7 }, { ...event, userId: '' }, { ...event, eventTs: 'now' }],
      ...[
        { ...event, insertId: 'x' },
        { ...event, properties: [0] },
        { ...event, ['__proto__ or so']: 1 },
      ],
      ...['no object', { userId: 'u' }, { ...event, eventTs: 1e12, eventDate: '2024-01-01' }],
    ];
    expect(await send(INGEST, batch)).toBe(200);
    const found = await text();
    const rejected = found.split('\n').flatMap((line) => {
      const [, reason, count] = /^event_query_events_rejected_total{reason="(\w+)"} (\d+)$/.exec(line) ?? [];
      return reason === undefined ? [] : [[reason, Number(count)] as const];
    });
    expect(Object.fromEntries(rejected)).toEqual({
      ...{ userId: 2, eventTs: 1, insertId: 1, properties: 1, event: 2, eventName: 1, eventDate: 1 },
    });
    expect(valueOf(found, 'event_query_events_ingested_total{result="rejected"}')).toBe(9);
    const bytes = batch.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
    expect(valueOf(found, 'event_query_ingest_bytes_total')).toBe(bytes);
  });

  it('count how often columns are made of the events, and no column that is only brought up', async () => {
    const { send, shop, text } = await openServer();
    const cold = async () => valueOf(await text(), 'event_query_log_reads_total{cause="cold"}') ?? 0;
    const where = (property: string) =>
      shop.count({ filterSet: [{ property, comparison: 'EQUALS', value: 'pro' }] });
    await send(INGEST, [{ eventName: 'a', userId: 'u' }]);
    await where('properties.plan');
    expect(await cold()).toBe(1);
    await send(INGEST, [{ eventName: 'b', userId: 'u' }]);
    await where('properties.plan');
    expect(await cold()).toBe(1);
    await where('properties.page');
    expect(await cold()).toBe(2);
  });

  it('count erased events', async () => {
    const { send, shop, text } = await openServer();
    await send(INGEST, [
      { eventName: 'a', userId: 'u' },
      { eventName: 'b', userId: 'u' },
    ]);
    await shop.erase({ event: 'a' });
    expect(valueOf(await text(), 'event_query_events_erased_total{cause="request"}')).toBe(1);
  });

  it('count requests by method, route and status, whatever else a client sends', async () => {
    const { send, text } = await openServer();
    expect(await send(COUNT, {})).toBe(200);
    expect(await send('/nowhere/at/all?secret=1', {})).toBe(404);
    expect(await send(COUNT, undefined, undefined, 'PURGE')).toBe(405);
    const found = await text();
    const requests = (method: string, route: string, status: number) =>
      valueOf(
        found,
        `http_server_request_duration_seconds_count{http_request_method="${method}",` +
          `${route},http_response_status_code="${status}"}`,
      );
    expect(requests('POST', COUNT_ROUTE, 200)).toBe(1);
    expect(requests('POST', 'http_route="unknown"', 404)).toBe(1);
    expect(requests('_OTHER', COUNT_ROUTE, 405)).toBe(1);
    expect(valueOf(found, 'event_query_question_duration_seconds_count{operation="count"}')).toBe(1);
    expect(valueOf(found, 'http_server_active_requests{http_request_method="POST"}')).toBe(0);
    expect(found).not.toMatch(/nowhere|secret|PURGE/);
  });

  it('measure the bodies of each route, and count the events in answers, also in pieces', async () => {
    const { send, text } = await openServer({ perMinute: 10, perDay: 10 });
    const batch = [1, 2, 3].map((i) => ({ eventName: 'a', userId: `${i}` }));
    await send(INGEST, batch);
    await send('/v1/api/query/shop', {});
    await send('/v1/api/query/export/shop', {});
    const found = await text();
    const sizeOf = (what: string, route: string) =>
      valueOf(found, `http_server_${what}_body_size_bytes_sum{http_route="/v1/${route}"}`)!;
    expect(sizeOf('request', 'events/{tenantId}/multi')).toBe(JSON.stringify(batch).length);
    expect(sizeOf('request', 'api/query/{tenantId}')).toBe(2);
    expect(sizeOf('response', 'events/{tenantId}/multi')).toBe(
      '{"accepted":3,"duplicates":0,"rejected":[]}\n'.length,
    );
    expect(sizeOf('response', 'api/query/export/{tenantId}')).toBeGreaterThan(100);
    const answered = (operation: string) =>
      valueOf(found, `event_query_answered_events_total{operation="${operation}"}`);
    expect(['query', 'export'].map(answered)).toEqual([3, 3]);
    expect(valueOf(found, 'http_server_active_requests{http_request_method="POST"}')).toBe(0);
  });

  it('count what limits and keys refuse', async () => {
    const { send, text } = await openServer();
    expect(await Promise.all([1, 2].map(() => send(COUNT, {})))).toEqual([200, 200]);
    expect(await send(COUNT, {})).toBe(429);
    expect(await send(COUNT, {}, '')).toBe(401);
    expect(await send(COUNT, {}, 'wrong')).toBe(401);
    const found = await text();
    const decided = (window: string, decision: string) =>
      valueOf(found, `event_query_limit_decisions_total{window="${window}",decision="${decision}"}`);
    expect([decided('minute', 'allowed'), decided('day', 'allowed')]).toEqual([2, 2]);
    expect([decided('minute', 'refused'), decided('day', 'refused')]).toEqual([1, undefined]);
    expect(valueOf(found, 'event_query_auth_failures_total{reason="missing"}')).toBe(1);
    expect(valueOf(found, 'event_query_auth_failures_total{reason="invalid"}')).toBe(1);
  });

  it('name no tenant, no key and no event', async () => {
    const { send, secret, text } = await openServer();
    await send(INGEST, [{ eventName: 'order_placed', userId: 'ada' }]);
    await send(COUNT, { event: 'order_placed' });
    expect(await text()).not.toMatch(new RegExp(`shop|order_placed|ada|${secret}`));
  });

  it('hold how full the memory is', async () => {
    const { send, text } = await openServer();
    await send(INGEST, [{ eventName: 'a', userId: 'u' }]);
    await send(COUNT, { event: 'a' });
    const found = await text();
    const cached = valueOf(found, 'event_query_column_cache_bytes')!;
    expect(cached).toBeGreaterThan(0);
    expect(valueOf(found, 'event_query_memory_booked_bytes')).toBeGreaterThanOrEqual(cached);
    expect(valueOf(found, 'event_query_memory_limit_bytes')).toBe(512 * 2 ** 20);
  });
});

describe('prometheusMeter', () => {
  it('registers every metric of the table, with its meaning, and those of the process', async () => {
    const registry = new Registry();
    const build = { version: '1', node: 'v20', store: 'memory' };
    expect(prometheusMeter({ registry, build }).registry).toBe(registry);
    const text = await registry.metrics();
    for (const [name, { help, type }] of Object.entries(METRICS)) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    }
    expect(valueOf(text, 'event_query_build_info{version="1",node="v20",store="memory"}')).toBe(1);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    // A gauge has not the name of a counter.
    expect(text).not.toMatch(/^# TYPE \S+_total gauge$/m);
  });

  it('shows no gauge that nobody reads', async () => {
    const { registry } = prometheusMeter({ processMetrics: false });
    expect(valueOf(await registry.metrics(), 'event_query_tail_waiting')).toBeUndefined();
  });

  it('adds several readings of one gauge', async () => {
    const meter = prometheusMeter({ processMetrics: false });
    meter.gauge('event_query_tail_waiting', {}, () => 2);
    meter.gauge('event_query_tail_waiting', {}, () => 3);
    for (let i = 0; i < 2; i++) {
      expect(valueOf(await meter.registry.metrics(), 'event_query_tail_waiting')).toBe(5);
    }
  });
});
