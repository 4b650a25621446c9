import { describe, expect, it } from 'vitest';
import { parseJwtSettings, parseTenantOptions } from '../../../src/core/access/admin-options.ts';
import { isAlias } from '../../../src/core/access/tenant.ts';
import { isJwksUrl } from '../../../src/store-kit.ts';

describe('aliases', () => {
  it.each([
    ...['a', '0', 'shop', 'my-shop', 'my_shop', '1-2', 'a--', `a${'b'.repeat(62)}`],
    '01234567-89ab-cdef-0123-456789abcde',
  ])('%s is one', (alias) => {
    expect(isAlias(alias)).toBe(true);
    expect(parseTenantOptions({ alias, plan: 'free' }).alias).toBe(alias);
  });

  it.each([
    ...['', '-a', '_a', 'A', 'Shop', 'a.b', 'a b', 'a/b', 'é', 'a\n', `a${'b'.repeat(63)}`, 'a%20', '..'],
    '01234567-89ab-cdef-0123-456789abcdef',
  ])('%j is none', (alias) => {
    expect(isAlias(alias)).toBe(false);
    expect(() => parseTenantOptions({ alias, plan: 'free' })).toThrow(
      'alias: takes 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit',
    );
  });
});

describe('addresses of keys', () => {
  it.each([
    ...[
      'https://id.example/keys',
      'https://id.example',
      'https://id.example:8443/k?a=b',
      'http://localhost/k',
    ],
    ...[
      'http://127.0.0.1:8080/k',
      'http://[::1]:8080/k',
      'https://[2001:db8::1]/k',
      'https://id.example/a@b',
    ],
  ])('%s may be fetched', (url) => {
    expect(isJwksUrl(url)).toBe(true);
    expect(() => new URL(url)).not.toThrow();
  });

  it.each([
    ...[
      'http://id.example/k',
      'ftp://id.example',
      'file:///etc/passwd',
      'https://',
      'https://user:pass@id.example/',
    ],
    ...[
      'https://user@id.example',
      'http://localhost.evil.example/',
      'http://127.0.0.1.evil.example/',
      ' https://a',
    ],
    ...[
      'http://127.0.0.1@evil.example/',
      'http://evil.example#@127.0.0.1',
      'https://a/k#f',
      'https://a/k\n',
      'data:,',
    ],
    ...[
      'http://0x7f000001/',
      'http://2130706433/',
      'http://[::ffff:127.0.0.1]/',
      'HTTP://localhost',
      'javascript:1',
    ],
    ...['http://127.0.0.1\\@evil.example/', 'https:/id.example', 'https://a:99999999/', '//id.example', ''],
  ])('%j may not', (url) => {
    expect(isJwksUrl(url)).toBe(false);
  });
});

describe('parseJwtSettings', () => {
  const both = { issuer: 'https://id.example', audience: 'events' };

  it('takes an issuer, an audience and one source of keys', () => {
    const byUrl = { ...both, jwksUrl: 'https://id.example/keys' };
    expect(parseJwtSettings(byUrl)).toEqual(byUrl);
    const byPem = { ...both, publicKeyPem: 'PEM' };
    expect(parseJwtSettings(byPem)).toEqual(byPem);
  });

  it.each([
    [{ audience: 'a', publicKeyPem: 'p' }, 'jwt.issuer: takes the iss claim of your tokens'],
    [{ issuer: '', audience: 'a', publicKeyPem: 'p' }, 'jwt.issuer: takes the iss claim of your tokens'],
    [{ issuer: 'i', publicKeyPem: 'p' }, 'jwt.audience: takes the aud claim of your tokens'],
    // PostgreSQL could not look into it.
    [{ ...both, issuer: 'a\ud83d', publicKeyPem: 'p' }, 'jwt.issuer: must be well-formed Unicode'],
    [{ ...both, audience: 'a\0', publicKeyPem: 'p' }, 'jwt.audience: must be well-formed Unicode'],
    [both, 'jwt: takes publicKeyPem or jwksUrl, exactly one of them'],
    [
      { ...both, publicKeyPem: 'p', jwksUrl: 'https://a' },
      'jwt: takes publicKeyPem or jwksUrl, exactly one of them',
    ],
    [
      { ...both, jwksUrl: 'http://a' },
      'jwt.jwksUrl: takes an https address (http on a loopback host only), got "http://a"',
    ],
  ])('%j is refused', (settings, message) => {
    expect(() => parseJwtSettings(settings)).toThrow(message);
  });
});
