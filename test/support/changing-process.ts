import Database from 'better-sqlite3';
import pg from 'pg';
import { postgresStores } from '../../adapters/postgres/index.ts';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { recordsIn } from '../../src/core/access/records.ts';
import type { Mark } from '../../src/index.ts';
import type { SavedView } from '../../src/core/access/saved-view.ts';
import { testResources } from './resources.ts';
import { apiKey } from './api-key.ts';

/** What one process was answered. */
export interface Answered {
  /** How many tenants, keys, views, marks and single-use ids it added. */
  readonly added: Readonly<Record<string, number>>;
}

/**
 * Changes records of a tenant that have a bound, at the same moment as another process: with the address of
 * a database or the path of a file, the tenant's id, a key of it, and a name of its own.
 */
const [place = '', tenantId = '', keyId = '', name = ''] = process.argv.slice(2);
const isServer = place.startsWith('postgres');
const pool = isServer ? new pg.Pool({ connectionString: place, max: 8 }) : undefined;
const resources = testResources();
const stores =
  pool === undefined
    ? sqliteStores({ connect: () => new Database(place), resources })
    : await postgresStores({ pool, resources });
const { tenants, keys, views, marks, admins, usage, refusals } = recordsIn(stores.control);

const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const secretOf = (text: string) => ({ hash: text, createdAt: 5, expiresAt: null });

const newKey = (i: number) => apiKey({ id: `${name}-${i}`, tenantId, name, createdAt: 5 });

const newView = (i: number, owner: string | null, title = `${name} ${i}`): SavedView => ({
  ...{ id: `${name}-${owner ?? ''}-${title}`, tenantId, owner, name: title, question: 'by=a', by: name },
  ...{ createdAt: 5, changedAt: 5 },
});

const newMark = (i: number): Mark => ({
  ...{ id: `${name}-${i}`, tenantId, time: '2026-05-18T09:00:00.000Z', name, url: null },
});

const counts = { requests: 1, refused: 1, limited: 1, events: 1, rejected: 1, bytes: 1 };
const row = { reason: 'json' as const, count: 1, firstAt: 1, lastAt: 2, example: null };

async function changeAll(): Promise<Answered> {
  const [created, made, shared, own, named, marked, spent] = await Promise.all([
    times(3, (i) =>
      tenants.create({
        ...{ id: `${name}-${i}`, alias: `wanted-${i}`, name, plan: 'free', limits: null, ingestion: null },
        ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 5 },
      }),
    ),
    times(4, (i) => keys.create(newKey(i))),
    times(3, (i) => views.create(newView(i, null))),
    times(3, (i) => views.create(newView(i, 'a person'))),
    times(2, (i) => views.create(newView(i, 'another', `same ${i}`))),
    times(3, (i) => marks.create(newMark(i))),
    times(5, (i) => admins.spend(`id ${i}`, 1_000, 5)),
    times(8, (i) => keys.addSecret(keyId, secretOf(`${name}-second-${i}`), 1_000)),
    times(10, (i) => tenants.changeRemoteConfig(tenantId, { key: `${name}-${i}`, value: 'on' })),
    times(10, () => usage.add(tenantId, [{ day: '2024-03-01', ...counts }])),
    times(10, () => refusals.add(tenantId, [row])),
    times(10, (i) => keys.touch(keyId, i)),
  ]);
  const isMade = (each: unknown) => each === true || each === 'created' || typeof each === 'object';
  const results = { created, made, shared, own, named, marked, spent };
  const added = Object.entries(results).map(([what, all]) => [what, all.filter(isMade).length] as const);
  return { added: Object.fromEntries(added) };
}

process.once('message', () => {
  void changeAll().then(async (answered) => {
    await stores.close();
    await pool?.end();
    process.send?.(answered, () => process.disconnect());
  });
});
process.send?.('ready');
