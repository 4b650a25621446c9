import { expect, it } from 'vitest';
import { prometheusMeter, withMetrics } from '../../../adapters/prometheus/index.ts';
import { toRequest } from '../../support/plain-api.ts';
import { testResources } from '../../support/resources.ts';

const { registry } = prometheusMeter({ processMetrics: false });
const { handler } = withMetrics({ resources: testResources() }, registry);
const ask = (target: string, { method = 'GET', host = '127.0.0.1:9090' } = {}) =>
  handler(toRequest({ method, target, headers: { host } }));

it('answers the metrics as Prometheus asks for them', async () => {
  const answer = await ask('/metrics?x=1');
  expect(answer.status).toBe(200);
  expect(answer.headers['Content-Type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.body).toBe(await registry.metrics());
  expect((await ask('/metrics', { method: 'HEAD', host: 'localhost' })).body).toBe('');
});

it('answers to addresses, which no page can have as a name, and to the names that it is given', async () => {
  const named = withMetrics({ resources: testResources() }, registry, {
    names: ['metrics.internal'],
  });
  const statusOf = async (host: string) =>
    (await named.handler(toRequest({ method: 'GET', target: '/metrics', headers: { host } }))).status;
  for (const host of [
    '10.1.2.3',
    '172.17.0.2:9464',
    '[fd00::7]:9464',
    'LocalHost:1',
    'Metrics.Internal:9464',
  ])
    expect([host, await statusOf(host)]).toEqual([host, 200]);
  for (const host of ['', 'evil.test', '10.1.2.3.evil.test', 'x@10.1.2.3', 'a.metrics.internal', '1.2.3'])
    expect([host, await statusOf(host)]).toEqual([host, 421]);
});

it('answers no page that reaches it by another name', async () => {
  const answer = await ask('/metrics', { host: 'evil.test' });
  expect(answer.body).not.toContain('dashboard');
  expect([answer.status, answer.body]).toEqual([421, expect.not.stringContaining('event_query') as string]);
});

it('leaves everything else to the API, or answers 404 where there is none', async () => {
  for (const [method, target] of [
    ['POST', '/metrics'],
    ['GET', '/metrics/x'],
    ['GET', '/'],
  ] as const) {
    expect((await ask(target, { method })).status).toBe(404);
  }
  const beside = withMetrics(
    { resources: testResources(), handler: () => Promise.resolve({ status: 204, headers: {}, body: '' }) },
    registry,
  );
  expect((await beside.handler(toRequest({ method: 'GET', target: '/' }))).status).toBe(204);
});
