import { expect, it } from 'vitest';
import { toAddress, trustedProxies, UNIX_PEER } from '../../../../adapters/node-http/proxy/trusted.ts';

it('addresses, networks and names are trusted, and nothing else is', () => {
  const isTrusted = trustedProxies(['loopback', 'private', '192.0.2.7', '198.51.100.0/24', '2001:db8::/32']);
  const trusted = ['127.0.0.1', '::1', '10.9.8.7', '172.31.0.1', 'fd00::1', '192.0.2.7', '198.51.100.255'];
  for (const address of [...trusted, '2001:db8:1::1']) expect(isTrusted(address), address).toBe(true);
  for (const address of ['', '192.0.2.8', '172.32.0.1', '198.51.101.0', '2001:db9::', '::2', 'unknown'])
    expect(isTrusted(address), address).toBe(false);
  expect(trustedProxies([])('127.0.0.1')).toBe(false);
  expect([isTrusted(UNIX_PEER), trustedProxies(['unix'])(UNIX_PEER)]).toEqual([false, true]);
  expect(trustedProxies(['unix'])('127.0.0.1')).toBe(false);
});

it.each([
  '',
  'all',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '::/129',
  '1.2.3',
  'a.example',
  '::ffff:1.2.3.4',
])('no proxy: %j', (entry) => {
  expect(() => trustedProxies([entry])).toThrow(/network such as 10.0.0.0\/8, loopback, private or unix/);
});

it('an address has one form', () => {
  expect(toAddress('2001:DB8:0:0::1')).toBe('2001:db8::1');
  for (const mapped of ['::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4', '1.2.3.4'])
    expect(toAddress(mapped)).toBe('1.2.3.4');
  for (const text of ['', 'fe80::1%eth0', '1.2.3.4:80', '01.2.3.4', '_hidden'])
    expect(toAddress(text)).toBeUndefined();
});
