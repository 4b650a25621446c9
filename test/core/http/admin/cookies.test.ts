import { expect, it } from 'vitest';
import { cookieName } from '../../../../src/core/http/admin/cookies.ts';

it.each([
  ['https://a.example', '__Host-event-query-443'],
  ['http://localhost', '__Host-event-query-80'],
  ['http://[::1]:8787', '__Host-event-query-8787'],
  ['https://a.example:8443/analytics', '__Host-event-query-8443~analytics'],
  ['https://a.example/one/two', '__Host-event-query-443~one~two'],
])('the cookie of %s has a name of its own', (url, name) => {
  expect(cookieName(url)).toBe(name);
  expect(cookieName(url, '-login-1')).toBe(`${name}-login-1`);
});
