import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { createAdmin, createApi, type Stores } from '../../../src/index.ts';
import type { HttpRequest } from '../../../src/transport-kit.ts';
import { newFile, openRaw, openStores } from '../../adapters/sqlite/fixtures.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const ROWS = ['documents', 'document_names', 'buckets', 'events', 'event_names'];

/** A batch whose body comes when the test lets it. */
function slowBatch(alias: string) {
  let send: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  let asked: () => void = () => undefined;
  const awaited = new Promise<void>((resolve) => (asked = resolve));
  const request: HttpRequest = {
    method: 'POST',
    target: `/v1/events/${alias}/multi`,
    header: (name) => (name === 'content-type' ? 'application/json' : undefined),
    signal: { aborted: false },
    text: async () => {
      asked();
      await sent;
      return '[{"eventName":"late","userId":"u"}]';
    },
  };
  return { request, awaited, send };
}

describe.each<[string, () => { stores: Stores; left?: () => number[] }]>([
  ['memory', () => ({ stores: memoryStores({ resources: testResources() }) })],
  [
    'SQLite',
    () => {
      const file = newFile();
      const count = (table: string) =>
        (openRaw(file).prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
      return { stores: openStores(file), left: () => ROWS.map(count) };
    },
  ],
])('a tenant that is deleted from %s', (_name, open) => {
  it('leaves nothing of what was on its way', async () => {
    const { stores, left } = open();
    const resources = testResources();
    const { runtime } = resources;
    const { handler } = createApi({ stores, resources });
    const admin = createAdmin({ stores, runtime });
    const { id } = await admin.createTenant({ alias: 'shop', plan: 'growth' });
    const { key } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
    await stores.limits.take(key.id, requestWindows({ perMinute: 5, perDay: 5 }), REQUEST_COST);
    const batches = Array.from({ length: 5 }, () => slowBatch('shop'));
    const answers = batches.map(({ request }) => handler(request));
    await Promise.all(batches.map(({ awaited }) => awaited));
    const keys = Array.from({ length: 5 }, (_, i) =>
      admin.createKey('shop', { name: `late ${i}`, permissions: ['query'] }).catch(() => undefined),
    );
    const deleted = admin.deleteTenant('shop');
    // Some come before the tenant is gone, some after.
    batches.slice(0, 2).forEach(({ send }) => send());
    await deleted;
    batches.slice(2).forEach(({ send }) => send());
    await Promise.all(keys);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.slice(2)).toEqual([404, 404, 404]);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    expect(await stores.events.eventNames(id)).toEqual([]);
    expect(await recordsIn(stores.control).keys.list(id)).toEqual([]);
    const late = { eventName: 'e', userId: 'u', eventTs: 1, insertId: 'i', propertiesJson: '{}' };
    await expect(stores.events.append(id, [late])).rejects.toMatchObject({ code: 'tenantNotFound' });
    // What a batch counted of the tenant behind the deletion is a row of numbers, and all that is left.
    if (left !== undefined) expect(left().filter((_, i) => ROWS[i] !== 'buckets')).toEqual([0, 0, 0, 0]);
  });

  it('leaves no key that is made meanwhile', async () => {
    const { stores } = open();
    const resources = testResources();
    const { runtime } = resources;
    const admin = createAdmin({ stores, runtime });
    const options = { name: 'late', permissions: ['query'] };
    const drop = async (id: string) => {
      await admin.createKey('shop', options);
      await stores.events.drop(id);
    };
    const deleting = createAdmin({ stores: { ...stores, events: { ...stores.events, drop } }, runtime });
    const { id } = await admin.createTenant({ alias: 'shop', plan: 'growth' });
    await deleting.deleteTenant('shop');
    expect(await recordsIn(stores.control).keys.list(id)).toEqual([]);

    const next = await admin.createTenant({ alias: 'shop', plan: 'growth' });
    let isFirst = true;
    const commit: Stores['control']['commit'] = async (change) => {
      if (isFirst) await admin.deleteTenant('shop');
      isFirst = false;
      return stores.control.commit(change);
    };
    const making = createAdmin({ stores: { ...stores, control: { ...stores.control, commit } }, runtime });
    await expect(making.createKey('shop', options)).rejects.toMatchObject({ code: 'tenantNotFound' });
    expect(await recordsIn(stores.control).keys.list(next.id)).toEqual([]);
  });

  it('can be deleted again when the first time was cut short', async () => {
    const { stores } = open();
    const resources = testResources();
    const { runtime } = resources;
    const admin = createAdmin({ stores, runtime });
    const { id } = await admin.createTenant({ alias: 'shop', plan: 'growth' });
    const fail = () => Promise.reject(new Error('the process ends here'));
    const cut = createAdmin({ stores: { ...stores, events: { ...stores.events, drop: fail } }, runtime });
    await expect(cut.deleteTenant('shop')).rejects.toThrow('ends here');
    expect((await admin.getTenant('shop')).id).toBe(id);
    await admin.deleteTenant('shop');
    expect(await admin.listTenants()).toEqual([]);
  });
});
