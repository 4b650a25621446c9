import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { eventsFrom, newFile, openStores, TENANT } from './fixtures.ts';
import { testResources } from '../../support/resources.ts';

const OTHER = '00000000-0000-4000-8000-0000000000b2';
const EVERYTHING = parseCountBody({});
/** Three times as many events as are encoded at once. */
const LARGE = eventsFrom(0, 1500, (i) => ['x'.repeat(1000), i, { é: [null, true, 1e21, -0.5] }]);

describe('a large batch', () => {
  it('lets others store theirs before it, and is stored as it came', async () => {
    const { events } = openStores(newFile());
    const stored: string[] = [];
    const large = events.append(TENANT, LARGE).then((result) => {
      stored.push('large');
      return result;
    });
    await events.append(OTHER, eventsFrom(0, 1)).then(() => stored.push('small'));
    const none = { duplicates: [], overNames: [] };
    expect(await large).toEqual(none);
    expect(stored).toEqual(['small', 'large']);
    const page = await collect(await events.query(TENANT, EVERYTHING, { offset: 0, size: 1000 }));
    expect(page).toEqual(LARGE.slice(-1000).reverse());
    expect(await events.append(TENANT, LARGE)).toMatchObject({ duplicates: { length: LARGE.length } });
  });

  it('keeps its place among what is written for its tenant, and is stored when they close', async () => {
    const file = newFile();
    const stores = openStores(file);
    const { events } = stores;
    const [first] = LARGE;
    const changed = { ...first!, propertiesJson: '{"p":"changed"}' };
    const none = { duplicates: [], overNames: [] };
    const writes = [events.append(TENANT, LARGE), events.append(TENANT, [changed])];
    expect(await Promise.all(writes)).toEqual([none, { ...none, duplicates: [0] }]);
    const again = [events.append(TENANT, LARGE), events.erase(TENANT), events.append(TENANT, [changed])];
    expect(await Promise.all(again)).toEqual([expect.anything(), LARGE.length, none]);
    const last = events.append(OTHER, LARGE);
    await stores.close();
    expect(await last).toEqual(none);
    const opened = openStores(file);
    expect(await opened.events.count(TENANT, EVERYTHING)).toBe(1);
    expect(await opened.events.count(OTHER, EVERYTHING)).toBe(LARGE.length);
  });

  it('that fails lets those behind it be stored', async () => {
    const memory = createMemoryBudget({ bytesMax: 40_000_000, ownerShare: 1 });
    const { events } = openStores(newFile(), { resources: testResources({ memory }) });
    const before = memory.bytes;
    const broken = [...LARGE, { ...LARGE[0]!, insertId: 'broken', propertiesJson: '{' }];
    const writes = [events.append(TENANT, broken), events.append(TENANT, LARGE.slice(0, 1))];
    const [failed, stored] = await Promise.allSettled(writes);
    expect([failed!.status, stored!.status]).toEqual(['rejected', 'fulfilled']);
    expect(memory.bytes).toBe(before);
    expect(await events.count(TENANT, EVERYTHING)).toBe(1);
  });

  it('is stored where there is no memory to encode it first, and takes none for good', async () => {
    const memory = createMemoryBudget({ bytesMax: 40_000_000, ownerShare: 1 });
    const { events } = openStores(newFile(), { resources: testResources({ memory }) });
    const before = memory.bytes;
    await events.append(TENANT, LARGE.slice(0, 1200));
    expect(memory.bytes).toBe(before);
    const reservation = memory.reservation(OTHER);
    expect(reservation.reserve(40_000_000 - before - 1000)).toBe(true);
    await events.append(TENANT, LARGE.slice(1200));
    await events.append(
      TENANT,
      LARGE.map((event) => ({ ...event, insertId: `again-${event.insertId}` })),
    );
    reservation.release();
    expect(memory.bytes).toBe(before);
    expect(await events.count(TENANT, EVERYTHING)).toBe(2 * LARGE.length);
  });
});
