import { describe, expect, it } from 'vitest';
import {
  isOpen,
  isCredentialSecret,
  type CredentialKind,
} from '../../../src/core/access/admin-credential.ts';
import type { Stores } from '../../../src/index.ts';
import type { AdminCredential } from '../../../src/store-kit.ts';
import { createPlainApi } from '../../support/plain-api.ts';

const BY = { who: 'test', from: 'test' };
const KINDS: readonly CredentialKind[] = ['link', 'session', 'key'];
/** For how long a session may rest. */
const SESSION_IDLE_MS = 8 * 3_600_000;
const HOLDER = { name: 'a', role: 'admin', tenantIds: null } as const;

/** An API whose store of credentials counts what it is asked, and may fail to note a use. */
function openPasses({ touches = true } = {}) {
  const asked = { findByHash: 0, touch: 0 };
  const wrap = (stores: Stores): Stores => ({
    ...stores,
    control: {
      ...stores.control,
      find: (kind, name) => {
        if (kind === 'credential') asked.findByHash += 1;
        return stores.control.find(kind, name);
      },
      commit: (change) => {
        if (change.mayBeLost !== true) return stores.control.commit(change);
        asked.touch += 1;
        return touches ? stores.control.commit(change) : Promise.reject(new Error('no disk'));
      },
    },
  });
  const api = createPlainApi({ wrap });
  return { ...api, credentials: api.credentials, asked };
}

describe('a credential', () => {
  it('is noted as used once a minute, however often it is', async () => {
    const { credentials, clock, asked } = openPasses();
    const { secret, credential } = await credentials.createKey(HOLDER, null, BY);
    const find = async () => expect((await credentials.find('key', secret))?.id).toBe(credential.id);
    for (let i = 0; i < 10; i++) await find();
    clock.advance(59_999);
    await find();
    expect(asked.touch).toBe(1);
    clock.advance(1);
    await find();
    expect(asked.touch).toBe(2);
    // A clock that was set back by as much is noted too.
    clock.advance(-60_000);
    await find();
    expect(asked.touch).toBe(3);
  });

  it('opens although its use cannot be noted', async () => {
    const { credentials } = openPasses({ touches: false });
    const { secret, credential } = await credentials.createKey(HOLDER, null, BY);
    expect((await credentials.find('key', secret))?.id).toBe(credential.id);
  });

  it('is looked up only where its secret has the form of its kind', async () => {
    const { credentials, asked } = openPasses();
    const { secret } = await credentials.createKey(HOLDER, null, BY);
    for (const text of [
      '',
      secret.slice(0, -1),
      `${secret}0`,
      secret.toUpperCase(),
      `eqs_${secret.slice(4)}`,
    ])
      expect(await credentials.find('key', text)).toBeUndefined();
    expect(await credentials.find('session', secret)).toBeUndefined();
    expect(asked.findByHash).toBe(0);
    expect(KINDS.filter((kind) => isCredentialSecret(kind, secret))).toEqual(['key']);
  });

  it('is listed where it is a key', async () => {
    const { credentials } = openPasses();
    const { secret } = await credentials.createLink(HOLDER, BY);
    await credentials.spend(secret, 'here');
    await credentials.createLink(HOLDER, BY);
    const { credential } = await credentials.createKey({ ...HOLDER, name: ' robot ' }, 5, BY);
    expect((await credentials.keys()).map(({ id, name, expiresAt }) => [id, name, expiresAt])).toEqual([
      [credential.id, 'robot', 5],
    ]);
  });

  it('opens as what it is, until it expires', () => {
    const credential: AdminCredential = {
      ...{ id: 'i', hash: 'h', kind: 'key', ...HOLDER },
      ...{ viewedIds: [], identity: null, invitation: null },
      ...{ createdAt: 0, expiresAt: 1000, lastUsedAt: null },
    };
    for (const kind of KINDS) expect(isOpen({ ...credential, kind: 'key' }, kind, 999)).toBe(kind === 'key');
    expect(isOpen(credential, 'key', 1000)).toBe(false);
    expect(isOpen({ ...credential, expiresAt: null }, 'key', 2 ** 50)).toBe(true);
    const session: AdminCredential = { ...credential, kind: 'session', expiresAt: 2 ** 50 };
    expect(isOpen(session, 'session', SESSION_IDLE_MS - 1)).toBe(true);
    expect(isOpen(session, 'session', SESSION_IDLE_MS)).toBe(false);
    expect(isOpen({ ...session, lastUsedAt: 1 }, 'session', SESSION_IDLE_MS)).toBe(true);
  });
});
