import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { nodeRuntime } from '../../../adapters/node-http/index.ts';
import {
  createPasses,
  isApiError,
  unavailable,
  type IdentityProvider,
  type Told,
} from '../../../src/index.ts';
import { createIdentities } from '../../../src/core/identity/identities.ts';
import { createTestClock, createTestLog } from '../../support/test-server.ts';

const SECOND = 1_000;
const ROLES = [{ value: 'admins', role: 'admin' as const, aliases: null }];
const BY = { who: 'test', from: 'test' };

/** A provider that says what the test wants, sessions that it gave, and processes that share them. */
function createWorld() {
  const clock = createTestClock();
  const runtime = { ...nodeRuntime(), now: () => clock.now() };
  const stores = memoryStores({ clock: runtime });
  const admins = stores.admins!;
  const told: Told = {
    ...{ issuer: 'https://id.test', subject: 'ada', name: 'Ada', values: ['admins'] },
    ...{ providerSession: 'one', refreshToken: 'first', lastsMs: 600 * SECOND },
  };
  const says = { told: told as Told | undefined, away: false, asked: 0 };
  const provider: IdentityProvider = {
    ...{ name: 'id.test', claim: 'groups' },
    begin: () => Promise.reject(new Error('nobody begins here')),
    open: (sealed) => JSON.parse(sealed) as ReturnType<IdentityProvider['open']>,
    finish: () => Promise.resolve(told),
    refresh: async () => {
      says.asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (says.away) throw unavailable(new Error('away'));
      return says.told && { ...says.told, refreshToken: `token ${says.asked}`, providerSession: null };
    },
    readLogout: () =>
      Promise.resolve({
        ...{ issuer: 'https://id.test', subject: undefined },
        providerSession: 'one',
        at: 0,
      }),
  };
  const passes = createPasses({ admins, runtime });
  const newProcess = () =>
    createIdentities({ ...stores, admins, provider, roles: ROLES, passes, runtime, log: createTestLog() });
  const login = { redirectUri: 'http://x/sign-in', returnTo: '/dashboard', slot: 0 };
  const signIn = async () => {
    const sealed = JSON.stringify({ ...login, expiresAt: clock.now() + 1 });
    return newProcess().finish({ sealed, query: '', redirectUri: login.redirectUri }, 'test');
  };
  return { clock, passes, says, newProcess, signIn, login };
}

describe('a session of an identity provider', () => {
  it('is asked for again by one of all requests of all processes', async () => {
    const { clock, passes, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    const processes = [newProcess(), newProcess(), newProcess()];
    const ask = async (i: number) => processes[i % 3]!.keep((await passes.find('session', secret))!);
    const all = () => Promise.all(Array.from({ length: 12 }, (_, i) => ask(i)));
    clock.advance(239 * SECOND);
    await all();
    expect(says.asked).toBe(0);
    clock.advance(1 * SECOND);
    expect((await all()).every((pass) => pass?.name === 'Ada')).toBe(true);
    expect(says.asked).toBe(1);
    expect((await ask(0))?.identity).toMatchObject({ refreshToken: 'token 1', providerSession: 'one' });
    // Where nothing holds any more all wait for the one who asks.
    clock.advance(3_600 * SECOND);
    expect((await all()).map((pass) => pass?.identity?.refreshToken)).toEqual(Array(12).fill('token 2'));
    // A clock that steps back gives nobody more time.
    clock.advance(-3_600 * SECOND);
    await all();
    expect(says.asked).toBe(3);
  });

  it('goes on while the provider is away, as long as what it said holds', async () => {
    const { clock, passes, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    const process = newProcess();
    const ask = async () => process.keep((await passes.find('session', secret))!);
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
    const { clock, passes, says, newProcess, signIn } = createWorld();
    const { secret } = await signIn();
    says.told = changes && { ...says.told!, ...changes };
    clock.advance(240 * SECOND);
    expect(await newProcess().keep((await passes.find('session', secret))!)).toBeUndefined();
    expect(await passes.find('session', secret)).toBeUndefined();
  });

  it('that was ended while the provider was asked stays so', async () => {
    const { clock, passes, newProcess, signIn } = createWorld();
    const { secret, pass } = await signIn();
    clock.advance(240 * SECOND);
    const kept = newProcess().keep(pass);
    await newProcess().logOut('a token', 'test');
    expect(await kept).toBeUndefined();
    expect(await passes.find('session', secret)).toBeUndefined();
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
