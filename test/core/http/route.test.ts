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
    ['/v1/api/query/top/acme', { name: 'top', alias: 'acme' }],
    ['/v1/api/query/breakdown/acme', { name: 'breakdown', alias: 'acme' }],
    ['/v1/api/query/properties/acme', { name: 'properties', alias: 'acme' }],
    ['/v1/api/query/tail/acme', { name: 'tail', alias: 'acme' }],
    ['/v1/api/query/export/acme', { name: 'export', alias: 'acme' }],
    ['/v1/api/query/explain/acme', { name: 'explain', alias: 'acme' }],
    ['/v1/events/acme/multi', { name: 'ingest', alias: 'acme' }],
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
      const alias = route.path.includes('{tenantId}') ? 'acme' : '';
      const found = findRoute(route.path.replace('{tenantId}', 'acme'));
      expect(found).toEqual({ route, alias, parameter: '' });
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
  ])('%j is none', (path) => {
    expect(findRoute(path)).toBeUndefined();
  });

  it.each([
    ['//healthz', 'healthz'],
    ['/healthz/', 'healthz'],
    ['//v1/api/query//acme/', 'query'],
    ['//v1/events/acme/multi', 'ingest'],
    ['/v1/events/acme/multi/', 'ingest'],
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
