import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../adapters/sqlite/file/migrations.ts';
import { MINUTE_MS } from '../../../src/core/base/token-bucket.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { addFirstVersionLog, createFirstVersion } from './first-version.ts';
import { eventsFrom, newFile, openRaw, openStores, P_IS_3, PAGE, TENANT, wrapping } from './fixtures.ts';
import { testResources } from '../../support/resources.ts';

const PLANS_BEFORE = {
  free: { name: 'free', queryApi: false, limits: { perMinute: 0, perDay: 0 } },
  growth: { name: 'growth', queryApi: true, limits: { perMinute: 7, perDay: 77 } },
  own: { name: 'custom', queryApi: true, limits: { perMinute: 3, perDay: 30 } },
  boundless: { name: 'custom', queryApi: true, limits: null },
};

/** A file of the first version with one of everything in it. */
function oldFile(): string {
  const file = newFile();
  const old = createFirstVersion(file);
  const jwt = JSON.stringify({ issuer: 'i', audience: 'a', jwksUrl: 'https://keys.test/' });
  for (const [alias, plan] of Object.entries(PLANS_BEFORE)) {
    old
      .prepare("INSERT INTO tenants VALUES (?, ?, 'Name', ?, 'JWT', ?, 5)")
      .run(`id-of-${alias}`, alias, JSON.stringify(plan), jwt);
  }
  old.exec(`
    INSERT INTO api_keys VALUES (1, 'k1', 'id-of-own', 'first', '["query"]', 1, NULL, NULL, 9),
      (2, 'k2', 'id-of-own', 'second', '["ingest"]', 2, 50, 60, NULL);
    INSERT INTO key_secrets VALUES (1, 'hash-1', 'k1', 1, NULL), (2, 'hash-2', 'k1', 2, 70),
      (3, 'hash-3', 'k2', 3, NULL);
    INSERT INTO buckets VALUES ('k1', ${2 * MINUTE_MS}, ${2 * 86_400_000}, 1000);
    INSERT INTO column_chunks VALUES (1, 'properties."p"', 0, '[1,"x"]', zeroblob(32768), 1);
  `);
  addFirstVersionLog(old, { number: 1, tenantId: TENANT, count: 300 }, (i) => eventsFrom(i, 1)[0]!);
  addFirstVersionLog(old, { number: 2, tenantId: 'another', count: 20 }, (i) => eventsFrom(i, 1)[0]!);
  old.close();
  return file;
}

describe('a file of the first version', () => {
  it('keeps every event, answers about it, and goes on from it', async () => {
    const { events } = openStores(oldFile());
    expect(await events.count(TENANT, EVERYTHING)).toBe(300);
    expect(await events.count(TENANT, P_IS_3)).toBe(60);
    expect(await events.count('another', EVERYTHING)).toBe(20);
    expect(await events.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
    expect((await events.query(TENANT, EVERYTHING, PAGE)).last).toMatchObject({ insertId: 'id-290' });
    const again = await events.append(TENANT, eventsFrom(290, 20), { namesMax: 3 });
    expect(again).toEqual({ duplicates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], overNames: [] });
    expect(await events.count(TENANT, EVERYTHING)).toBe(310);
  });

  it('keeps tenants: the names of their plans, and limits where they are their own', async () => {
    const { tenants } = openStores(oldFile());
    const kept = await tenants.list();
    expect(kept.map(({ alias, plan, limits }) => [alias, plan, limits])).toEqual([
      ['boundless', 'custom', null],
      ['free', 'free', null],
      ['growth', 'growth', null],
      ['own', 'custom', { perMinute: 3, perDay: 30 }],
    ]);
    expect(await tenants.findById('id-of-own')).toEqual({
      id: 'id-of-own',
      alias: 'own',
      name: 'Name',
      plan: 'custom',
      limits: { perMinute: 3, perDay: 30 },
      ingestion: 'default',
      retentionDays: null,
      authStrategy: 'JWT',
      jwt: { issuer: 'i', audience: 'a', jwksUrl: 'https://keys.test/' },
      createdAt: 5,
    });
  });

  it('keeps keys, their secrets and what they have used of their limits', async () => {
    const { keys, limits } = openStores(oldFile(), {
      resources: testResources({ runtime: { now: () => 1000 } }),
    });
    expect(await keys.findBySecretHash('hash-2')).toMatchObject({ id: 'k1', lastUsedAt: 9, expiresAt: null });
    expect((await keys.findBySecretHash('hash-1'))?.secrets).toHaveLength(2);
    expect(await keys.list('id-of-own')).toMatchObject([
      { id: 'k1' },
      { id: 'k2', revokedAt: 60, expiresAt: 50 },
    ]);
    const windows = [
      { limit: 3, windowMs: MINUTE_MS },
      { limit: 30, windowMs: 86_400_000 },
    ];
    const state = await limits.take('k1', windows, 0);
    expect(state.windows.map(({ remaining }) => remaining)).toEqual([1, 28]);
  });

  it('knows how much room the columns take that it has', () => {
    const file = oldFile();
    openStores(file);
    const rows = openRaw(file).prepare('SELECT log, path, bytes FROM column_paths').all();
    expect(rows).toEqual([{ log: 1, path: 'properties."p"', bytes: 32_768 + '[1,"x"]'.length }]);
  });

  it('is brought up to date once by processes that open it together', async () => {
    const file = oldFile();
    let others = 0;
    // While this one waits for the lock, another opens the file and is done.
    const connect = wrapping(file, {
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE' && others++ === 0) openStores(file);
      },
    });
    const { events } = openStores(file, { connect });
    expect(others).toBeGreaterThan(0);
    expect(await events.count(TENANT, EVERYTHING)).toBe(300);
  });
});

describe('a file whose notes hold keys', () => {
  /** As the sixth step left it, with a note of two changes and a tenant that was given a private key. */
  function fileWithKeys(): string {
    const file = newFile();
    const old = openRaw(file);
    old.pragma('journal_mode = WAL');
    for (const step of MIGRATIONS.slice(0, 6)) old.exec(step);
    old.pragma('user_version = 6');
    old.pragma('application_id = 0x65767471');
    const insert = old.prepare('INSERT INTO audit (tenant_id, note) VALUES (?, ?)');
    const note = { who: 'ada', from: '::1', at: 7, action: 'tenant.set', tenantId: 't', alias: 'shop' };
    const jwt = { issuer: 'i', audience: 'a', publicKeyPem: SECRET_PEM };
    insert.run('t', JSON.stringify({ ...note, details: { authStrategy: 'JWT', jwt } }));
    insert.run('t', JSON.stringify({ ...note, at: 8, details: { name: 'Shop', jwt: null } }));
    old
      .prepare(
        "INSERT INTO tenants VALUES ('t', 'shop', 'Shop', 'scale', 'JWT', ?, 5, NULL, '\"default\"', NULL)",
      )
      .run(JSON.stringify(jwt));
    return file;
  }

  const SECRET_PEM =
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAtheveryfoundkey\n-----END PRIVATE KEY-----\n';

  it('holds none afterwards, nor does the file beside it, and its notes have ids', async () => {
    const file = fileWithKeys();
    const { admins, tenants } = openStores(file);
    const notes = (await admins!.audit({ size: 9, tenantIds: ['t'] }))!;
    expect(notes.map(({ at, passId, person, details }) => ({ at, passId, person, details }))).toEqual([
      { at: 8, passId: null, person: null, details: { name: 'Shop', jwt: null } },
      {
        ...{ at: 7, passId: null, person: null },
        details: { authStrategy: 'JWT', jwt: { issuer: 'i', audience: 'a', publicKey: 'not kept' } },
      },
    ]);
    expect(await admins!.audit({ before: notes[0]!.id, size: 9, tenantIds: null })).toEqual([notes[1]]);
    expect((await tenants.findById('t'))?.jwt).toMatchObject({ issuer: 'i', audience: 'a' });
    for (const each of [file, `${file}-wal`]) expect(readFileSync(each, 'latin1')).not.toContain('veryfound');
  });
});
