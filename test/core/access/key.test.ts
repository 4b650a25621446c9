import { describe, expect, it } from 'vitest';
import { parseKeyOptions } from '../../../src/core/access/admin-options.ts';
import { createSecret, isSecret, isUsable, withSecret } from '../../../src/core/access/key.ts';
import { apiKey } from '../../support/api-key.ts';

const secret = (hash: string, expiresAt: number | null = null) => ({ hash, createdAt: 0, expiresAt });
const key = apiKey({ id: 'k', tenantId: 't', createdAt: 0, secrets: [secret('old', 100), secret('new')] });

describe('secrets', () => {
  it('are 256 bits behind a prefix', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => i * 8);
    const runtime = { randomBytes: (length: number) => bytes.slice(0, length) };
    const made = createSecret(runtime, { permissions: ['query', 'ingest'] });
    expect(made).toBe(`eqk_${Buffer.from(bytes).toString('hex')}`);
    expect(made).toHaveLength(68);
    expect(isSecret(made, 'query')).toBe(true);
    expect(isSecret(made, 'ingest')).toBe(true);
  });

  it('of public write keys have a prefix of their own, and neither stands for the other', () => {
    const runtime = { randomBytes: (length: number) => new Uint8Array(length) };
    const shown = createSecret(runtime, { permissions: ['write'] });
    expect(shown).toBe(`eqw_${'0'.repeat(64)}`);
    expect(isSecret(shown, 'write')).toBe(true);
    expect(isSecret(shown, 'query')).toBe(false);
    expect(isSecret(shown, 'ingest')).toBe(false);
    expect(isSecret(createSecret(runtime, { permissions: ['ingest'] }), 'write')).toBe(false);
  });

  it.each([
    '',
    'eqk_',
    `eqk_${'a'.repeat(63)}`,
    `eqk_${'A'.repeat(64)}`,
    `eqk_${'a'.repeat(64)}\n`,
    ` eqk_${'a'.repeat(64)}`,
  ])('%j is none', (text) => {
    expect(isSecret(text, 'query')).toBe(false);
    expect(isSecret(text.replace('eqk', 'eqw'), 'write')).toBe(false);
  });
});

describe('isUsable', () => {
  it('asks for the secret, the permission, and the time of both', () => {
    expect(isUsable(key, 'new', 'query', 500)).toBe(true);
    expect(isUsable(key, 'old', 'query', 99)).toBe(true);
    expect(isUsable(key, 'old', 'query', 100)).toBe(false);
    expect(isUsable(key, 'other', 'query', 0)).toBe(false);
    expect(isUsable(key, 'new', 'ingest', 0)).toBe(false);
    expect(isUsable({ ...key, revokedAt: 50 }, 'new', 'query', 10)).toBe(false);
    expect(isUsable({ ...key, revokedAt: 0 }, 'new', 'query', 10)).toBe(false);
    expect(isUsable({ ...key, expiresAt: 100 }, 'new', 'query', 99)).toBe(true);
    expect(isUsable({ ...key, expiresAt: 100 }, 'new', 'query', 100)).toBe(false);
    expect(isUsable({ ...key, secrets: [] }, 'new', 'query', 0)).toBe(false);
  });
});

describe('withSecret', () => {
  const added = { hash: 'added', createdAt: 50, expiresAt: null };
  const endsOf = (othersExpireAt: number) =>
    Object.fromEntries(
      withSecret(key, added, othersExpireAt)!.secrets.map(({ hash, expiresAt }) => [hash, expiresAt]),
    );

  it('ends the others where they would live longer, and never lets one live on', () => {
    expect(endsOf(70)).toEqual({ old: 70, new: 70, added: null });
    expect(endsOf(200)).toEqual({ old: 100, new: 200, added: null });
  });

  it('changes nothing else, and not the key that it was given', () => {
    expect({ ...withSecret(key, added, 70), secrets: key.secrets }).toEqual(key);
    expect(key.secrets[0]).toEqual(secret('old', 100));
  });

  it('gives none to a revoked key, at whatever time', () => {
    expect(withSecret({ ...key, revokedAt: 0 }, added, 70)).toBeUndefined();
  });
});

describe('permissions', () => {
  const permissionsOf = (permissions: unknown) => parseKeyOptions({ name: 'k', permissions }).permissions;

  it('are each taken once, in the order of the table', () => {
    expect(permissionsOf(['ingest', 'query', 'ingest'])).toEqual(['query', 'ingest']);
  });

  it.each([[[]], ['query'], [null]])('%j are none', (names) => {
    expect(() => permissionsOf(names)).toThrow('permissions: takes one or more of query, ingest, write');
  });

  it.each([[['admin']], [['Query']], [['__proto__']], [[['query']]]])('%j are not known', (names) => {
    expect(() => permissionsOf(names)).toThrow('permissions[0]: use one of query, ingest, write, got');
  });
});
