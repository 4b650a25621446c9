import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../../../adapters/node-http/proxy/client-address.ts';
import { trustedProxies } from '../../../../adapters/node-http/proxy/trusted.ts';

const PROXY = '10.0.0.1';
const isTrusted = trustedProxies(['10.0.0.0/8']);

function addressOf(headers: Record<string, string>, peer = PROXY): string {
  return clientAddress(peer, (name) => headers[name], isTrusted);
}

describe('the address of a client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['192.0.2.66, 203.0.113.9', '203.0.113.9'],
    ['192.0.2.66,203.0.113.9 , 10.2.3.4', '203.0.113.9'],
    ['10.2.3.4, 10.2.3.5', '10.2.3.4'],
    ['192.0.2.66, unknown, 10.2.3.4', '10.2.3.4'],
    ['192.0.2.66, ', PROXY],
    ['[203.0.113.9]', PROXY],
    ['', PROXY],
  ])('from X-Forwarded-For: %s', (list, address) => {
    expect(addressOf({ 'x-forwarded-for': list })).toBe(address);
  });

  it.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="203.0.113.9:4711";proto=https', '203.0.113.9'],
    ['proto=http; for="[2001:db8::7]:443" ;by=_me', '2001:db8::7'],
    ['for=192.0.2.66, for=203.0.113.9;host="a,b;c", for=10.2.3.4', '203.0.113.9'],
    ['for="203.0.113.\\9"', '203.0.113.9'],
    ['for=192.0.2.66, for=_hidden', PROXY],
    ['for=192.0.2.66, for=unknown', PROXY],
    ['for=192.0.2.66, proto=https', PROXY],
    ['for=192.0.2.66;for=203.0.113.9', PROXY],
    ['for="192.0.2.66, for=203.0.113.9', PROXY],
    ['192.0.2.66', PROXY],
  ])('from Forwarded: %s', (list, address) => {
    expect(addressOf({ forwarded: list })).toBe(address);
  });

  it('is that of the peer if the peer is not trusted, whatever its headers say', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    expect(addressOf(headers, '198.51.100.1')).toBe('198.51.100.1');
    expect(addressOf(headers, '')).toBe('');
    expect(addressOf(headers, `::ffff:${PROXY}`)).toBe('203.0.113.9');
  });

  it('is the proxy where both headers disagree', () => {
    const added = { 'x-forwarded-for': '203.0.113.9' };
    expect(addressOf({ ...added, forwarded: 'for=203.0.113.9' })).toBe('203.0.113.9');
    expect(addressOf({ ...added, forwarded: 'for=192.0.2.66' })).toBe(PROXY);
    expect(addressOf({ ...added, forwarded: 'no list' })).toBe(PROXY);
  });
});

describe('no header of a client chooses its address', () => {
  const written = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom('"', '\\', ',', ';', '=', ' ', 'for', '[', ']', ':', '192.0.2.66', '10.0.0.2', '::'),
      )
      .map((parts) => parts.join('')),
  );
  const CLIENT = '203.0.113.9';

  it('to the left of what the proxy adds, in X-Forwarded-For', () => {
    fc.assert(
      fc.property(written, (own) => {
        expect(addressOf({ 'x-forwarded-for': `${own}, ${CLIENT}` })).toBe(CLIENT);
      }),
    );
  });

  it('in Forwarded: at most its request counts for the proxy', () => {
    fc.assert(
      fc.property(written, (own) => {
        expect([CLIENT, PROXY]).toContain(addressOf({ forwarded: `${own}, for=${CLIENT}` }));
      }),
    );
  });

  it('in the header that the proxy does not write', () => {
    fc.assert(
      fc.property(written, (own) => {
        expect([CLIENT, PROXY]).toContain(addressOf({ 'x-forwarded-for': CLIENT, forwarded: own }));
        expect([CLIENT, PROXY]).toContain(addressOf({ 'x-forwarded-for': own, forwarded: `for=${CLIENT}` }));
      }),
    );
  });

  it('and a long one takes no time beyond its length', () => {
    const long = `for=1.2.3.4${' '.repeat(200_000)}x`;
    expect(addressOf({ forwarded: long })).toBe(PROXY);
  });
});

describe('whatever a client writes, the trusted proxy decides', () => {
  const APPENDED = '203.0.113.9';
  const pieces = fc.constantFrom(
    ...[
      'for=',
      'For',
      '1.2.3.4',
      '10.9.9.9',
      '"',
      '\\',
      '\\"',
      ',',
      ';',
      ' ',
      '=',
      'x',
      'by=_a',
      '[::1]',
      ':80',
      '\t',
      'for="',
    ],
  );
  const prefixes = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));

  it.each([
    ['x-forwarded-for', (prefix: string) => `${prefix}, ${APPENDED}`],
    ['forwarded', (prefix: string) => `${prefix}, for=${APPENDED}`],
    ['forwarded', (prefix: string) => `${prefix}, for="${APPENDED}:4711";proto=https;by=_proxy`],
  ])('in %s', (name, append) => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        expect([APPENDED, PROXY]).toContain(addressOf({ [name]: append(prefix) }));
      }),
      { numRuns: 2000, examples: [['for=1.2.3.4;x="']] },
    );
  });

  it('in both', () => {
    fc.assert(
      fc.property(prefixes, prefixes, (list, forwarded) => {
        const headers = { 'x-forwarded-for': `${list}, ${APPENDED}`, forwarded };
        expect([APPENDED, PROXY]).toContain(addressOf(headers));
      }),
      { numRuns: 2000 },
    );
  });
});
