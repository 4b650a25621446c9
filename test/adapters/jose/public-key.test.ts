import { createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joseTokenVerifier, publicKeyAlgorithms } from '../../../adapters/jose/index.ts';
import { ApiError } from '../../../src/index.ts';
import type { JwtSettings } from '../../../src/store-kit.ts';
import { createTestClock } from '../../support/test-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';

const clock = createTestClock();
const nowSeconds = clock.now() / 1000;
const signer = createTokenSigner();
const settings = { issuer: 'https://issuer.example', audience: 'shop', publicKeyPem: signer.publicKeyPem };
const claims = { iss: settings.issuer, aud: 'shop', sub: 'ada', exp: nowSeconds + 60 };
const now = () => clock.now();
const verifier = joseTokenVerifier({ now });
const verify = (token: string, by: JwtSettings) => verifier.verify(token, by);

const refusal = {
  code: 'invalidToken',
  message: 'Missing or invalid access token. Send the header Authorization: Bearer <ACCESS_TOKEN>.',
};
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token with the right signature', () => {
  it.each([
    ['one audience', {}],
    ['several audiences', { aud: ['other', 'shop'] }],
    ['a past nbf', { nbf: nowSeconds - 1 }],
    ['an nbf of now', { nbf: nowSeconds }],
    ['one second left', { exp: nowSeconds + 1 }],
  ])('and %s gives its sub', async (_name, changes) => {
    expect(await verify(await signer.sign({ ...claims, ...changes }), settings)).toBe('ada');
  });

  it.each([
    ['another issuer', { iss: 'https://issuer.example/' }],
    ['no issuer', { iss: undefined }],
    ['a list of issuers', { iss: [settings.issuer] }],
    ['another audience', { aud: 'shops' }],
    ['no audience', { aud: undefined }],
    ['an empty list of audiences', { aud: [] }],
    ['an exp of now', { exp: nowSeconds }],
    ['a past exp', { exp: nowSeconds - 1 }],
    ['no exp', { exp: undefined }],
    ['a text as exp', { exp: String(nowSeconds + 60) }],
    ['a future nbf', { nbf: nowSeconds + 1 }],
    ['a text as nbf', { nbf: 'now' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a number as sub', { sub: 7 }],
    ['null as sub', { sub: null }],
  ])('but %s is refused', async (_name, changes) => {
    const token = await signer.sign({ ...claims, ...changes });
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });

  it('but a critical extension that we do not know is refused', async () => {
    const header = base64({ alg: 'ES256', crit: ['exotic'], exotic: true });
    const [, payload, signature] = (await signer.sign(claims)).split('.');
    const token = `${header}.${payload!}.${signature!}`;
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });
});

describe('a forged token', () => {
  const forge = (header: object, signature: (input: string) => string) => {
    const input = `${base64(header)}.${base64(claims)}`;
    return `${input}.${signature(input)}`;
  };
  const hmac = (key: string) => (input: string) =>
    createHmac('sha256', key).update(input).digest('base64url');

  it.each([
    ['alg none', forge({ alg: 'none' }, () => '')],
    ['alg None', forge({ alg: 'None' }, () => '')],
    ['no alg', forge({}, () => '')],
    ['an alg that is an object', forge({ alg: { toString: 'ES256' } }, () => 'AAAA')],
    ['HMAC by the public key', forge({ alg: 'HS256' }, hmac(signer.publicKeyPem))],
    ['HMAC by the trimmed public key', forge({ alg: 'HS256' }, hmac(signer.publicKeyPem.trim()))],
    ['HMAC that says ES256', forge({ alg: 'ES256' }, hmac(signer.publicKeyPem))],
    ['an algorithm of another key type', forge({ alg: 'RS256' }, () => 'AAAA')],
    ['another curve', forge({ alg: 'ES384' }, () => 'AAAA')],
    ['an algorithm named like a property', forge({ alg: 'constructor' }, () => 'AAAA')],
    ['all zeros', forge({ alg: 'ES256' }, () => Buffer.alloc(64).toString('base64url'))],
    ['no signature', forge({ alg: 'ES256' }, () => '')],
    ['nothing', ''],
    ['two parts', 'a.b'],
    ['five parts', 'a.b.c.d.e'],
  ])('by %s is refused', async (_name, token) => {
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });

  it('by its own key in the header is refused', async () => {
    const thief = createTokenSigner();
    const token = await thief.sign(claims, { jwk: thief.jwk(), jku: 'http://127.0.0.1:9/', kid: 'x' });
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });

  it('by a changed claim is refused', async () => {
    const [header, , signature] = (await signer.sign(claims)).split('.');
    const token = `${header!}.${base64({ ...claims, sub: 'eve' })}.${signature!}`;
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });

  it('of any shape is refused without a reason', async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        const error: unknown = await verify(parts.join('.'), settings).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject(refusal);
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * A self-signed certificate, and a token with the claims above, signed by its private key, which was deleted.
 */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUIrJXEGJNg6RlZn+uyHB9wLPA6zQwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjAxMzU5MTZaGA8yMTI2MTAyNzEzNTkx
NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOeU
0sEhW7JU7fMMediUhfoIZ1U9xMQ0By5FfC/FJinbHU85PwQGTW1gKAQVXvBWgMLX
yC6UmYdrmNSUC6hmtKmjUzBRMB0GA1UdDgQWBBRkWXsnzji+PFcN6nrL+tp5uzbE
xjAfBgNVHSMEGDAWgBRkWXsnzji+PFcN6nrL+tp5uzbExjAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIFbxidaf1vsCuENM+MpGXCcxTDhHpoiM5kbR
+8xNiTEJAiEA+zhuLAAz2rWDH/CkC9dNdLn6LJ2M891FF+emrJdSZeg=
-----END CERTIFICATE-----`;
const CERTIFIED_TOKEN = [
  'eyJhbGciOiJFUzI1NiJ9',
  'eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoic2hvcCIsInN1YiI6ImFkYSIsImV4cCI6MTc0OTk4ODg2MH0',
  'K4pMe0liJRa5XEGKenX1yzKeQxRF1-7VvVAEMiVQx1bL9i0spRLIIb6UvO04VIAlgppaJBlIG62S7df5k8qJ8g',
].join('.');

describe('a public key', () => {
  it.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const)('verifies %s', async (alg) => {
    const other = createTokenSigner(alg);
    const token = await other.sign(claims);
    expect(await verify(token, { ...settings, publicKeyPem: `\n${other.publicKeyPem}\n` })).toBe('ada');
    await expect(verify(token, settings)).rejects.toMatchObject(refusal);
  });

  it('accepts the algorithms of its own type only', async () => {
    expect(await publicKeyAlgorithms(createTokenSigner('ES384').publicKeyPem)).toEqual(['ES384']);
    expect(await publicKeyAlgorithms(createTokenSigner('EdDSA').publicKeyPem)).toEqual(['EdDSA', 'Ed25519']);
    const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    expect(await publicKeyAlgorithms(createTokenSigner('RS256').publicKeyPem)).toEqual(rsa);
  });

  it.each([
    ['no PEM', 'hello'],
    ['a private key', signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a broken PEM', signer.publicKeyPem.replace('M', '!')],
    [
      'a key for encryption',
      generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
  ])('that is %s is the fault of the tenant, not of the token', async (_name, publicKeyPem) => {
    const token = await signer.sign(claims);
    // It is logged once a minute and not for each request, since anyone can send requests.
    const by = { ...settings, publicKeyPem: `${publicKeyPem}\n` };
    const failure = { code: 'unavailable', status: 503, headers: { 'Retry-After': '60' } };
    await expect(verify(token, by)).rejects.toMatchObject({ ...failure, logged: false });
    await expect(verify(token, by)).rejects.toMatchObject({ ...failure, logged: true });
    clock.advance(60_000);
    await expect(verify(token, by)).rejects.toMatchObject({ ...failure, logged: false });
    clock.advance(-60_000);
    await expect(publicKeyAlgorithms(publicKeyPem)).rejects.toThrow('the public key is not');
  });

  it('may be a certificate', async () => {
    expect(await verify(CERTIFIED_TOKEN, { ...settings, publicKeyPem: CERTIFICATE })).toBe('ada');
    await expect(verify(CERTIFIED_TOKEN, settings)).rejects.toMatchObject(refusal);
  });
});

it('a clock tolerance is applied to the second', async () => {
  const tolerant = joseTokenVerifier({ now, clockToleranceSeconds: 5 });
  const tokenOf = (changes: object) => signer.sign({ ...claims, ...changes });
  expect(await tolerant.verify(await tokenOf({ exp: nowSeconds - 4 }), settings)).toBe('ada');
  expect(await tolerant.verify(await tokenOf({ nbf: nowSeconds + 5 }), settings)).toBe('ada');
  await expect(tolerant.verify(await tokenOf({ exp: nowSeconds - 5 }), settings)).rejects.toMatchObject(
    refusal,
  );
  await expect(tolerant.verify(await tokenOf({ nbf: nowSeconds + 6 }), settings)).rejects.toMatchObject(
    refusal,
  );
});
