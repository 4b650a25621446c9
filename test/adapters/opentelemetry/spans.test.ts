import { connect } from 'node:net';
import * as api from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openTelemetryTracer } from '../../../adapters/opentelemetry/index.ts';
import { aborted } from '../../../src/index.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { clientTrace, recordSpans } from '../../support/spans.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const spans = recordSpans();
afterAll(() => spans.stop());

const { SpanKind, SpanStatusCode } = api;

async function start(
  options: TestServerOptions = {},
  traced: Parameters<typeof openTelemetryTracer>[1] = {},
): Promise<TestServer> {
  const tracer = openTelemetryTracer(api, traced);
  const server = await startTestServer({ accessLog: true, tracer, ...options });
  onTestFinished(() => server.close());
  return server;
}

let server: TestServer;
let secret: string;
beforeEach(async () => {
  server = await start();
  secret = await server.createTenant('acme');
  spans.reset();
});
afterEach(() => spans.reset());

/** The spans once there are so many of kind SERVER, which end last. */
async function ended(requests = 1): Promise<readonly ReadableSpan[]> {
  await expect.poll(() => spans.ended().filter(({ kind }) => kind === SpanKind.SERVER).length).toBe(requests);
  return spans.ended();
}

/** The one span of a request. */
async function serverSpan(): Promise<ReadableSpan> {
  return (await ended()).find(({ kind }) => kind === SpanKind.SERVER)!;
}

const COUNT = '/v1/api/query/count/acme';
const BATCH = '[{"eventName":"paid","userId":"ada","properties":{"plan":"gold"}},{"eventName":""}]';

describe('a request becomes a span', () => {
  it('by the conventions for HTTP servers, in the trace of its client', async () => {
    const client = clientTrace();
    const answer = await server.post(COUNT, '{}', {
      'X-API-Key': secret,
      traceparent: client.traceparent,
      tracestate: 'vendor=value',
      'User-Agent': 'a client/1.0',
    });
    const span = await serverSpan();
    expect(span.name).toBe('POST /v1/api/query/count/{tenantId}');
    expect(span.spanContext().traceId).toBe(client.traceId);
    expect(span.spanContext().traceState?.serialize()).toBe('vendor=value');
    expect(span.parentSpanContext).toMatchObject({ spanId: client.spanId, isRemote: true });
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/v1/api/query/count/{tenantId}',
      'network.protocol.version': '1.1',
      'server.address': '127.0.0.1',
      'server.port': server.port,
      'url.path': '/v1/api/query/count/REDACTED',
      'url.scheme': 'http',
      'user_agent.original': 'a client/1.0',
      'event_query.operation': 'count',
      'event_query.request_id': answer.headers.get('X-Request-Id'),
    });
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.instrumentationScope.name).toBe('event-query');
  });

  it('with a span of kind INTERNAL for what the store does', async () => {
    await server.post('/v1/events/acme/multi', BATCH);
    await server.post(COUNT, '{}', { 'X-API-Key': secret });
    const all = await ended(2);
    const [append, ingest, question, count] = all;
    expect([append, question].map((span) => [span?.name, span?.kind, span?.attributes])).toEqual([
      ['event_query.append', SpanKind.INTERNAL, { 'event_query.events': 1 }],
      ['event_query.question', SpanKind.INTERNAL, { 'event_query.operation': 'count' }],
    ]);
    expect(append?.parentSpanContext?.spanId).toBe(ingest?.spanContext().spanId);
    expect(question?.parentSpanContext?.spanId).toBe(count?.spanContext().spanId);
    expect(ingest?.attributes).toMatchObject({
      'event_query.accepted': 1,
      'event_query.duplicates': 0,
      'event_query.rejected': 1,
    });
  });

  it.each([
    ['none', undefined],
    ['too short', '00-aaaa-bbbb-01'],
    ['zeros', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${'A'.repeat(32)}-${'B'.repeat(16)}-01`],
    ['an unknown version', `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
    ['two of them', `${clientTrace().traceparent}, ${clientTrace(2).traceparent}`],
    ['long', 'x'.repeat(4096)],
  ])('in a trace of its own where traceparent is malformed: %s', async (_name, traceparent) => {
    const headers = { 'X-API-Key': secret, ...(traceparent !== undefined && { traceparent }) };
    expect((await server.post(COUNT, '{}', headers)).status).toBe(200);
    const span = await serverSpan();
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).toMatch(/^(?!0{32}|a+1$)[\da-f]{32}$/);
  });

  it('that is not recorded where the client says so and the sampler follows it', async () => {
    const { traceparent } = clientTrace(3, false);
    await server.post(COUNT, '{}', { 'X-API-Key': secret, traceparent });
    await server.post(COUNT, '{}', { 'X-API-Key': secret });
    expect(await ended()).toHaveLength(2);
    const lines = server.log.entries.map(({ fields }) => fields.traceId);
    expect(lines).toEqual([undefined, spans.ended()[0]?.spanContext().traceId]);
  });

  it('whose trace the log names beside the id of the request', async () => {
    const answer = await server.post(COUNT, '{}', { 'X-API-Key': secret });
    const span = await serverSpan();
    expect(server.log.entries.map(({ fields }) => [fields.requestId, fields.traceId])).toEqual([
      [answer.headers.get('X-Request-Id'), span.spanContext().traceId],
    ]);
    expect(span.attributes['event_query.request_id']).toBe(answer.headers.get('X-Request-Id'));
  });
});

describe('how a request ended', () => {
  it.each([
    ['404, no route', 'GET', '/secret-path', 404, 'GET', undefined, 'routeNotFound'],
    ['405', 'DELETE', COUNT, 405, 'DELETE /v1/api/query/count/{tenantId}', 'count', 'methodNotAllowed'],
    ['401', 'POST', COUNT, 401, 'POST /v1/api/query/count/{tenantId}', 'count', 'missingKey'],
    [
      'an unknown method',
      'PURGE',
      COUNT,
      405,
      'HTTP /v1/api/query/count/{tenantId}',
      'count',
      'methodNotAllowed',
    ],
  ])('%s is no error of the server', async (_name, method, path, status, name, operation, error) => {
    const answer = await fetch(server.origin + path, { method });
    expect(answer.status).toBe(status);
    const span = await serverSpan();
    expect(span.name).toBe(name);
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.attributes['error.type']).toBeUndefined();
    expect(span.attributes).toMatchObject({
      'http.request.method': method === 'PURGE' ? '_OTHER' : method,
      'http.response.status_code': status,
      'event_query.error': error,
    });
    expect(span.attributes['http.request.method_original']).toBe(method === 'PURGE' ? method : undefined);
    expect(span.attributes['event_query.operation']).toBe(operation);
    expect(span.attributes['url.path']).not.toContain('secret-path');
  });

  it('500 is an error, of the request and of the question', async () => {
    const broken = await start({
      wrapStores: (stores) => ({
        ...stores,
        events: { ...stores.events, count: () => Promise.reject(new RangeError('ada paid for gold')) },
      }),
    });
    const key = await broken.createTenant('acme');
    const answer = await broken.post(COUNT, '{}', { 'X-API-Key': key });
    expect(answer.status).toBe(500);
    const [question, request] = await ended();
    expect(question?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(question?.attributes['error.type']).toBe('RangeError');
    expect(request?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(request?.attributes).toMatchObject({
      'http.response.status_code': 500,
      'error.type': '500',
      'event_query.error': 'internal',
    });
    expect(shown(spans.ended())).not.toContain('gold');
    const failed = broken.log.entries.find(({ message }) => message === 'request failed');
    expect(failed?.fields.traceId).toBe(request?.spanContext().traceId);
  });

  it('a client that disconnects before the answer got no status', async () => {
    let asked = false;
    const slow = await start({
      wrapStores: (stores) => ({
        ...stores,
        events: {
          ...stores.events,
          count: async (_tenantId, _query, signal) => {
            asked = true;
            while (signal?.aborted !== true) await new Promise((resolve) => setImmediate(resolve));
            throw aborted();
          },
        },
      }),
    });
    const key = await slow.createTenant('acme');
    const client = await openRawClient(slow.port);
    const head = `POST ${COUNT} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
    client.send(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
    await expect.poll(() => asked).toBe(true);
    client.close();
    const span = await serverSpan();
    expect(span.attributes['http.response.status_code']).toBeUndefined();
    expect(span.attributes['error.type']).toBe('aborted');
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
  });
});

describe('an answer in pieces', () => {
  const EVENTS = 24;
  beforeEach(async () => {
    const pad = 'x'.repeat(1_000_000);
    const { id } = await server.admin.getTenant('acme');
    await server.stores.events.append(
      id,
      Array.from({ length: EVENTS }, (_, i) => ({
        ...{
          eventName: 'big',
          userId: 'ada',
          insertId: `${i}`,
          eventTs: i,
          propertiesJson: `{"pad":"${pad}"}`,
        },
      })),
      { namesMax: 10 },
    );
  });
  const head = (body: string) =>
    `POST /v1/api/query/export/acme HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it('ends its span after the last piece', async () => {
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.once('data', () => socket.pause());
    socket.write(head('{}'));
    await expect.poll(() => socket.isPaused()).toBe(true);
    // The client has not taken the rest, which is larger than what the system keeps for it.
    expect(spans.ended().filter(({ kind }) => kind === SpanKind.SERVER)).toEqual([]);
    socket.resume();
    const span = await serverSpan();
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 200, 'event_query.rows': EVENTS });
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
  });

  it('that its client does not take is an error, with the status that was sent', async () => {
    const client = await openRawClient(server.port);
    client.socket.once('data', () => client.socket.destroy());
    client.send(head('{}'));
    const span = await serverSpan();
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 200, 'error.type': 'aborted' });
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
  });
});

/** All that a backend of traces would get, as a text. */
const shown = (all: readonly ReadableSpan[]) =>
  JSON.stringify(
    all.map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
  );

it('no span holds an alias, a key, a value, an address or the name of an event', async () => {
  const events = '[{"eventName":"paid-event","userId":"ada-user","properties":{"plan":"gold-plan"}}]';
  await server.post('/v1/events/acme/multi', events);
  const filter = { property: 'properties.plan', comparison: 'EQUALS', value: 'gold-plan' };
  const asked = JSON.stringify({ event: 'paid-event', filterSet: [filter] });
  const headers = { 'X-API-Key': secret };
  await server.post('/v1/api/query/acme', asked, headers);
  await fetch(`${server.origin}/v1/api/query/properties/acme?event=paid-event`, { headers });
  await fetch(`${server.origin}/v1/api/query/properties/acme?${secret}`, { headers });
  await fetch(`${server.origin}/v1/segment/acme/v1/projects/${secret}/settings`);
  await fetch(`${server.origin}/acme/${secret}?x=${secret}`);
  const all = await ended(6);
  for (const hidden of ['acme', secret, 'ada-user', 'gold-plan', 'paid-event']) {
    expect(shown(all)).not.toContain(hidden);
  }
  expect(all.every(({ attributes }) => !('client.address' in attributes))).toBe(true);
  const queries = all.map(({ attributes }) => attributes['url.query']).filter((each) => each !== undefined);
  expect(queries).toEqual(['event=REDACTED', 'REDACTED', 'x=REDACTED']);
});

it('the address of a client and further methods are recorded by option', async () => {
  const open = await start({}, { addresses: true, knownMethods: ['PURGE'], version: '1.2.3' });
  await fetch(`${open.origin}/healthz`, { method: 'PURGE' });
  const span = await serverSpan();
  expect(span.name).toBe('PURGE /healthz');
  expect(span.attributes).toMatchObject({ 'client.address': '127.0.0.1', 'http.request.method': 'PURGE' });
  expect(span.instrumentationScope.version).toBe('1.2.3');
});

it('the spans of a driver belong to the question of their own request', async () => {
  const driver = api.trace.getTracer('a driver');
  const busy = await start({
    wrapStores: (stores) => ({
      ...stores,
      events: {
        ...stores.events,
        count: async (...asked) => {
          await new Promise((resolve) => setImmediate(resolve));
          return driver.startActiveSpan('SELECT', async (span) => {
            const found = await stores.events.count(...asked);
            span.end();
            return found;
          });
        },
      },
    }),
  });
  const key = await busy.createTenant('acme');
  const REQUESTS = 40;
  await Promise.all(
    Array.from({ length: REQUESTS }, (_, i) => {
      const { traceparent } = clientTrace(i + 1);
      return busy.post(COUNT, '{}', { 'X-API-Key': key, traceparent });
    }),
  );
  const all = await ended(REQUESTS);
  for (let i = 0; i < REQUESTS; i += 1) {
    const { traceId, spanId } = clientTrace(i + 1);
    const own = all.filter((span) => span.spanContext().traceId === traceId);
    const chain = ['SELECT', 'event_query.question', 'POST /v1/api/query/count/{tenantId}'];
    expect(own.map(({ name }) => name)).toEqual(chain);
    const parents = own.map(({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(parents).toEqual([own[1]?.spanContext().spanId, own[2]?.spanContext().spanId, spanId]);
  }
});
