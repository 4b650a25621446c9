import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { isApiError, unavailable, type Runtime } from '../../../src/index.ts';
import { createAdminCredentials } from '../../../src/internal.ts';
import type { CredentialRecords } from '../../../src/core/access/credential-records.ts';
import type { IdentityProvider, UserClaims } from '../../../src/store-kit.ts';
import { createIdentities } from '../../../src/core/identity/identities.ts';
import { createTestClock, createTestLog } from '../../support/test-server.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const SECOND = 1_000;
const ROLES = [{ value: 'admins', role: 'admin' as const, aliases: null }];
const BY = { who: 'test', from: 'test' };

interface WorldOptions extends Partial<Pick<IdentityProvider, 'signOutUrl'>> {
  readonly wrap?: (admins: CredentialRecords) => CredentialRecords;
}

/** A provider that says what the test wants, sessions that it gave, and processes that share them. */
function createWorld({ wrap = (admins) => admins, ...more }: WorldOptions = {}) {
  const clock = createTestClock();
  const resources = testResources({ runtime: { now: () => clock.now() } });
  const { runtime } = resources;
  const stores = memoryStores({ resources });
  const admins = wrap(recordsIn(stores.control).admins);
  let claims: UserClaims = {
    ...{ issuer: 'https://id.test', subject: 'ada', name: 'Ada', values: ['admins'] },
    ...{ providerSession: 'one', refreshToken: 'first', idToken: null, lastsMs: 600 * SECOND },
  };
  const says = {
    ...{ claims: claims as UserClaims | undefined, away: false, asked: 0 },
    /** What the next refresh waits for. */
    after: undefined as Promise<void> | undefined,
  };
  const provider: IdentityProvider = {
    ...{ name: 'id.test', claim: 'groups', retryMs: 2 * SECOND },
    begin: () => Promise.reject(new Error('nobody begins here')),
    open: (sealed) => JSON.parse(sealed) as ReturnType<IdentityProvider['open']>,
    finish: () => Promise.resolve(claims),
    refresh: async () => {
      says.asked += 1;
      const { asked, after = new Promise((resolve) => setTimeout(resolve, 20)) } = says;
      says.after = undefined;
      await after;
      if (says.away) throw unavailable(new Error('away'));
      return says.claims && { ...says.claims, refreshToken: `token ${asked}`, providerSession: null };
    },
    signOutUrl: () => Promise.reject(unavailable(new Error('away'))),
    readLogout: () =>
      Promise.resolve({
        ...{ issuer: 'https://id.test', subject: 'ada', providerSession: 'one', at: clock.now() },
        ...{ id: 'logout', until: clock.now() + 300 * SECOND },
      }),
    ...more,
  };
  const credentials = createAdminCredentials({ admins, runtime });
  const newProcess = (own: Partial<Runtime> = {}) =>
    createIdentities({
      ...{
        ...stores,
        ...recordsIn(stores.control),
        admins,
        provider,
        roles: ROLES,
        credentials,
        log: createTestLog(),
      },
      runtime: { ...runtime, ...own },
    });
  const login = { redirectUri: 'http://x/sign-in', returnTo: '/dashboard', slot: 0 };
  const signIn = async (changes: Partial<UserClaims> = {}) => {
    claims = { ...claims, ...changes };
    const sealed = JSON.stringify({ ...login, expiresAt: clock.now() + 1 });
    return newProcess().finish({ sealed, query: '', redirectUri: login.redirectUri }, 'test');
  };
  return { clock, admins, passes: credentials, says, newProcess, signIn, login };
}

describe('a session of an identity provider', () => {
  it('is asked for again by one of all requests of all processes', async () => {
    const { clock, passes: credentials, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    const processes = [newProcess(), newProcess(), newProcess()];
    const ask = async (i: number) => processes[i % 3]!.keep((await credentials.find('session', secret))!);
    const all = () => Promise.all(Array.from({ length: 12 }, (_, i) => ask(i)));
    clock.advance(239 * SECOND);
    await all();
    expect(says.asked).toBe(0);
    clock.advance(1 * SECOND);
    expect((await all()).every((credential) => credential?.name === 'Ada')).toBe(true);
    expect(says.asked).toBe(1);
    expect((await ask(0))?.identity).toMatchObject({ refreshToken: 'token 1', providerSession: 'one' });
    // Where nothing holds any more all wait for the one who asks.
    clock.advance(3_600 * SECOND);
    expect((await all()).map((credential) => credential?.identity?.refreshToken)).toEqual(
      Array(12).fill('token 2'),
    );
    // A clock that steps back gives nobody more time.
    clock.advance(-3_600 * SECOND);
    await all();
    expect(says.asked).toBe(3);
  });

  it('goes on while the provider is away, as long as what it said holds', async () => {
    const { clock, passes: credentials, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    const process = newProcess();
    const ask = async () => process.keep((await credentials.find('session', secret))!);
    says.away = true;
    clock.advance(599 * SECOND);
    expect((await ask())?.name).toBe('Ada');
    expect((await ask())?.name).toBe('Ada');
    expect(says.asked).toBe(1);
    clock.advance(2 * SECOND);
    const refusal = await ask().catch((error: unknown) => error);
    expect(isApiError(refusal) && refusal.status).toBe(503);
    says.away = false;
    clock.advance(2 * SECOND);
    expect((await ask())?.name).toBe('Ada');
  });

  it.each([
    ['the provider says no', undefined],
    ['no value gives a role any more', { values: ['users'] }],
    ['it is somebody else now', { subject: 'eve' }],
    ['it is another provider now', { issuer: 'https://evil.test' }],
  ])('ends where %s', async (_why, changes) => {
    const { clock, passes: credentials, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    says.claims = changes && { ...says.claims!, ...changes };
    clock.advance(240 * SECOND);
    expect(await newProcess().keep((await credentials.find('session', secret))!)).toBeUndefined();
    expect(await credentials.find('session', secret)).toBeUndefined();
  });

  it('is signed out of by whoever waits a second for a provider that never answers', async () => {
    const { signIn, newProcess } = createWorld({ signOutUrl: () => new Promise(() => undefined) });
    const { credential } = await signIn();
    const slept: number[] = [];
    const sleep = (ms: number) => Promise.resolve(void slept.push(ms));
    expect(await newProcess({ sleep }).signOutUrl(credential, 'https://x/sign-in')).toBeUndefined();
    expect(slept).toEqual([SECOND]);
    expect(
      await newProcess().signOutUrl({ ...credential, identity: null }, 'https://x/sign-in'),
    ).toBeUndefined();
  });

  it('that was ended while the provider was asked stays so', async () => {
    const { clock, passes: credentials, newProcess, signIn } = createWorld();
    const { secret, credential } = await signIn();
    clock.advance(240 * SECOND);
    const kept = newProcess().keep(credential);
    await newProcess().logOut('a token', 'test');
    expect(await kept).toBeUndefined();
    expect(await credentials.find('session', secret)).toBeUndefined();
  });

  it('is what another process made of it, where one was too slow', async () => {
    const { clock, passes: credentials, says, newProcess, signIn } = createWorld();
    const { secret, credential } = await signIn();
    clock.advance(240 * SECOND);
    let goOn: () => void = () => undefined;
    says.after = new Promise((resolve) => (goOn = resolve));
    const slow = newProcess().keep(credential);
    while (says.asked === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    clock.advance(31 * SECOND);
    await newProcess().keep((await credentials.find('session', secret))!);
    goOn();
    expect((await slow)?.identity?.refreshToken).toBe('token 2');
  });

  it('keeps what the provider said although the store is away for a moment', async () => {
    const failing = { left: 0 };
    const {
      clock,
      passes: credentials,
      says,
      newProcess,
      signIn,
    } = createWorld({
      wrap: (admins) => ({
        ...admins,
        renew: (...args) => {
          const isFailing = says.asked > 0 && failing.left > 0;
          if (!isFailing) return admins.renew(...args);
          failing.left -= 1;
          return Promise.reject(unavailable(new Error('no store')));
        },
      }),
    });
    const { secret } = await signIn();
    clock.advance(240 * SECOND);
    failing.left = 2;
    const kept = await newProcess().keep((await credentials.find('session', secret))!);
    expect([kept?.identity?.refreshToken, says.asked, failing.left]).toEqual(['token 1', 1, 0]);
  });

  it.each([
    ['of its id at the provider', 'one', true],
    ['of a person whose id there is not known', null, true],
    ['of another id there', 'two', false],
  ])('ends by a logout %s: %s, %s', async (_whose, providerSession, ends) => {
    const { passes: credentials, newProcess, signIn } = createWorld();
    const { secret } = await signIn({ providerSession });
    await newProcess().logOut('a token', 'test');
    expect((await credentials.find('session', secret)) === undefined).toBe(ends);
  });

  it('ends by a logout token once, in whichever process', async () => {
    const { clock, passes: credentials, newProcess, signIn } = createWorld();
    await signIn();
    await newProcess().logOut('a token', 'test');
    const { secret } = await signIn();
    const replayed = await newProcess()
      .logOut('a token', 'test')
      .catch((error: unknown) => error);
    expect(isApiError(replayed) && replayed.message).toBe('logout_token: was used already');
    expect(await credentials.find('session', secret)).toBeDefined();
    // By then a provider's token is too old in any case, and its name may come again.
    clock.advance(300 * SECOND);
    await newProcess().logOut('another', 'test');
  });

  it('is noted with who it is, whatever the person is called', async () => {
    const { admins, passes: credentials, signIn } = createWorld();
    const { credential } = await signIn();
    await credentials.end(credential, BY);
    const notes = (await admins.audit({ size: 10, tenantIds: null }))!;
    const person = { name: 'Ada', issuer: 'https://id.test', subject: 'ada' };
    expect(notes.map(({ action }) => action)).toEqual(['credential.end', 'credential.create']);
    for (const { details } of notes) expect(details).toMatchObject(person);
  });

  it('begins by a login that is not older than it says, and at the place where it began', async () => {
    const { clock, newProcess, login } = createWorld();
    const sealed = JSON.stringify({ ...login, expiresAt: clock.now() });
    for (const redirectUri of [login.redirectUri, 'http://y/sign-in']) {
      const late = await newProcess()
        .finish({ sealed, query: '', redirectUri }, BY.from)
        .catch((error: unknown) => error);
      expect(isApiError(late) && late.code).toBe('loginLost');
    }
    const fresh = JSON.stringify({ ...login, expiresAt: clock.now() + 1 });
    const elsewhere = await newProcess()
      .finish({ sealed: fresh, query: '', redirectUri: 'http://y/sign-in' }, BY.from)
      .catch((error: unknown) => error);
    expect(isApiError(elsewhere) && elsewhere.code).toBe('loginLost');
  });
});
