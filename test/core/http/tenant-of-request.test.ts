import { describe, expect, it } from 'vitest';
import { prometheusMeter } from '../../../adapters/prometheus/index.ts';
import { ADMIN_ROUTES } from '../../../src/core/http/admin-routes.ts';
import type { Route } from '../../../src/core/http/route.ts';
import { createPlainApi } from '../../support/plain-api.ts';
import { SERVED_ROUTES } from '../../support/served-routes.ts';
import { signIn } from './admin/visitors.ts';

/** An API with the tenant `shop`, and under which tenants its requests were counted. */
async function setUp() {
  const meter = prometheusMeter({ processMetrics: false, tenants: true });
  const api = createPlainApi({ resources: { meter } });
  const secret = await api.createTenant('shop');
  const countedFor = async (route: string) => {
    const text = await meter.registry.metrics();
    const counts = text
      .split('\n')
      .filter((line) => line.startsWith('http_server_request_duration_seconds_count'));
    return counts
      .filter((line) => line.includes(`http_route="${route}"`))
      .map((line) => /tenant="(.*?)"/.exec(line)?.[1]);
  };
  return { api, secret, countedFor };
}

/** The routes that have a tenant, and a request to each. */
const ofTenants = (routes: readonly Route[]) =>
  routes
    .filter(({ path }) => path.includes('{tenantId}'))
    .map((route) => {
      const target = route.path.replace('{tenantId}', 'shop').replace(/\{\w+\}/, route.values?.[0] ?? 'any');
      return [route.name, { path: route.path, method: route.methods[0]!, target }] as const;
    });

describe('a request that is let in counts for the tenant of its path', () => {
  it.each(ofTenants(SERVED_ROUTES))('%s', async (_name, { path, method, target }) => {
    const { api, secret, countedFor } = await setUp();
    const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
    const { status } = await api.send({ method, target, headers, body: method === 'GET' ? '' : '{}' });
    expect(status).toBeLessThan(401);
    expect(await countedFor(path)).toEqual(['shop']);
  });

  it.each(ofTenants(ADMIN_ROUTES))('%s of the Admin API', async (_name, { path, method, target }) => {
    const { api, countedFor } = await setUp();
    const { ask } = await signIn(api);
    const { status } = await ask(target.replace('/v1/admin/', ''), method === 'GET' ? undefined : {});
    expect(status).toBeLessThan(401);
    expect(await countedFor(path)).toEqual(['shop']);
  });
});

it('a request that is refused counts for no tenant', async () => {
  const { api, countedFor } = await setUp();
  await api.createTenant('other');
  const { ask } = await signIn(api, 'viewer', [(await api.admin.getTenant('other')).id]);
  expect((await ask('query/count/shop', {})).status).toBe(404);
  await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
  expect((await api.post('/v1/client/shop/config/configurations', {})).status).toBe(401);
  expect(await countedFor('/v1/admin/query/count/{tenantId}')).toEqual(['']);
  expect(await countedFor('/v1/client/{tenantId}/config/configurations')).toEqual(['']);
});
