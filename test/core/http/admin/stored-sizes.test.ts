import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { signIn } from './visitors.ts';

interface Sizes {
  readonly events: number;
  readonly bytes: number;
  readonly names: readonly { readonly eventName: string; readonly events: number; readonly bytes: number }[];
}

async function openShop() {
  const api = createPlainApi();
  const key = await api.createTenant('shop');
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const { ask } = await signIn(api);
  return {
    api,
    append: async (events: Parameters<typeof api.stores.events.append>[1]) =>
      api.stores.events.append((await api.admin.getTenant('shop')).id, events),
    /** How many bytes an export has. */
    exported: async (body: object) => {
      const target = '/v1/api/query/export/shop';
      const answer = await api.send({ target, headers, body: JSON.stringify(body) });
      return Buffer.byteLength(answer.body);
    },
    sizes: async () => {
      const { status, body } = await ask('usage/stored/shop');
      expect(status).toBe(200);
      return JSON.parse(body) as Sizes;
    },
  };
}

it('what a tenant has stored is as large as its export, in all and of each name', async () => {
  await fc.assert(
    fc.asyncProperty(batchesOf({ batches: 3, size: 12 }), async (batches) => {
      const { append, exported, sizes } = await openShop();
      for (const batch of batches) await append(batch);
      const { events, bytes, names } = await sizes();
      expect(bytes).toBe(await exported({}));
      for (const { eventName, ...size } of names)
        expect([eventName, size.bytes]).toEqual([eventName, await exported({ event: eventName })]);
      expect(names.map((each) => each.bytes)).toEqual(names.map((each) => each.bytes).sort((a, b) => b - a));
      expect(names.reduce((sum, each) => sum + each.events, 0)).toBe(events);
    }),
    { numRuns: 40 },
  );
});

it('of no events, nothing is stored', async () => {
  const { sizes } = await openShop();
  expect(await sizes()).toEqual({ events: 0, bytes: 0, names: [] });
});
