import { afterAll, beforeAll, expect, it } from 'vitest';
import { valueOf } from '../../../support/metrics.ts';
import { createPlace, type Place } from '../command.ts';

const METRICS_URL = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/;
const BATCH = '[{"eventName":"paid","userId":"ada"}]';

let place: Place;
beforeAll(async () => {
  place = createPlace();
  await place.ok(['tenant', 'create', 'shop', '--plan', 'free']);
});
afterAll(() => place.remove());

it.each([
  ['counts by tenant', ['--metrics-tenants'], '{result="accepted",tenant="shop"}'],
  ['does not without the flag', [], '{result="accepted"}'],
])('serve %s', async (_name, flags, labels) => {
  const server = await place.serve(['serve', '--admin-port', '0', ...flags], METRICS_URL);
  const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
  const send = async (alias: string) => {
    const init = { method: 'POST', body: BATCH, headers: { 'Content-Type': 'application/json' } };
    return (await fetch(`${server.url}/v1/events/${alias}/multi`, init)).status;
  };
  expect([await send('shop'), await send('ghost')]).toEqual([200, 404]);
  const text = await (await fetch(url)).text();
  expect(valueOf(text, `event_query_events_ingested_total${labels}`)).toBe(1);
  expect(text).not.toContain('ghost');
  await server.stop();
});

it('--metrics-tenants needs a port for metrics', async () => {
  const { code, stderr } = await place.run(['serve', '--metrics-tenants']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('nothing is measured without --admin-port')]);
});
