import { describe, expect, it } from 'vitest';
import { toReturnPath } from '../../../../src/core/http/admin/return-path.ts';

describe('where who signs in comes to', () => {
  it.each(['/dashboard', '/dashboard#/explore/shop?f=1%20%C3%A9', '/dashboard#//evil.test'])(
    '%s',
    (asked) => {
      expect(toReturnPath(asked)).toBe(asked);
    },
  );

  it.each([
    ...[
      'https://evil.test/dashboard',
      '//evil.test',
      '/\\evil.test',
      '\\\\evil.test',
      '/dashboard@evil.test',
    ],
    ...[
      '/dashboard/../..//evil.test',
      '/dashboard?x=//evil.test',
      '/sign-in',
      '/',
      '',
      'javascript:alert(1)',
    ],
    ...['/dashboard\n', '\n/dashboard', '/dashboard#\r\nSet-Cookie: a=b', ' /dashboard', '/dashboard#é'],
    `/dashboard#${'a'.repeat(1_000)}`,
    ...[undefined, null, 5, ['/dashboard#x'], {}],
  ])('%j is no such place', (asked) => {
    expect(toReturnPath(asked)).toBe('/dashboard');
  });
});
