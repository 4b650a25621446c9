import { expect } from 'vitest';
import { createAdminCredentials } from '../../src/core/access/admin-credentials.ts';
import { credentialsIn } from '../../src/core/access/credential-records.ts';
import type { ControlStore } from '../../src/store-kit.ts';
import { testResources } from './resources.ts';

const BY = { who: 'ada', from: 'program' };
const HOUR_MS = 3_600_000;

/** A control store that counts the documents that it returns. */
function counting(control: ControlStore) {
  let documents = 0;
  const counted = async <T>(answer: Promise<T>, countOf: (found: T) => number): Promise<T> => {
    documents += countOf(await answer);
    return answer;
  };
  const one = (found: unknown) => (found === undefined ? 0 : 1);
  const store: ControlStore = {
    get: (...asked) => counted(control.get(...asked), one),
    find: (...asked) => counted(control.find(...asked), one),
    list: (...asked) => counted(control.list(...asked), ({ length }) => length),
    commit: (change) => control.commit(change),
    audit: (page) => control.audit(page),
    trimAudit: (max) => control.trimAudit(max),
  };
  /** How many documents something reads. */
  const readBy = async (ask: () => Promise<unknown>) => {
    documents = 0;
    await ask();
    return documents;
  };
  return { store, readBy };
}

/**
 * Expects that a sign-in, a request of a session, one of a key, and a logout read as many documents however
 * many people are signed in, and that what has ended goes.
 */
export async function expectSignInReads(control: ControlStore): Promise<void> {
  let now = 1_700_000_000_000;
  const { store, readBy } = counting(control);
  const runtime = { ...testResources().runtime, now: () => now };
  const admins = credentialsIn(store);
  const credentials = createAdminCredentials({ admins, runtime });
  const holder = { name: 'ada', role: 'admin' as const, tenantIds: null };
  const key = await credentials.createKey(holder, null, BY);
  const costs = async (id: string) => {
    const { secret: code } = await credentials.createLink(holder, BY);
    let session = '';
    const spent = await readBy(async () => {
      session = (await credentials.spend(code, '::1')).secret;
    });
    return {
      spent,
      session: await readBy(() => credentials.find('session', session)),
      key: await readBy(() => credentials.find('key', key.secret)),
      logout: await readBy(() => admins.spend(id, now + HOUR_MS, now)),
    };
  };
  for (let i = 0; i < 20; i++) await costs(`few ${i}`);
  const few = await costs('few');
  for (let i = 0; i < 200; i++) {
    await credentials.createSession(holder, BY);
    await admins.spend(`many ${i}`, now + HOUR_MS, now);
  }
  expect(await costs('many')).toEqual(few);
  // All have ended: each that comes removes more than it adds.
  now += 100 * HOUR_MS;
  for (let i = 0; i < 40; i++) {
    await credentials.createSession(holder, BY);
    await admins.spend(`late ${i}`, now + HOUR_MS, now);
  }
  expect((await admins.list()).map(({ kind }) => kind)).toEqual([
    'key',
    ...Array<string>(40).fill('session'),
  ]);
  expect(await store.list('spent', '')).toHaveLength(40);
}
