import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { LIVE_KEYS_MAX } from '../../src/core/access/key.ts';
import { put } from '../../src/core/access/decide.ts';
import { MARKS_MAX } from '../../src/core/access/mark.ts';
import { MARK } from '../../src/core/access/mark-records.ts';
import { recordsIn, type Records } from '../../src/core/access/records.ts';
import { OWN_VIEWS_MAX, TENANT_VIEWS_MAX } from '../../src/core/access/saved-view.ts';
import type { Stores } from '../../src/index.ts';
import type { Answered } from './changing-process.ts';
import { apiKey } from './api-key.ts';

const PROGRAM = fileURLToPath(new URL('changing-process.ts', import.meta.url));
const TENANT = '00000000-0000-4000-8000-0000000000aa';
const KEY = 'key';

/** Fills all that has a bound, but for the last place. */
async function fill({ tenants, keys, views }: Records): Promise<void> {
  await tenants.create({
    ...{ id: TENANT, alias: 'shop', name: 'Shop', plan: 'free', limits: null, ingestion: null },
    ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 5 },
  });
  for (let i = 0; i < LIVE_KEYS_MAX - 1; i++) {
    const id = i === 0 ? KEY : `key-${i}`;
    await keys.create(apiKey({ id, tenantId: TENANT, createdAt: 5 }));
  }
  for (const [owner, max] of [
    [null, TENANT_VIEWS_MAX],
    ['a person', OWN_VIEWS_MAX],
  ] as const) {
    for (let i = 0; i < max - 1; i++)
      await views.create({
        ...{ id: `${owner ?? ''}-${i}`, tenantId: TENANT, owner, name: `${i}`, question: 'by=a', by: 'ada' },
        ...{ createdAt: 5, changedAt: 5 },
      });
  }
  await tenants.changeRemoteConfig(TENANT, { key: 'first', value: 'on' });
}

/**
 * Lets two processes change the same records at the same moment: both want the last place of all that has a
 * bound. Expects that one gets it, and that no change of the other is lost.
 */
export async function expectRulesOfTwo(place: string, stores: Stores): Promise<void> {
  const records = recordsIn(stores.control);
  await fill(records);
  // One by one, each of which counts those before it, they would take long.
  const marks = Array.from({ length: MARKS_MAX - 1 }, (_, i) => ({
    ...{ id: `mark-${i}`, tenantId: TENANT, time: '2026-05-18T09:00:00.000Z', name: `${i}`, url: null },
  }));
  expect(await stores.control.commit({ puts: marks.map((mark) => put(MARK, mark)) })).toBe(true);
  const begin = async (name: string): Promise<ChildProcess> => {
    const child = fork(PROGRAM, [place, TENANT, KEY, name], { execArgv: ['--import', 'tsx'] });
    await once(child, 'message');
    return child;
  };
  const children = await Promise.all(['one', 'two'].map(begin));
  const answers = children.map(async (child) => {
    const answered = once(child, 'message') as Promise<[Answered]>;
    child.send('go');
    const [{ added }] = await answered;
    return added;
  });
  const [one, two] = (await Promise.all(answers)) as [Answered['added'], Answered['added']];
  const together = Object.entries(one).map(([what, count]) => [what, count + two[what]!] as const);
  expect(Object.fromEntries(together)).toEqual({
    created: 3,
    made: 1,
    shared: 1,
    own: 1,
    named: 2,
    marked: 1,
    spent: 5,
  });

  const { tenants, keys, views, usage, refusals } = records;
  expect(await keys.list(TENANT)).toHaveLength(LIVE_KEYS_MAX);
  expect(await records.marks.list(TENANT)).toHaveLength(MARKS_MAX);
  const all = await views.list(TENANT, 'a person');
  expect(all.filter(({ owner }) => owner === null)).toHaveLength(TENANT_VIEWS_MAX);
  expect(all.filter(({ owner }) => owner !== null)).toHaveLength(OWN_VIEWS_MAX);
  expect((await tenants.list()).map(({ alias }) => alias)).toEqual([
    'shop',
    'wanted-0',
    'wanted-1',
    'wanted-2',
  ]);
  expect(await tenants.remoteConfig(TENANT)).toHaveLength(21);
  const key = (await keys.list(TENANT)).find(({ id }) => id === KEY)!;
  expect(key.secrets).toHaveLength(10);
  expect(await keys.findBySecretHash(KEY)).toBeUndefined();
  const sum = { requests: 20, refused: 20, limited: 20, events: 20, rejected: 20, bytes: 20 };
  expect(await usage.list(TENANT, '0000-01-01')).toEqual([{ day: '2024-03-01', ...sum }]);
  expect(await refusals.list(TENANT)).toMatchObject([{ reason: 'json', count: 20 }]);
}
