import { expect, it } from 'vitest';
import { pageHeaders } from '../../../src/core/http/cors.ts';
import { toRequest } from '../../support/plain-api.ts';

const ORIGIN = 'https://shop.example';

it.each([
  ['/v1/events/acme/multi?a=b', ORIGIN],
  ['/v1/client/acme/config', ORIGIN],
  ['/v1/api/query/acme', undefined],
  ['/v1/api/nothing', undefined],
  ['/healthz', undefined],
])('a page may read what is answered at once to %s where it may read answers at all', (target, origin) => {
  const headers = pageHeaders(toRequest({ target, headers: { origin: ORIGIN } }));
  expect(headers['Access-Control-Allow-Origin']).toBe(origin);
});
