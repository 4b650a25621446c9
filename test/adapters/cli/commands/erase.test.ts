import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { sqliteStores } from '../../../../adapters/sqlite/index.ts';
import type { ErasureReceipt } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const place = createPlace();
afterAll(() => place.remove());

const DAY = 86_400_000;
/** The day of the first hundred events. */
const START = Date.UTC(2024, 0, 1);

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  const event = (i: number) => ({
    eventName: i % 2 === 0 ? 'even' : 'odd',
    userId: i % 10 === 0 ? 'user "who" goes' : `user-${i % 10}`,
    eventTs: START + Math.floor(i / 100) * DAY,
    insertId: `id-${i}`,
    properties: { text: `${i % 10 === 0 ? 'secret-text' : 'text'}-${i}` },
  });
  await place.import('shop', toNdjson(Array.from({ length: 1000 }, (_, i) => event(i))));
});

describe('erase', () => {
  it('says how many events it would erase, and erases none without --yes', async () => {
    const user = ['erase', 'shop', '--user', 'user "who" goes'];
    expect(await place.ok([...user, '--dry-run'])).toBe('100 events match; nothing was erased\n');
    const { code, stderr } = await place.run(user);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/erases 100 events of shop permanently; confirm with --yes/),
    ]);
    expect(await place.ok(['count', 'shop'])).toBe('1000\n');
  });

  it('asks nothing when no event matches', async () => {
    const nobody = ['erase', 'shop', '--user', 'nobody'];
    expect(await place.ok(nobody)).toBe('0 events match; nothing was erased\n');
    expect(JSON.parse(await place.ok([...nobody, '--json']))).toEqual({
      events: 0,
      erased: 0,
      receipt: null,
    });
  });

  it('never takes a missing filter for everything', async () => {
    const { code, stderr } = await place.run(['erase', 'shop', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/choose events with/)]);
    expect(await place.ok(['count', 'shop'])).toBe('1000\n');
  });

  it('erases a user, and compact then leaves no byte of them', async () => {
    expect(await place.ok(['erase', 'shop', '--user', 'user "who" goes', '--yes'])).toBe(
      '100 events erased\n',
    );
    expect(await place.ok(['count', 'shop'])).toBe('900\n');
    await place.ok(['compact']);
    for (const file of [place.db, `${place.db}-wal`].filter((each) => existsSync(each))) {
      expect(readFileSync(file).includes('secret-text')).toBe(false);
      expect(readFileSync(file).includes('user "who" goes')).toBe(false);
    }
  });

  it('leaves an audit entry, without the user', async () => {
    const stores = sqliteStores({ connect: () => new Database(place.db), resources: testResources() });
    const asked = { before: undefined, size: 1, tenantIds: null };
    const [entry] = (await recordsIn(stores.control).admins.audit(asked))!;
    await stores.close();
    expect(entry).toMatchObject({
      ...{
        action: 'events.erase',
        alias: 'shop',
        from: 'command line',
        details: { matched: 100, filters: 1 },
      },
    });
    expect(JSON.stringify(entry)).not.toContain('goes');
  });

  it('erases the events that match all flags', async () => {
    const old = ['erase', 'shop', '--before', '2024-01-02', '--event', 'odd', '--yes', '--json'];
    expect(JSON.parse(await place.ok(old))).toMatchObject({ events: 100, erased: 100 });
    expect(await place.ok(['count', 'shop'])).toBe('800\n');
    expect(JSON.parse(await place.ok(old))).toMatchObject({ events: 0, erased: 0 });
    const instant = ['erase', 'shop', '--until', '2000-01-01T00:00:00Z', '--dry-run'];
    expect(await place.ok(instant)).toBe('0 events match; nothing was erased\n');
  });
});

describe('the receipt of an erasure', () => {
  it('writes a receipt of a user’s erasure, which names the audit entry and no user', async () => {
    const file = join(place.folder, 'receipt.json');
    const ofUser = ['--user', 'user-7'];
    const kept = (await place.ok(['export', 'shop', ...ofUser])).trim().split('\n');
    expect(kept.length).toBe(80);
    expect(await place.ok(['erase', 'shop', ...ofUser, '--yes', '--receipt', file])).toBe(
      '80 events erased\n',
    );
    const text = readFileSync(file, 'utf8');
    const receipt = JSON.parse(text) as ErasureReceipt;
    const stores = sqliteStores({ connect: () => new Database(place.db), resources: testResources() });
    const asked = { before: undefined, size: 1, tenantIds: null };
    const [entry] = (await recordsIn(stores.control).admins.audit(asked))!;
    await stores.close();
    const sorted = Object.fromEntries(Object.entries(entry!).sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(receipt).toEqual({
      ...{ tenant: 'shop', erased: 80, names: [{ eventName: 'odd', count: 80 }], otherNames: 0 },
      ...{ first: '2024-01-03T00:00:00.000Z', last: '2024-01-10T00:00:00.000Z' },
      ...{ at: new Date(entry!.at).toISOString(), by: entry!.who },
      auditEntry: {
        id: entry!.id,
        sha256: createHash('sha256')
          .update(JSON.stringify({ ...sorted, details: { filters: 1, matched: 80 } }))
          .digest('hex'),
      },
    });
    expect(text).not.toContain('user-7');
    expect(await place.ok(['export', 'shop', ...ofUser])).toBe('');
  });

  it('erases nothing where the receipt cannot be written', async () => {
    const erase = ['erase', 'shop', '--user', 'user-3', '--yes', '--receipt'];
    for (const file of [join(place.folder, 'receipt.json'), join(place.folder, 'none', 'receipt.json')]) {
      const { code, stderr } = await place.run([...erase, file]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`--receipt ${file}`)]);
    }
    expect(await place.ok(['count', 'shop', '--user', 'user-3'])).toBe('80\n');
  });
});
