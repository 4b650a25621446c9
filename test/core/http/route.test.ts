import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRoute, ROUTES } from '../../../src/core/http/route.ts';
import { splitTarget } from '../../../src/core/http/target.ts';

interface Found {
  readonly name: string;
  readonly alias?: string;
  readonly parameter?: string;
}

describe('routes', () => {
  it.each([
    ['/v1/api/query/acme', { name: 'query', alias: 'acme' }],
    ['/v1/api/query/count/acme', { name: 'count', alias: 'acme' }],
    ['/v1/api/query/events/acme', { name: 'eventNames', alias: 'acme' }],
    ['/v1/api/query/breakdown/acme', { name: 'breakdown', alias: 'acme' }],
    ['/v1/api/query/properties/acme', { name: 'properties', alias: 'acme' }],
    ['/v1/api/query/tail/acme', { name: 'tail', alias: 'acme' }],
    ['/v1/api/query/export/acme', { name: 'export', alias: 'acme' }],
    ['/v1/api/query/explain/acme', { name: 'explain', alias: 'acme' }],
    ['/v1/events/acme/multi', { name: 'ingest', alias: 'acme' }],
    ['/v1/segment/acme/v1/batch', { name: 'segment', alias: 'acme', parameter: 'batch' }],
    ['/v1/segment/%61/v1/%74', { name: 'segment', alias: 'a', parameter: 't' }],
    ['/v1/mixpanel/acme/track', { name: 'mixpanel', alias: 'acme', parameter: 'track' }],
    ['/v1/mixpanel/acme/engage/', { name: 'mixpanel', alias: 'acme', parameter: 'engage' }],
    ['/v1/mixpanel/acme/flags/', { name: 'mixpanelFlags', alias: 'acme' }],
    ['/v1/amplitude/acme/2/httpapi', { name: 'amplitude', alias: 'acme' }],
    ['/v1/amplitude/acme/batch', { name: 'amplitudeBatch', alias: 'acme' }],
    ['/v1/segment/acme/v1/m', { name: 'segmentMetrics', alias: 'acme' }],
    [
      '/v1/segment/acme/v1/projects/a%2Fb/settings',
      { name: 'segmentSettings', alias: 'acme', parameter: 'a/b' },
    ],
    ['/healthz', { name: 'healthz' }],
    ['/readyz', { name: 'readyz' }],
    // A tenant may be called like a part of the address.
    ['/v1/openapi.json', { name: 'openapi' }],
    ['/v1/api/query/count', { name: 'query', alias: 'count' }],
    ['/v1/api/query/events', { name: 'query', alias: 'events' }],
    ['/v1/api/query/count/count', { name: 'count', alias: 'count' }],
    ['/v1/api/query/%61', { name: 'query', alias: 'a' }],
    ['/v1/api/query/%2561', { name: 'query', alias: '%61' }],
    ['/v1/api/query/a%2Fb', { name: 'query', alias: 'a/b' }],
    ['/v1/api/query/%ff', { name: 'query', alias: '%ff' }],
  ])('%s', (path, { name, alias = '', parameter = '' }: Found) => {
    const found = findRoute(path);
    expect([found?.route.name, found?.alias, found?.parameter]).toEqual([name, alias, parameter]);
  });

  it('of the table are found by their own paths', () => {
    for (const route of ROUTES) {
      const [value = 'any'] = 'values' in route ? route.values : [];
      const path = route.path.replace('{tenantId}', 'acme');
      const found = findRoute(path.replace(/\{\w+\}/, value));
      expect(found).toEqual({
        route,
        alias: route.path.includes('{tenantId}') ? 'acme' : '',
        parameter: path.includes('{') ? value : '',
      });
    }
  });

  it.each([
    '',
    '/',
    'healthz',
    '*',
    '/Healthz',
    '/v1',
    '/v1/api/query',
    '/v1/api/query/',
    '/v1/api/query/names/acme',
    '/v1/api/query/count/acme/x',
    '/v2/api/query/acme',
    '/v1/events/acme',
    '/v1/events/acme/single',
    '/v1/events//multi',
    '/%76%31/api/query/acme',
    '/v1/mixpanel/acme/record/',
    '/v1/mixpanel/acme//',
    '/v1/mixpanel//track',
    '/v1/amplitude/acme/httpapi',
    '/v1/segment/acme/v1/x',
    '/v1/segment/acme/v1/batch/x',
    '/v1/segment/acme/v1/',
    '/v1/segment/acme/v1/constructor',
    '/v1/segment//v1/batch',
    '/v1/segment/acme/v1/projects//settings',
    '/v1/segment/acme/v1/projects/a/b/settings',
  ])('%j is none', (path) => {
    expect(findRoute(path)).toBeUndefined();
  });

  it.each([
    ['//healthz', 'healthz'],
    ['/healthz/', 'healthz'],
    ['//v1/api/query//acme/', 'query'],
    ['//v1/events/acme/multi', 'ingest'],
    ['/v1/events/acme/multi/', 'ingest'],
    ['/v1/segment/acme//v1/batch', 'segment'],
    ['/v1/rudderstack/acme/sourceConfig', 'rudderstackConfig'],
    ['/v1/rudderstack/acme//sourceConfig/', 'rudderstackConfig'],
    ['/v1/mixpanel/acme/track//', 'mixpanel'],
    ['/v1/amplitude/acme/2/httpapi/', 'amplitude'],
  ])('%j reaches the route %s: a slash more or less means nothing', (path, name) => {
    expect(findRoute(path)?.route.name).toBe(name);
  });

  it('any text finds a route or none, and never throws', () => {
    fc.assert(fc.property(fc.string(), (path) => void findRoute(`/v1/api/query/${path}`)));
    fc.assert(fc.property(fc.string(), (path) => void findRoute(path)));
  });
});

it.each([
  ['/a', '/a', ''],
  ['/a?', '/a', ''],
  ['/a?b=1?c', '/a', 'b=1?c'],
  ['?', '', ''],
])('the target %j is the path %j and the query string %j', (target, path, queryString) => {
  expect(splitTarget(target)).toEqual({ path, queryString });
});
