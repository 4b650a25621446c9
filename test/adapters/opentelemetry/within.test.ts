import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as api from '@opentelemetry/api';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createFetchHandler } from '../../../adapters/fetch/index.ts';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeListener, nodeResources } from '../../../adapters/node-http/index.ts';
import { openTelemetryTracer } from '../../../adapters/opentelemetry/index.ts';
import { createApi } from '../../../src/index.ts';
import { clientTrace, recordSpans } from '../../support/spans.ts';

const spans = recordSpans();
afterAll(() => spans.stop());
beforeEach(() => spans.reset());

const host = api.trace.getTracer('a host program');
const rpcKey = api.createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
const log = { info: () => undefined, error: () => undefined };

/** An API with the tracer, whose tenants nobody knows yet: other requests begin theirs. */
function createTracedApi() {
  const resources = nodeResources({ log, tracer: openTelemetryTracer(api) });
  return createApi({ stores: memoryStores({ resources }), resources });
}

const REQUESTS = 40;

/** Expects that each span of the host has the span of its own request, and no other. */
function expectOwn(): void {
  const ended = spans.ended();
  const outer = ended.filter(({ name }) => name === 'host');
  expect(outer).toHaveLength(REQUESTS);
  for (const each of outer) {
    const { traceId, spanId } = each.spanContext();
    const inner = ended.filter((span) => span.spanContext().traceId === traceId && span !== each);
    expect(inner.map(({ name, kind, parentSpanContext }) => [name, kind, parentSpanContext?.spanId])).toEqual(
      [['event_query.request', api.SpanKind.INTERNAL, spanId]],
    );
    expect(inner[0]?.attributes['http.request.method']).toBeUndefined();
    expect(inner[0]?.attributes['event_query.error']).toBe('missingKey');
  }
}

it('a request within a span of its host program is a part of that, and tells it the route', async () => {
  const listener = createNodeListener({ api: createTracedApi() });
  const routes: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    const span = host.startSpan('host', { kind: api.SpanKind.SERVER });
    const metadata: { type: string; span: api.Span; route?: string } = { type: 'http', span };
    const within = api.trace.setSpan(api.context.active(), span).setValue(rpcKey, metadata);
    res.once('close', () => {
      routes.push(metadata.route);
      span.end();
    });
    api.context.with(within, () => listener(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, i) => {
      const path = `/v1/api/query/${i % 2 === 0 ? 'events' : 'properties'}/acme${i}`;
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
      await answer.text();
    }),
  );
  await expect.poll(() => routes.length).toBe(REQUESTS);
  expectOwn();
  const counted = (name: string) =>
    routes.filter((each) => each === `/v1/api/query/${name}/{tenantId}`).length;
  expect([counted('events'), counted('properties')]).toEqual([REQUESTS / 2, REQUESTS / 2]);
});

it('so is one over web standards', async () => {
  const traced = createTracedApi();
  const handle = createFetchHandler<[string]>({ api: traced, addressOf: (_request, address) => address });
  // All wait for a turn. Two networks take turns then, so that the job of one request begins another one.
  const busy = traced.resources.scheduler.run('busy', undefined, () => new Promise((go) => setImmediate(go)));
  await Promise.all(
    Array.from({ length: REQUESTS }, (_, i) =>
      host.startActiveSpan('host', async (span) => {
        const address = i < REQUESTS / 2 ? '192.0.2.1' : '198.51.100.1';
        await handle(new Request(`https://127.0.0.1/v1/api/query/events/acme${i}`), address);
        span.end();
      }),
    ),
  );
  await busy;
  expectOwn();
});

it('over web standards, a request without a span around it has the scheme of its URL', async () => {
  const handle = createFetchHandler({ api: createTracedApi() });
  const { traceId, traceparent } = clientTrace();
  await handle(
    new Request('https://shop.example/healthz', { headers: { traceparent, host: 'shop.example' } }),
  );
  const [span] = spans.ended();
  expect(span?.spanContext().traceId).toBe(traceId);
  expect(span?.attributes).toMatchObject({ 'url.scheme': 'https', 'http.route': '/healthz' });
  expect(span?.attributes).not.toHaveProperty(['network.protocol.version']);
});

it('a span that was open when the server began has no requests in it', async () => {
  const server = createServer();
  const start = host.startSpan('start');
  await api.context.with(
    api.trace.setSpan(api.context.active(), start),
    () =>
      new Promise<void>((resolve) => {
        server.on('request', createNodeListener({ api: createTracedApi() }));
        server.listen(0, '127.0.0.1', resolve);
      }),
  );
  start.end();
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })).text();
  await expect.poll(() => spans.ended().length).toBe(2);
  const request = spans.ended()[1];
  expect([request?.name, request?.kind]).toEqual(['GET /healthz', api.SpanKind.SERVER]);
  expect(request?.parentSpanContext).toBeUndefined();
});

it('without a span around it, the engine leaves none', async () => {
  const traced = createTracedApi();
  await traced.admin.createTenant({ alias: 'shop', plan: 'free' });
  const shop = await traced.tenant('shop');
  expect(await shop.count({})).toBe(0);
  expect(spans.ended()).toEqual([]);
  await host.startActiveSpan('host', async (span) => {
    await shop.count({});
    await shop.erase({ before: '2030-01-01' });
    span.end();
  });
  expect(spans.ended().map(({ name }) => name)).toEqual([
    'event_query.question',
    // An erasure counts first, for its audit entry.
    'event_query.question',
    'event_query.erase',
    'host',
  ]);
});
