import { createHmac, generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { CompactEncrypt, CompactSign, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startJwksServer, type JwksServer } from '../support/jwks-server.ts';
import { createTokenSigner } from '../support/token-signer.ts';
import { checkControl, faultsOf } from './target/checks.ts';
import { toAnswer } from './target/post.ts';
import type { Answer } from '../support/answers.ts';
import { startTarget, type Target } from './target/target.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'shop';
const signer = createTokenSigner();
const stranger = createTokenSigner();
const rsa = createTokenSigner('RS256');

let target: Target;
let jwks: JwksServer;
/** Counts every address of keys that a token names by itself: none may ever be asked. */
let lure: JwksServer;

beforeAll(async () => {
  target = await startTarget();
  jwks = await startJwksServer();
  lure = await startJwksServer();
  lure.publish(stranger.jwk());
  const settings = { issuer: ISSUER, audience: AUDIENCE };
  const strategies = {
    pem: { ...settings, publicKeyPem: signer.publicKeyPem },
    rsa: { ...settings, publicKeyPem: rsa.publicKeyPem },
    jwks: { ...settings, jwksUrl: jwks.url },
  };
  for (const [alias, jwt] of Object.entries(strategies)) {
    await target.admin.createTenant({ alias, plan: 'custom' });
    await target.admin.updateTenant(alias, { authStrategy: 'JWT', jwt });
  }
});
afterAll(async () => {
  await target.stop();
  await jwks.close();
  await lure.close();
});

const nowSeconds = Math.floor(Date.now() / 1000);
const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: nowSeconds + 3600 };
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function send(alias: string, authorization: string | undefined, userId = 'ada'): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization && { Authorization: authorization }),
  };
  const body = JSON.stringify([{ eventName: 'sent', userId }]);
  return toAnswer(
    await fetch(`${target.origin}/v1/events/${alias}/multi`, { method: 'POST', headers, body }),
  );
}

const REFUSAL =
  '{"error":"Missing or invalid access token. Send the header Authorization: Bearer <ACCESS_TOKEN>."}\n';

async function expectRefused(alias: string, token: string): Promise<void> {
  const answer = await send(alias, `Bearer ${token}`);
  expect([answer.status, answer.body]).toEqual([401, REFUSAL]);
  expect(faultsOf(answer, target)).toEqual([]);
}

/** A token with this header and these claims, signed over by a function. */
function forge(header: object, sign: (input: string) => string, payload: object = claims): string {
  const input = `${base64(header)}.${base64(payload)}`;
  return `${input}.${sign(input)}`;
}
const hmac =
  (secret: string, hash = 'sha256') =>
  (input: string) =>
    createHmac(hash, secret).update(input).digest('base64url');
const unsigned = () => '';
const zeros = (bytes: number) => () => Buffer.alloc(bytes).toString('base64url');
const byStranger = (header: object, payload: object = claims) =>
  new SignJWT({ ...payload }).setProtectedHeader({ alg: 'ES256', ...header }).sign(stranger.privateKey);

it('a right token is taken, for its own user only', async () => {
  expect((await send('pem', `Bearer ${await signer.sign(claims)}`)).status).toBe(200);
  expect((await send('rsa', `Bearer ${await rsa.sign(claims, { alg: 'RS256' })}`)).status).toBe(200);
  const other = await send('pem', `Bearer ${await signer.sign(claims)}`, 'bob');
  expect([other.status, other.body]).toEqual([400, expect.stringContaining('sub')]);
});

describe('a signature that is none', () => {
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
  it.each<[string, string]>([
    ...['none', 'None', 'NONE', 'nOnE', 'none ', ' none', 'none\0', ''].flatMap((alg): [string, string][] => [
      [`alg ${JSON.stringify(alg)}, empty`, forge({ alg }, unsigned)],
      [`alg ${JSON.stringify(alg)}, with something`, forge({ alg }, () => 'AAAA')],
    ]),
    ['no alg', forge({ typ: 'JWT' }, unsigned)],
    ['alg null', forge({ alg: null }, unsigned)],
    ['alg a list', forge({ alg: ['none'] }, unsigned)],
    [
      'alg twice, none first',
      `${Buffer.from('{"alg":"none","alg":"ES256"}').toString('base64url')}.${base64(claims)}.`,
    ],
    [
      'alg twice, none last',
      `${Buffer.from('{"alg":"ES256","alg":"none"}').toString('base64url')}.${base64(claims)}.`,
    ],
    ...['HS256', 'HS384', 'HS512'].map((alg): [string, string] => [
      `${alg} by the public key`,
      forge({ alg }, hmac(signer.publicKeyPem, alg.replace('HS', 'sha'))),
    ]),
    ['HS256 by the trimmed public key', forge({ alg: 'HS256' }, hmac(signer.publicKeyPem.trim()))],
    ['HS256 by nothing', forge({ alg: 'HS256' }, hmac(''))],
    ['ES256, empty', forge({ alg: 'ES256' }, unsigned)],
    ['ES256, r = s = 0', forge({ alg: 'ES256' }, zeros(64))],
    [
      'ES256, r = s = the order',
      forge({ alg: 'ES256' }, () => Buffer.concat([order, order]).toString('base64url')),
    ],
    ['ES256, 63 bytes', forge({ alg: 'ES256' }, zeros(63))],
    [
      'ES256, DER of zeros',
      forge({ alg: 'ES256' }, () => Buffer.from('3006020100020100', 'hex').toString('base64url')),
    ],
    ['ES384 for a P-256 key', forge({ alg: 'ES384' }, zeros(96))],
    ['RS256 for an EC key', forge({ alg: 'RS256' }, zeros(256))],
    ['alg dir', forge({ alg: 'dir', enc: 'A256GCM' }, unsigned)],
    ['alg __proto__', forge({ alg: '__proto__' }, unsigned)],
    ['alg of 10,000 characters', forge({ alg: 'A'.repeat(8000) }, unsigned)],
  ])('%s', async (_name, token) => {
    await expectRefused('pem', token);
    await expectRefused('rsa', token);
  });

  it('a right one whose parts were changed', async () => {
    const token = await signer.sign(claims);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const admin = base64({ ...claims, sub: 'bob' });
    const changed = [
      `${header}.${admin}.${signature}`,
      `${base64({ alg: 'ES256', typ: 'x' })}.${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${header}.${payload}.${signature}AA`,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}..${signature}`,
      `.${payload}.${signature}`,
      `${token}.${signature}`,
      `${token}.a.b`,
    ];
    for (const each of changed) await expectRefused('pem', each);
  });
});

describe('a key that the token brings along', () => {
  it.each<[string, (keys: { jwk: object; url: string }) => object]>([
    ['jwk', ({ jwk }) => ({ jwk })],
    ['jku', ({ url }) => ({ jku: url, kid: 'a' })],
    ['x5u', ({ url }) => ({ x5u: url })],
    ['x5c', () => ({ x5c: [Buffer.from(stranger.publicKeyPem).toString('base64')] })],
    ['x5t', () => ({ x5t: 'AAAA' })],
    ...[
      '../../../../../../dev/null',
      '/dev/null',
      "' UNION SELECT 'AAAA' --",
      'a\u0000b',
      'http://127.0.0.1/keys',
      '__proto__',
      'constructor',
      '| id',
      'x'.repeat(8000),
    ].map((kid): [string, () => object] => [`kid ${JSON.stringify(kid.slice(0, 30))}`, () => ({ kid })]),
    ['kid an object', () => ({ kid: { a: 1 } })],
    ['kid a list', () => ({ kid: ['a', 'b'] })],
  ])('%s', async (_name, header) => {
    jwks.publish(signer.jwk({ kid: 'right' }));
    const token = await byStranger(header({ jwk: stranger.jwk(), url: lure.url }));
    await expectRefused('pem', token);
    await expectRefused('jwks', token);
    expect(lure.requests).toBe(0);
  });
});

describe('a header or claims that are odd', () => {
  it.each<[string, object]>([
    ['crit unknown', { crit: ['exotic'], exotic: 1 }],
    ['crit of nothing', { crit: [] }],
    ['crit of a claim', { crit: ['exp'], exp: 1 }],
    ['b64 false', { b64: false, crit: ['b64'] }],
  ])('%s', async (_name, header) => {
    const input = `${base64({ alg: 'ES256', ...header })}.${base64(claims)}`;
    const key = await importJWK(signer.privateKey.export({ format: 'jwk' }), 'ES256');
    const signed = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', b64: true, crit: ['b64'], ...header })
      .sign(key, { crit: { exotic: true, exp: true, b64: true } })
      .catch(() => `${input}.AAAA`);
    await expectRefused('pem', signed);
  });

  it.each<[string, object]>([
    ['sub a number', { sub: 7 }],
    ['sub a list', { sub: ['ada'] }],
    ['sub an object', { sub: { toString: 'ada' } }],
    ['sub empty', { sub: '' }],
    ['sub null', { sub: null }],
    ['no sub', { sub: undefined }],
    ['exp a text', { exp: String(nowSeconds + 60) }],
    ['exp null', { exp: null }],
    ['exp past', { exp: nowSeconds - 1 }],
    ['exp negative', { exp: -1 }],
    ['exp 0', { exp: 0 }],
    ['exp a list', { exp: [nowSeconds + 60] }],
    ['no exp', { exp: undefined }],
    ['nbf in the future', { nbf: nowSeconds + 600 }],
    ['nbf a text', { nbf: '0' }],
    ['aud of others', { aud: ['other', 'another'] }],
    ['aud an object', { aud: { shop: true } }],
    ['aud a list in a list', { aud: [['shop']] }],
    ['aud with a blank', { aud: 'shop ' }],
    ['aud in capitals', { aud: 'SHOP' }],
    ['iss with a slash', { iss: `${ISSUER}/` }],
    ['iss a list', { iss: [ISSUER] }],
    ['iss of somebody else', { iss: 'https://evil.example' }],
  ])('%s', async (_name, odd) => {
    await expectRefused('pem', await signer.sign({ ...claims, ...odd }));
  });

  it.each<[string, object]>([
    ['exp with a fraction', { exp: nowSeconds + 60.5 }],
    ['exp far away', { exp: 1e300 }],
    ['aud a list with ours', { aud: ['other', 'shop'] }],
    ['claims that nobody asked for', { __proto__: { sub: 'bob' }, admin: true, tenant: 'victim' }],
  ])('%s is still a right token', async (_name, odd) => {
    expect((await send('pem', `Bearer ${await signer.sign({ ...claims, ...odd })}`)).status).toBe(200);
  });

  it('a sub with a NUL is nobody whose events could be stored', async () => {
    const answer = await send('pem', `Bearer ${await signer.sign({ ...claims, sub: 'ada\0' })}`);
    expect(answer.status).toBe(400);
  });
});

describe('something else than a token', () => {
  it('a token in a token, encrypted ones, and none', async () => {
    const inner = await signer.sign(claims);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const encrypted = await new CompactEncrypt(Buffer.from(inner))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' })
      .encrypt(publicKey);
    const nested = await new CompactSign(Buffer.from(inner))
      .setProtectedHeader({ alg: 'ES256', cty: 'JWT' })
      .sign(signer.privateKey);
    const flat = await new CompactSign(Buffer.from('"ada"'))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signer.privateKey);
    const bomb = await new CompactSign(Buffer.from('['.repeat(3000)))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signer.privateKey);
    for (const token of [
      encrypted,
      nested,
      flat,
      bomb,
      'a.b.c',
      '..',
      '...',
      '....',
      'e30.e30.e30',
      '-',
      '~',
    ]) {
      await expectRefused('pem', token);
      await expectRefused('jwks', token);
    }
  });

  it('a token in another place or scheme', async () => {
    const token = await signer.sign(claims);
    const schemes = [
      undefined,
      token,
      `Basic ${token}`,
      `Chase ${token}`,
      `Bearer`,
      `Bearer  `,
      `Bearer ${token} a`,
    ];
    for (const authorization of [...schemes, `Bearer ${token}, Bearer ${token}`, `Bearer\u00a0${token}`]) {
      const answer = await send('pem', authorization);
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  });

  it('a token larger than a head may be', async () => {
    const answer = await send(
      'pem',
      `Bearer ${await signer.sign({ ...claims, padding: 'x'.repeat(20_000) })}`,
    );
    expect([answer.status, faultsOf(answer, target)]).toEqual([431, []]);
  });

  it('a key of the Query API, and a token at the Query API', async () => {
    await expectRefused('pem', target.key);
    const answer = await fetch(`${target.origin}/v1/api/query/events/pem`, {
      headers: {
        'X-API-Key': await signer.sign(claims),
        Authorization: `Bearer ${await signer.sign(claims)}`,
      },
    });
    expect(answer.status).toBe(401);
  });
});

describe('an endpoint of keys that misbehaves', () => {
  let tenants = 0;
  /** A tenant of its own, so that keys fetched before do not help. */
  async function sendBy(answer: JwksServer['answer'], path = ''): Promise<Answer> {
    const alias = `jwks-${(tenants += 1)}`;
    jwks.answer = answer;
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: `${jwks.url}/${alias}${path}` };
    await target.admin.createTenant({ alias, plan: 'custom' });
    await target.admin.updateTenant(alias, { authStrategy: 'JWT', jwt });
    return send(alias, `Bearer ${await signer.sign(claims, { kid: 'right' })}`);
  }
  const keySet = (...keys: unknown[]) => JSON.stringify({ keys });

  it.each<[string, JwksServer['answer'], number]>([
    ['redirects to itself', (req, res) => void res.writeHead(302, { Location: req.url ?? '' }).end(), 503],
    ['redirects elsewhere', (_req, res) => void res.writeHead(307, { Location: lure.url }).end(), 503],
    [
      'redirects to a file',
      (_req, res) => void res.writeHead(301, { Location: 'file:///etc/passwd' }).end(),
      503,
    ],
    ['sends HTML', (_req, res) => void res.end('<html>keys</html>'), 503],
    ['sends 100,000 arrays', (_req, res) => void res.end('['.repeat(100_000)), 503],
    ['sends 100 MiB', (_req, res) => endless(res), 503],
    ['packs 100 MiB', (_req, res) => packed(res), 503],
    ['sends half', (req, res) => (res.write('{"keys":['), setTimeout(() => req.socket.destroy(), 10)), 503],
    ['sends keys that are none', (_req, res) => void res.end(keySet(null, 7, 'a', [])), 503],
    ['sends an unknown type of key', (_req, res) => void res.end(keySet({ kty: 'XYZ', kid: 'right' })), 401],
    [
      'sends a symmetric key',
      (_req, res) => void res.end(keySet({ kty: 'oct', k: 'AAAA', kid: 'right' })),
      401,
    ],
    ['sends a key of another name', (_req, res) => void res.end(keySet(signer.jwk({ kid: 'other' }))), 401],
    ["sends a stranger's key", (_req, res) => void res.end(keySet(stranger.jwk({ kid: 'right' }))), 401],
    [
      'mixes keys',
      (_req, res) =>
        void res.end(keySet({ kty: 'oct', k: 'AAAA', kid: 'right' }, signer.jwk({ kid: 'right' }))),
      200,
    ],
    [
      'sends 1,000 keys',
      (_req, res) =>
        void res.end(keySet(...Array.from({ length: 1000 }, (_, i) => signer.jwk({ kid: `k${i}` })))),
      401,
    ],
    ['sends the right key', (_req, res) => void res.end(keySet(signer.jwk({ kid: 'right' }))), 200],
  ])('%s', async (_name, answer, status) => {
    const before = target.peakBytes();
    const got = await sendBy(answer);
    expect([got.status, faultsOf(got, target)]).toEqual([status, []]);
    expect(lure.requests).toBe(0);
    expect(target.peakBytes() - before).toBeLessThan(100 * 1_048_576);
    await checkControl(target);
  });

  it('is slow: others are served meanwhile, and one fetch serves all who wait', async () => {
    const asked = jwks.requests;
    const waiting = sendBy(() => undefined);
    await checkControl(target);
    await checkControl(target);
    const answer = await waiting;
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(jwks.requests - asked).toBe(1);
  });

  it.each([
    'http://example.org/keys',
    'file:///etc/passwd',
    'ftp://127.0.0.1/a',
    'https://a@127.0.0.1/a',
    'gopher://a',
    '//127.0.0.1',
    'data:,{}',
    'http://127.0.0.1.example.org/',
    'http://localhost@example.org/',
  ])('at %s cannot be set', async (jwksUrl) => {
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwksUrl };
    await expect(target.admin.updateTenant('jwks', { jwt })).rejects.toThrow('takes an https address');
  });
});

type JwksAnswer = Parameters<JwksServer['answer']>[1];

function endless(res: JwksAnswer): void {
  const piece = Buffer.alloc(65_536, 0x20);
  let left = 1600;
  const more = () => {
    while (left > 0 && !res.destroyed) {
      left -= 1;
      if (!res.write(piece)) {
        res.once('drain', more);
        return;
      }
    }
    res.end();
  };
  more();
}

function packed(res: JwksAnswer): void {
  res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100 * 1_048_576, 0x20)));
}
