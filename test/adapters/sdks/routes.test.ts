import { describe, expect, it } from 'vitest';
import { findServedRoute, SERVED_ROUTES } from '../../support/served-routes.ts';

interface Found {
  readonly name: string;
  readonly alias?: string;
  readonly parameter?: string;
}

describe('the routes of the SDKs', () => {
  it.each([
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
  ])('%s', (path, { name, alias = '', parameter = '' }: Found) => {
    const found = findServedRoute(path);
    expect([found?.route.name, found?.alias, found?.parameter]).toEqual([name, alias, parameter]);
  });

  it('are found by their own paths', () => {
    for (const route of SERVED_ROUTES) {
      const [value = 'any'] = route.values ?? [];
      const path = route.path.replace('{tenantId}', 'acme');
      expect(findServedRoute(path.replace(/\{\w+\}/, value))).toEqual({
        route,
        alias: route.path.includes('{tenantId}') ? 'acme' : '',
        parameter: path.includes('{') ? value : '',
      });
    }
  });

  it.each([
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
    expect(findServedRoute(path)).toBeUndefined();
  });

  it.each([
    ['/v1/segment/acme//v1/batch', 'segment'],
    ['/v1/rudderstack/acme/sourceConfig', 'rudderstackConfig'],
    ['/v1/rudderstack/acme//sourceConfig/', 'rudderstackConfig'],
    ['/v1/mixpanel/acme/track//', 'mixpanel'],
    ['/v1/amplitude/acme/2/httpapi/', 'amplitude'],
  ])('%j reaches the route %s: a slash more or less means nothing', (path, name) => {
    expect(findServedRoute(path)?.route.name).toBe(name);
  });
});
