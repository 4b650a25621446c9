import { createHash, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joseTokenVerifier, publicKeyAlgorithms } from '../../../adapters/jose/index.ts';
import { startJwksServer, type JwksServer } from '../../support/jwks-server.ts';
import { createTestClock } from '../../support/test-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';

const clock = createTestClock();
const invalid = { code: 'invalidToken', status: 401 };
const right = createTokenSigner();
const rsa = createTokenSigner('RS256');
const claims = { iss: 'i', aud: 'a', sub: 'ada', exp: clock.now() / 1000 + 60 };

let jwks: JwksServer;
beforeEach(async () => {
  jwks = await startJwksServer();
});
afterEach(() => jwks.close());

/** Verifies a token with the keys of the endpoint. */
function verify(token: string): Promise<string> {
  const verifier = joseTokenVerifier({ now: () => clock.now() });
  return verifier.verify(token, { issuer: 'i', audience: 'a', jwksUrl: jwks.url });
}

const sign = (signer = right, header: object = { kid: 'one' }) => signer.sign(claims, header);
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The padded hash that RS256 signs; with the exponent 1 it is its own signature. */
function paddedDigest(input: string, bytes: number): string {
  const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const tail = Buffer.concat([prefix, createHash('sha256').update(input).digest()]);
  const padding = Buffer.alloc(bytes - tail.length - 3, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), tail]).toString('base64url');
}

describe('a weak key is never used', () => {
  it('with the exponent 1, with which anyone can sign', async () => {
    jwks.publish(rsa.jwk({ kid: 'one', e: 'AQ' }));
    const input = `${base64({ alg: 'RS256', kid: 'one' })}.${base64(claims)}`;
    await expect(verify(`${input}.${paddedDigest(input, 256)}`)).rejects.toMatchObject(invalid);
  });

  it.each([
    ['0', 'AA'],
    ['1 with zeros before it', 'AAAB'],
    ['2', 'Ag'],
    ['65536', 'AQAA'],
    ['one of 300 bits', Buffer.alloc(38, 0xff).toString('base64url')],
    ['none', ''],
  ])('with the exponent %s', async (_name, e) => {
    jwks.publish(rsa.jwk({ kid: 'one', e }));
    await expect(verify(await sign(rsa))).rejects.toMatchObject(invalid);
  });

  it('of RSA below 2048 bits, from an endpoint or as PEM', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2040 });
    jwks.publish({ ...publicKey.export({ format: 'jwk' }), kid: 'one' });
    const input = `${base64({ alg: 'RS256', kid: 'one' })}.${base64(claims)}`;
    const signature = signBytes('sha256', Buffer.from(input), privateKey).toString('base64url');
    await expect(verify(`${input}.${signature}`)).rejects.toMatchObject(invalid);
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await expect(publicKeyAlgorithms(pem)).rejects.toThrow('that can be used');
    expect(await publicKeyAlgorithms(rsa.publicKeyPem)).toContain('RS256');
  });

  it.each<[string, object]>([
    ['another curve', createTokenSigner('ES384').jwk({ kid: 'one', alg: 'ES256' })],
    [
      'a point that is not on the curve',
      right.jwk({ kid: 'one', x: Buffer.alloc(32, 1).toString('base64url') }),
    ],
    ['a private key', { ...right.privateKey.export({ format: 'jwk' }), kid: 'one' }],
    ['for encryption', right.jwk({ kid: 'one', use: 'enc' })],
    ['no coordinates', { kty: 'EC', crv: 'P-256', kid: 'one' }],
    ['a number as its id', right.jwk({ kid: 1 })],
    ['another type', right.jwk({ kid: 'one', kty: 'RSA' })],
    ['no type', right.jwk({ kid: 'one', kty: undefined })],
    ['operations that are no list', right.jwk({ kid: 'one', key_ops: 'verify' })],
  ])('of %s; and it does not spoil a good one beside it', async (_name, jwk) => {
    const token = await sign();
    jwks.publish(jwk);
    await expect(verify(token)).rejects.toMatchObject(invalid);
    jwks.publish(jwk, right.jwk({ kid: 'one' }));
    expect(await verify(token)).toBe('ada');
    jwks.publish(right.jwk({ kid: 'one' }), jwk);
    expect(await verify(token)).toBe('ada');
  });

  it('and members that are no keys do not spoil it either', async () => {
    jwks.publish(...([null, 7, 'text', [], {}] as object[]), right.jwk({ kid: 'one' }));
    expect(await verify(await sign())).toBe('ada');
  });
});

describe('several keys', () => {
  const others = Array.from({ length: 3 }, () => createTokenSigner());

  it.each([
    ['of one id', { kid: 'one' }, { kid: 'one' }],
    ['without ids, and a token without one', {}, {}],
    ['without ids, and a token with one', {}, { kid: 'one' }],
    ['with ids, and a token without one', { kid: 'some' }, {}],
  ])('%s are all tried, up to four', async (_name, fields, header) => {
    const token = await sign(right, header);
    jwks.publish(...others.map((other) => other.jwk(fields)), right.jwk(fields));
    expect(await verify(token)).toBe('ada');
    jwks.publish(
      ...others.map((other) => other.jwk(fields)),
      createTokenSigner().jwk(fields),
      right.jwk(fields),
    );
    await expect(verify(token)).rejects.toMatchObject(invalid);
  });

  it('keys with the same id are tried before those without', async () => {
    const without = [...others, createTokenSigner(), createTokenSigner()].map((other) => other.jwk());
    jwks.publish(...without, right.jwk({ kid: 'one' }));
    expect(await verify(await sign())).toBe('ada');
  });

  it('of other types are not in the way', async () => {
    jwks.publish(createTokenSigner('RS256').jwk(), createTokenSigner('EdDSA').jwk(), right.jwk());
    expect(await verify(await sign(right, {}))).toBe('ada');
  });

  it('none of which has signed: the token is refused, and so is one whose claims do not hold', async () => {
    jwks.publish(right.jwk(), others[0]!.jwk());
    await expect(verify(await sign(others[1], {}))).rejects.toMatchObject(invalid);
    const late = await right.sign({ ...claims, exp: clock.now() / 1000 - 1 });
    await expect(verify(late)).rejects.toMatchObject(invalid);
  });
});
