import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parsePublicKey } from '../../../adapters/jose/index.ts';

type Pair = ReturnType<typeof generateKeyPairSync>;
const spki = ({ publicKey }: Pair) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const pkcs8 = ({ privateKey }: Pair) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A self-signed certificate of an EC key; its dates are not checked. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjjCCATOgAwIBAgIUPVHvDSPheBilogGU2zqxTYjkY5EwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQZXZlbnQtcXVlcnkudGVzdDAgFw0yNjExMjAxNDAyMjlaGA8y
MTI2MTAyNzE0MDIyOVowGzEZMBcGA1UEAwwQZXZlbnQtcXVlcnkudGVzdDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABMckAsyAJKDmGWC03LZBtsB163S2kcTkq2yK
cHNCFTB2FA9Qw5twyCPmHr0ZgJQ83aI4bbSI5nRCUYo0CIzUlY+jUzBRMB0GA1Ud
DgQWBBROqCOt7/zoVarNXC/6+iFGbNY0QTAfBgNVHSMEGDAWgBROqCOt7/zoVarN
XC/6+iFGbNY0QTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDQ
4LiLBQmQzlTYOCNt9Rb4P6qQAV2lC/nK+y44yMGWWwIhAL81esSUXI1AH4hxsQtO
BfJFGds+y5OjnwERWybkcZkM
-----END CERTIFICATE-----
`;

describe('public keys of tokens', () => {
  it.each([
    ['RSA', rsa],
    ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ] as [string, Pair][])('%s is taken as SPKI', async (_, pair) => {
    expect(await parsePublicKey(`\n${spki(pair)}`)).toBe(spki(pair));
  });

  it('PKCS#1 and certificates are accepted, and stored as SPKI', async () => {
    const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(await parsePublicKey(pkcs1)).toBe(spki(rsa));
    expect(await parsePublicKey(CERTIFICATE)).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  });

  it.each([
    ['a private key', pkcs8(rsa), /^jwt keys: holds a PRIVATE key/],
    ['both keys', spki(rsa) + pkcs8(rsa), /^jwt keys: holds a PRIVATE key/],
    ['a shared secret', 'correct horse battery staple', /^jwt keys: takes a PEM .* shared \(HMAC\) secret/],
    ['nothing', '', /takes a PEM/],
    ['broken PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /none that can be read/],
    ['a key set', JSON.stringify(rsa.privateKey.export({ format: 'jwk' })), /takes a PEM/],
    ['a weak key', spki(generateKeyPairSync('rsa', { modulusLength: 1024 })), /1024 bits is too weak/],
    ['another curve', spki(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })), /secp256k1 cannot check/],
    ['a key that agrees', spki(generateKeyPairSync('x25519')), /type x25519 cannot check/],
  ])('%s is refused', async (_, text, message) => {
    await expect(parsePublicKey(text)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(message) as string,
    });
  });
});
