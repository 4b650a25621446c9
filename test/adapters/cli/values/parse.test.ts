import { describe, expect, it } from 'vitest';
import {
  parseDuration,
  parseExpiry,
  parseHost,
  parseMemoryMax,
  parsePort,
  parseSdkHosts,
  parseTrustProxy,
  parseWholeNumber,
  parseWorkers,
} from '../../../../adapters/cli/values/parse.ts';

describe('values of options', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['45s', 45_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('the duration %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', '-1h', '1.5h', '1w', '1h30m', '4000d', '99999999999d'])('no duration: %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/500ms, 30m or 7d/);
  });

  it('an expiry is the end of a day or an instant, and in the future', () => {
    expect(parseExpiry('2090-02-28')).toBe(Date.UTC(2090, 2, 1));
    expect(parseExpiry('2090-02-28T12:00:00+02:00')).toBe(Date.UTC(2090, 1, 28, 10));
    const today = new Date().toISOString().slice(0, 10);
    expect(parseExpiry(today)).toBeGreaterThan(Date.now());
    for (const text of ['2090-02-29', '2090', 'never', '2090-01-01T00:00:00']) {
      expect(() => parseExpiry(text)).toThrow(/YYYY-MM-DD/);
    }
    expect(() => parseExpiry('2000-01-01')).toThrow(/past/);
  });

  it('how much memory', () => {
    const sizes = ['268435456', '262144KiB', '512MiB', '2GiB'];
    expect(sizes.map(parseMemoryMax)).toEqual([2 ** 28, 2 ** 28, 2 ** 29, 2 ** 31]);
    for (const text of ['', '255MiB', '1', '1.5GiB', '1GB', '1 GiB', '-1GiB', '1gib', '9999999999GiB'])
      expect(() => parseMemoryMax(text), text).toThrow(/256MiB or more: .* such as 512MiB/);
  });

  it('how many processes: one at least', () => {
    expect(['1', '2', '256'].map(parseWorkers)).toEqual([1, 2, 256]);
    expect(parseWorkers('auto')).toBeGreaterThanOrEqual(1);
    for (const text of ['0', '00', '257', '-1', '1.5', '', 'all'])
      expect(() => parseWorkers(text), text).toThrow(/from 1 to 256, or auto/);
  });

  it('hosts of SDKs', () => {
    expect(parseSdkHosts('ph.example.com=posthog/shop, rs.example.com=rudderstack/a-b')).toEqual({
      'ph.example.com': '/v1/posthog/shop',
      'rs.example.com': '/v1/rudderstack/a-b',
    });
    for (const text of [
      ...['', 'shop', 'h=shop', 'h=posthog/', 'h=nonsense/shop', '=posthog/shop', 'h:1=posthog/shop'],
      ...['h=posthog/shop/x', 'h=posthog/..', 'h=posthog/shop,', 'https://h=posthog/shop'],
    ])
      expect(() => parseSdkHosts(text), text).toThrow(/HOST=PROTOCOL\/ALIAS.*segment, rudderstack, posthog/);
  });

  it('each host of SDKs once', () => {
    expect(() => parseSdkHosts('h.example=posthog/a,h.example=segment/a')).toThrow(/each host once/);
  });

  it('proxies to trust', () => {
    expect(parseTrustProxy('loopback, 10.0.0.0/8,2001:db8::1')).toEqual([
      'loopback',
      '10.0.0.0/8',
      '2001:db8::1',
    ]);
    for (const text of ['', 'a', '10.0.0.0/8,', '10.0.0.0/40'])
      expect(() => parseTrustProxy(text), text).toThrow(/an address, a network such as 10.0.0.0\/8/);
  });

  it('ports, hosts and whole numbers', () => {
    expect(['0', '8787', '65535'].map(parsePort)).toEqual([0, 8787, 65_535]);
    for (const text of ['65536', '-1', '80a', '', '1e3']) expect(() => parsePort(text)).toThrow();
    const hosts = ['localhost', '0.0.0.0', '::', '[::1]', 'fe80::1%eth0', 'a.example'];
    expect(hosts.map(parseHost)).toEqual(['localhost', '0.0.0.0', '::', '::1', 'fe80::1%eth0', 'a.example']);
    for (const text of ['', ' ', 'a b', 'http://a', 'a:80', '-a']) expect(() => parseHost(text)).toThrow();
    expect(['0', '15'].map(parseWholeNumber)).toEqual([0, 15]);
    for (const text of ['', '1.0', '-1', '0x1', '1 ']) expect(() => parseWholeNumber(text)).toThrow();
  });
});
