import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joseTokenVerifier, type JoseTokenVerifierOptions } from '../../../adapters/jose/index.ts';
import { startJwksServer, type JwksServer } from '../../support/jwks-server.ts';
import { createTestClock, startTestServer, type TestClock } from '../../support/test-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';

const MINUTE_MS = 60_000;
const [first, second] = [createTokenSigner(), createTokenSigner()];
const invalid = { code: 'invalidToken', status: 401 };
const unavailable = {
  code: 'unavailable',
  status: 503,
  message: 'The service is temporarily unavailable. Retry later.',
};

let jwks: JwksServer;
let clock: TestClock;
beforeEach(async () => {
  jwks = await startJwksServer();
  clock = createTestClock();
});
afterEach(() => jwks.close());

/** Verifies a token with the endpoint's keys, and returns the outcome. */
function createVerifier(options: JoseTokenVerifierOptions = {}) {
  const verifier = joseTokenVerifier({ now: () => clock.now(), ...options });
  return (token: string, url = jwks.url) =>
    verifier.verify(token, { issuer: 'i', audience: 'a', jwksUrl: url });
}

const sign = (signer = first, header: object = { kid: 'one' }) =>
  signer.sign({ iss: 'i', aud: 'a', sub: 'ada', exp: clock.now() / 1000 + 7 * 86_400 }, header);

describe('the key of a token', () => {
  it('is found by its id, with one fetch for all tokens', async () => {
    jwks.publish(second.jwk({ kid: 'two' }), first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => sign()));
    expect(await Promise.all(tokens.map((token) => verify(token)))).toEqual(Array(20).fill('ada'));
    expect(await verify(await sign(second, { kid: 'two' }))).toBe('ada');
    expect(jwks.requests).toBe(1);
  });

  it('is used for each algorithm that it can check', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    jwks.publish({ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one' });
    const verify = createVerifier();
    for (const alg of ['RS256', 'PS512', 'RS256', 'RS512']) {
      const claims = { iss: 'i', aud: 'a', sub: 'ada', exp: clock.now() / 1000 + 60 };
      const token = await new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(rsa.privateKey);
      expect(await verify(token)).toBe('ada');
    }
    expect(jwks.requests).toBe(1);
  });

  it('is not the key of another id', async () => {
    jwks.publish(first.jwk({ kid: 'one' }), second.jwk({ kid: 'two' }));
    await expect(createVerifier()(await sign(first, { kid: 'two' }))).rejects.toMatchObject(invalid);
  });

  it.each([
    ['for encryption', { use: 'enc' }],
    ['for other operations', { key_ops: ['encrypt'] }],
    ['for another algorithm', { alg: 'ES384' }],
  ])('is never one %s', async (_name, fields) => {
    jwks.publish(first.jwk({ kid: 'one', ...fields }));
    await expect(createVerifier()(await sign())).rejects.toMatchObject(invalid);
  });

  it('is never a symmetric one', async () => {
    const secret = Buffer.alloc(32, 7);
    jwks.publish({ kty: 'oct', k: secret.toString('base64url'), kid: 'one', alg: 'HS256' });
    const token = await new SignJWT({ iss: 'i', aud: 'a', sub: 'ada', exp: clock.now() / 1000 + 60 })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret);
    await expect(createVerifier()(token)).rejects.toMatchObject(invalid);
  });
});

describe('rotation', () => {
  it('an unknown id makes it fetch again, at most once a minute', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    expect(await verify(await sign())).toBe('ada');
    jwks.publish(second.jwk({ kid: 'two' }));
    clock.advance(MINUTE_MS - 1);
    await expect(verify(await sign(second, { kid: 'two' }))).rejects.toMatchObject(invalid);
    expect(jwks.requests).toBe(1);
    clock.advance(1);
    expect(await verify(await sign(second, { kid: 'two' }))).toBe('ada');
    expect(jwks.requests).toBe(2);
    await expect(verify(await sign())).rejects.toMatchObject(invalid);
    expect(jwks.requests).toBe(2);
  });

  it('a new key under the old id, or without one, is found within a minute', async () => {
    for (const fields of [{ kid: 'one' }, {}]) {
      jwks.publish(first.jwk(fields));
      const verify = createVerifier();
      expect(await verify(await sign(first, fields))).toBe('ada');
      jwks.publish(second.jwk(fields));
      await expect(verify(await sign(second, fields))).rejects.toMatchObject(invalid);
      clock.advance(MINUTE_MS);
      expect(await verify(await sign(second, fields))).toBe('ada');
    }
  });

  it('tokens of a new key that come while it is being fetched wait for it', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    await verify(await sign());
    clock.advance(MINUTE_MS);
    let release: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      jwks.answer = (_req, res) => {
        release = () => void res.end(JSON.stringify({ keys: [second.jwk({ kid: 'two' })] }));
        resolve();
      };
    });
    const token = await sign(second, { kid: 'two' });
    const before = verify(token);
    await asked;
    const meanwhile = Array.from({ length: 5 }, () => verify(token));
    // Tokens of the old key need not wait.
    expect(await verify(await sign())).toBe('ada');
    release();
    expect(await Promise.all([before, ...meanwhile])).toEqual(Array(6).fill('ada'));
    expect(jwks.requests).toBe(2);
  });

  it('invented ids do not flood the endpoint', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    await verify(await sign());
    clock.advance(MINUTE_MS);
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => sign(second, { kid: `k${i}` })));
    const outcomes = await Promise.allSettled(tokens.map((token) => verify(token)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(jwks.requests).toBe(2);
  });

  it('a removed key stops working within ten minutes', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    expect(await verify(await sign())).toBe('ada');
    jwks.publish(second.jwk({ kid: 'two' }));
    clock.advance(10 * MINUTE_MS);
    await expect(verify(await sign())).rejects.toMatchObject(invalid);
  });

  it('a clock that is set back only causes another fetch', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    await verify(await sign());
    clock.advance(-60 * MINUTE_MS);
    expect(await verify(await sign())).toBe('ada');
    expect(jwks.requests).toBe(2);
  });
});

describe('an endpoint that does not give keys', () => {
  const keys = (bytes: number) =>
    JSON.stringify({ keys: [first.jwk({ kid: 'one' })], pad: 'x'.repeat(bytes) });

  it.each<[string, JwksServer['answer']]>([
    ['errs', (_req, res) => void res.writeHead(500).end()],
    ['sends nothing', (_req, res) => void res.end()],
    ['sends no JSON', (_req, res) => void res.end('<html>')],
    [
      'ends within a character',
      (_req, res) => void res.end(Buffer.from('{"keys":[]}\u00e9').subarray(0, -1)),
    ],
    ['sends no key set', (_req, res) => void res.end('{"keys":7}')],
    ['sends null', (_req, res) => void res.end('null')],
    ['hangs up', (req) => void req.socket.destroy()],
    [
      'hangs up half way',
      (req, res) => void (res.write('{"keys":['), setTimeout(() => req.socket.destroy(), 20)),
    ],
    ['sends too much', (_req, res) => void res.end(keys(262_144))],
    [
      'sends a little that unpacks to too much',
      (_req, res) => void res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(keys(50_000_000))),
    ],
    ['never answers', () => undefined],
    ['never ends', (_req, res) => void res.write('{"keys":[')],
    ['redirects', (_req, res) => void res.writeHead(302, { Location: '/elsewhere' }).end()],
    ['redirects to a file', (_req, res) => void res.writeHead(301, { Location: 'file:///keys' }).end()],
  ])('and %s is 503', async (_name, answer) => {
    jwks.answer = answer;
    await expect(createVerifier({ fetchTimeoutMs: 200 })(await sign())).rejects.toMatchObject(unavailable);
    expect(jwks.requests).toBe(1);
  });

  it('a set just within the limit is read', async () => {
    jwks.answer = (_req, res) => void res.end(keys(262_144 - keys(0).length));
    expect(await createVerifier()(await sign())).toBe('ada');
  });

  it('is asked again after a second, not at once', async () => {
    const verify = createVerifier();
    await expect(verify(await sign())).rejects.toMatchObject({
      ...unavailable,
      headers: { 'Retry-After': '1' },
    });
    jwks.publish(first.jwk({ kid: 'one' }));
    await expect(verify(await sign())).rejects.toMatchObject(unavailable);
    expect(jwks.requests).toBe(1);
    clock.advance(1000);
    expect(await verify(await sign())).toBe('ada');
  });

  it('lets 50 requests wait for it, and answers the others 503 at once', async () => {
    jwks.answer = () => undefined;
    const verify = createVerifier({ fetchTimeoutMs: 1000 });
    const token = await sign();
    const waiting = Array.from({ length: 50 }, () => verify(token).catch(() => 'waited'));
    const refused = verify(token);
    expect(await Promise.race([refused.catch(() => 'refused'), ...waiting])).toBe('refused');
    await expect(refused).rejects.toMatchObject({ ...unavailable, headers: { 'Retry-After': '1' } });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['waited']));
    expect(jwks.requests).toBe(1);
    jwks.publish(first.jwk({ kid: 'one' }));
    clock.advance(1000);
    expect(await verify(token)).toBe('ada');
  });

  it('lets requests beyond the limit use the cached keys', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier({ fetchTimeoutMs: 1000, waitingMax: 1 });
    const token = await sign();
    await verify(token);
    clock.advance(10 * MINUTE_MS);
    jwks.answer = () => undefined;
    const waits = verify(token);
    expect(await verify(token)).toBe('ada');
    expect(await waits).toBe('ada');
  });

  it('is logged once a minute, whoever sends requests', async () => {
    const server = await startTestServer({ tokens: joseTokenVerifier({ now: () => clock.now() }) });
    const other = await startJwksServer();
    try {
      for (const [alias, jwksUrl] of [
        ['one', jwks.url],
        ['two', other.url],
      ] as const) {
        await server.createTenant(alias);
        const jwt = { issuer: 'i', audience: 'a', jwksUrl };
        await server.admin.updateTenant(alias, { authStrategy: 'JWT', jwt });
      }
      const headers = { Authorization: `Bearer ${await sign()}` };
      const send = async (alias: string) =>
        (await server.post(`/v1/events/${alias}/multi`, '[{}]', headers)).status;
      const told = () => server.log.entries.filter(({ level }) => level === 'error').length;
      for (let i = 0; i < 10; i++) {
        expect(await send('one')).toBe(503);
        clock.advance(1000);
      }
      expect([told(), jwks.requests]).toEqual([1, 10]);
      expect(await send('two')).toBe(503);
      expect(told()).toBe(2);
      clock.advance(MINUTE_MS);
      expect(await send('one')).toBe(503);
      expect(told()).toBe(3);
      // An invalid token is the sender's fault, so it is not logged as a fault.
      jwks.publish(second.jwk({ kid: 'one' }));
      clock.advance(MINUTE_MS);
      expect(await send('one')).toBe(401);
      expect(told()).toBe(3);
    } finally {
      await other.close();
      await server.close();
    }
  });

  it('leaves its cached keys in use for a day, and is retried once a minute', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier();
    await verify(await sign());
    jwks.answer = (_req, res) => void res.writeHead(500).end();
    clock.advance(10 * MINUTE_MS);
    expect(await verify(await sign())).toBe('ada');
    expect(await verify(await sign())).toBe('ada');
    expect(jwks.requests).toBe(2);
    await expect(verify(await sign(second, { kid: 'two' }))).rejects.toMatchObject(invalid);
    expect(jwks.requests).toBe(2);
    clock.advance((24 * 60 - 10) * MINUTE_MS - 1);
    expect(await verify(await sign())).toBe('ada');
    clock.advance(1);
    await expect(verify(await sign())).rejects.toMatchObject(unavailable);
    clock.advance(MINUTE_MS);
    jwks.publish(first.jwk({ kid: 'one' }));
    expect(await verify(await sign())).toBe('ada');
  });
});

describe('an address', () => {
  it.each([
    'ftp://127.0.0.1/keys',
    'file:///etc/passwd',
    'data:application/json,{"keys":[]}',
    'http://192.0.2.1/keys',
    'http://127.0.0.1.example.com/keys',
    'http://user:word@127.0.0.1/keys',
    'nonsense',
  ])('like %s is never fetched', async (url) => {
    await expect(createVerifier()(await sign(), url)).rejects.toMatchObject(unavailable);
  });

  it('that redirects is not followed', async () => {
    let visited = 0;
    const other = createServer((_req, res) => {
      visited += 1;
      res.end(JSON.stringify({ keys: [first.jwk({ kid: 'one' })] }));
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    jwks.answer = (_req, res) => void res.writeHead(307, { Location: `http://127.0.0.1:${port}/` }).end();
    await expect(createVerifier()(await sign())).rejects.toMatchObject(unavailable);
    expect(visited).toBe(0);
    other.close();
  });

  it('has its own keys, and the least recently used is evicted', async () => {
    jwks.publish(first.jwk({ kid: 'one' }));
    const verify = createVerifier({ urlsMax: 2 });
    for (const path of ['a', 'b', 'a', 'c', 'a']) await verify(await sign(), `${jwks.url}/${path}`);
    expect(jwks.requests).toBe(3);
    await verify(await sign(), `${jwks.url}/b`);
    expect(jwks.requests).toBe(4);
  });

  it('is evicted in the order of use, too, when all together are too large', async () => {
    const large = [first.jwk({ kid: 'one' }), { kty: 'oct', k: 'x'.repeat(10_000) }];
    jwks.publish(...large);
    const verify = createVerifier({ bytesMax: 25_000 });
    for (const path of ['a', 'b', 'a', 'c', 'a'])
      expect(await verify(await sign(), `${jwks.url}/${path}`)).toBe('ada');
    expect(jwks.requests).toBe(3);
    expect(await verify(await sign(), `${jwks.url}/b`)).toBe('ada');
    expect(jwks.requests).toBe(4);
    // A key set that is fetched again counts once.
    clock.advance(11 * MINUTE_MS);
    for (const path of ['b', 'a', 'b', 'a'])
      expect(await verify(await sign(), `${jwks.url}/${path}`)).toBe('ada');
    expect(jwks.requests).toBe(6);
  });
});
