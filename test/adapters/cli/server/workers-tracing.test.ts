import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCollector, writePreload, type Collector } from '../../../support/collector.ts';
import { clientTrace } from '../../../support/spans.ts';
import { createPlace, type Place } from '../command.ts';

let place: Place;
let collector: Collector;
beforeAll(async () => {
  place = createPlace();
  collector = await startCollector();
});
afterAll(async () => {
  place.remove();
  await collector.close();
});

it('workers trace their requests, and send what they have before they end', async () => {
  const NODE_OPTIONS = writePreload(place.folder);
  const env = { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const server = await place.serve(['serve', '--workers', '2'], undefined, env);
  const REQUESTS = 20;
  for (let i = 1; i <= REQUESTS; i += 1) {
    const { traceparent } = clientTrace(i);
    const headers = { traceparent, connection: 'close' };
    expect((await fetch(`${server.url}/healthz`, { headers })).status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
  const traces = collector.spans().map(({ name, traceId }) => `${name} ${traceId}`);
  const expected = Array.from({ length: REQUESTS }, (_, i) => `GET /healthz ${clientTrace(i + 1).traceId}`);
  expect(traces.sort()).toEqual(expected.sort());
  expect(server.log().split('\n')[0]).toContain('"traces":"opentelemetry"');
});
