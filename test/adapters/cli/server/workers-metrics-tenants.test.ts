import { expect, it, onTestFinished } from 'vitest';
import { createFolder, createTenant } from '../../../support/file.ts';
import { valueOf } from '../../../support/metrics.ts';
import { startServer } from '../../../support/server-process.ts';
import { ask, until } from '../../../support/traffic.ts';

it('workers give a tenant one label, and count each of its requests once', async () => {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  const db = folder.file('tenants.db');
  const shop = await createTenant(db, 'shop');
  const args = ['--workers', '2', '--admin-port', '0', '--metrics-tenants'];
  const server = await startServer({ db, args });
  const metricsUrl = () => /^metrics at (\S+)$/m.exec(server.printed.join('\n'))?.[1];
  await until('it says where its metrics are', () => metricsUrl() !== undefined);
  const answered = () => server.log.filter(({ msg }) => msg === 'request');
  let sent = 0;
  while (new Set(answered().map(({ pid }) => pid)).size < 2) {
    const { status } = await ask(server.origin, '/v1/api/query/count/shop', {
      headers: { 'X-API-Key': shop.secret, 'Content-Type': 'application/json', Connection: 'close' },
      body: '{}',
    });
    expect(status).toBe(200);
    sent += 1;
  }
  const answer = await fetch(metricsUrl()!, { headers: { Connection: 'close' } });
  const text = await answer.text();
  const series =
    'http_server_request_duration_seconds_count{http_request_method="POST",' +
    'http_route="/v1/api/query/count/{tenantId}",http_response_status_code="200",tenant="shop"}';
  expect(valueOf(text, series)).toBe(sent);
  expect(text).not.toContain('tenant="_other"');
  await server.stop();
});
