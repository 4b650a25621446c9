import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joseTokenVerifier } from '../../../adapters/jose/index.ts';
import { startJwksServer, type JwksServer } from '../../support/jwks-server.ts';
import { createTestClock, startTestServer, type TestClock } from '../../support/test-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';

const [right, wrong] = [createTokenSigner(), createTokenSigner()];
const invalid = { code: 'invalidToken', status: 401 };
/** The many keys of a tenant, without ids. */
const keys = Array.from({ length: 20 }, () => createTokenSigner().jwk());

let jwks: JwksServer;
let clock: TestClock;
/** How many signatures were checked, and the most at once. */
let checks: { count: number; now: number; most: number };
beforeEach(async () => {
  jwks = await startJwksServer();
  jwks.publish(...keys);
  clock = createTestClock();
  checks = { count: 0, now: 0, most: 0 };
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...args: Parameters<typeof verify>) => {
    checks.count += 1;
    checks.now += 1;
    checks.most = Math.max(checks.most, checks.now);
    return verify(...args).finally(() => (checks.now -= 1));
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await jwks.close();
});

const claims = () => ({ iss: 'i', aud: 'a', exp: clock.now() / 1000 + 3_600 });
const invented = (sub: string) => wrong.sign({ ...claims(), sub });

function createVerifier() {
  const verifier = joseTokenVerifier({ now: () => clock.now() });
  const settings = { issuer: 'i', audience: 'a', jwksUrl: jwks.url };
  return (token: string, owner = 'a', signal = { aborted: false }) =>
    verifier.verify(token, settings, { owner, signal });
}

describe('a token that none of the keys has signed', () => {
  it('takes four checks, whatever the number of keys', async () => {
    await expect(createVerifier()(await invented('ada'))).rejects.toMatchObject(invalid);
    expect(checks.count).toBe(4);
  });

  it('takes none when it comes again within a minute, until the keys change', async () => {
    const verify = createVerifier();
    const token = await invented('ada');
    const again = async () => {
      const before = checks.count;
      await expect(verify(token)).rejects.toMatchObject(invalid);
      return checks.count - before;
    };
    expect([await again(), await again(), await again()]).toEqual([4, 0, 0]);
    clock.advance(59_999);
    expect(await again()).toBe(0);
    // The endpoint is fetched again and has the same keys, but the refusal has expired.
    clock.advance(1);
    expect(await again()).toBe(4);
    jwks.publish(wrong.jwk());
    clock.advance(60_000);
    // The old keys refuse it again, and one of the new keys has signed it.
    expect(await verify(token)).toBe('ada');
  });

  it('takes none of the checks of a public key twice', async () => {
    const verifier = joseTokenVerifier({ now: () => clock.now() });
    const settings = { issuer: 'i', audience: 'a', publicKeyPem: right.publicKeyPem };
    const token = await invented('ada');
    for (let i = 0; i < 3; i++) await expect(verifier.verify(token, settings)).rejects.toMatchObject(invalid);
    expect(checks.count).toBe(1);
    // A refusal applies to one key only, not to that of another tenant.
    expect(await verifier.verify(token, { ...settings, publicKeyPem: wrong.publicKeyPem })).toBe('ada');
  });

  it('that becomes valid later is accepted then', async () => {
    jwks.publish(right.jwk());
    const verify = createVerifier();
    const token = await right.sign({ ...claims(), sub: 'ada', nbf: clock.now() / 1000 + 1 });
    await expect(verify(token)).rejects.toMatchObject(invalid);
    clock.advance(1_000);
    expect(await verify(token)).toBe('ada');
  });
});

describe('many invented tokens', () => {
  it('are checked one by one for one owner, and two at once for several', async () => {
    const verify = createVerifier();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => invented(`${i}`)));
    await Promise.allSettled(tokens.map((token) => verify(token)));
    expect(checks.most).toBe(1);
    clock.advance(60_000);
    await Promise.allSettled(tokens.map((token, i) => verify(token, `owner ${i % 5}`)));
    expect(checks.most).toBe(2);
  });

  it('do not delay other owners', async () => {
    jwks.publish(right.jwk(), ...keys);
    const verify = createVerifier();
    await verify(await right.sign({ ...claims(), sub: 'first' }));
    const tokens = await Promise.all(Array.from({ length: 40 }, (_, i) => invented(`${i}`)));
    const one = await right.sign({ ...claims(), sub: 'ada' });
    const before = checks.count;
    const flood = tokens.map((token) => verify(token));
    expect(await verify(one, 'b')).toBe('ada');
    // Before it, 40 tokens arrived; only the first is being checked, with four keys at most.
    expect(checks.count - before).toBeLessThan(15);
    const ends = await Promise.allSettled(flood);
    expect(ends.filter(({ status }) => status === 'rejected').length).toBe(40);
  });

  it('of disconnected clients are not checked', async () => {
    const verify = createVerifier();
    const [one, two] = await Promise.all([invented('1'), invented('2')]);
    const signal = { aborted: false };
    const all = [verify(one), verify(two, 'a', signal)];
    signal.aborted = true;
    const [, gone] = await Promise.allSettled(all);
    expect(gone).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    expect(checks.count).toBe(4);
  });
});

it('the network from which a token comes owns its check', async () => {
  const owners: unknown[] = [];
  const server = await startTestServer({
    tokens: {
      verify: (_token, _settings, bearer) => {
        owners.push(bearer?.owner, bearer?.signal?.aborted);
        return Promise.resolve('ada');
      },
    },
  });
  await server.createTenant('shop');
  const jwt = { issuer: 'i', audience: 'a', jwksUrl: jwks.url };
  await server.admin.updateTenant('shop', { authStrategy: 'JWT', jwt });
  const body = '[{"eventName":"visit","userId":"ada"}]';
  const answer = await server.post('/v1/events/shop/multi', body, { Authorization: 'Bearer token' });
  expect(answer.status).toBe(200);
  expect(owners).toEqual(['127.0.0.1', false]);
  await server.close();
});
