import { describe, expect, it } from 'vitest';
import { prometheusMeter } from '../../../adapters/prometheus/index.ts';
import type { Stores } from '../../../src/index.ts';
import { SILENT_METER } from '../../../src/transport-kit.ts';
import { valueOf } from '../../support/metrics.ts';
import { createPlainApi } from '../../support/plain-api.ts';
import type { LogEntry } from '../../support/test-server.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A tenant with an event at noon of each of the last ten days. */
async function openShop(
  retentionDays: number | null,
  wrap: (stores: Stores) => Stores = (stores) => stores,
  meter = SILENT_METER,
) {
  const api = createPlainApi({ wrap, resources: { meter } });
  const today = Math.floor(api.clock.now() / DAY_MS) * DAY_MS;
  await api.admin.createTenant({ alias: 'shop', plan: 'free', retentionDays });
  const shop = await api.tenant('shop');
  const dayOf = (back: number) => new Date(today - back * DAY_MS).toISOString().slice(0, 10);
  await shop.append(
    Array.from({ length: 10 }, (_, back) => ({
      ...{ eventName: 'a', userId: 'u', insertId: `${back}`, properties: {} },
      eventTs: today - (back + 1) * DAY_MS + HOUR_MS,
    })),
  );
  const days = async () => (await shop.query({})).events.map(({ eventDate }) => eventDate);
  /** Sets the clock to so many days from now, at an hour. */
  const moveTo = (daysOn: number, hour: number) =>
    api.clock.advance(today + daysOn * DAY_MS + hour * HOUR_MS - api.clock.now());
  return { ...api, shop, days, dayOf, moveTo };
}

describe('events that are no longer kept', () => {
  it('are those of the days before the last whole ones', async () => {
    const { eraseExpired, days, dayOf, log } = await openShop(3);
    await eraseExpired();
    expect(await days()).toEqual([1, 2, 3].map(dayOf));
    expect(log.entries.at(-1)).toMatchObject({ fields: { tenant: 'shop', retentionDays: 3, erased: 7 } });
  });

  it('are counted, and the time is told when all went well', async () => {
    const meter = prometheusMeter({ processMetrics: false });
    const read = async (series: string) => valueOf(await meter.registry.metrics(), series);
    const AT = 'event_query_retention_last_success_timestamp_seconds';
    let isBroken = true;
    const { eraseExpired, moveTo, clock } = await openShop(
      3,
      (stores) => ({
        ...stores,
        events: {
          ...stores.events,
          erase: (...asked) =>
            isBroken ? Promise.reject(new Error('broken')) : stores.events.erase(...asked),
        },
      }),
      meter,
    );
    await eraseExpired();
    expect(await read(AT)).toBeUndefined();
    isBroken = false;
    moveTo(1, 0);
    await eraseExpired();
    expect(await read(AT)).toBe(clock.now() / 1000);
    expect(await read('event_query_events_erased_total{cause="retention"}')).toBe(8);
  });

  it('are looked for once an hour, whoever asks', async () => {
    const { eraseExpired, days, dayOf, moveTo } = await openShop(3);
    moveTo(0, 23.5);
    await eraseExpired();
    moveTo(1, 0);
    await eraseExpired();
    expect(await days()).toEqual([1, 2, 3].map(dayOf));
    moveTo(1, 0.5);
    await Promise.all([eraseExpired(), eraseExpired()]);
    expect(await days()).toEqual([1, 2].map(dayOf));
    moveTo(2, 12);
    await eraseExpired();
    expect(await days()).toEqual([1].map(dayOf));
  });

  it('are none where all are kept, and until it is said otherwise', async () => {
    const { admin, eraseExpired, days, moveTo } = await openShop(null);
    await eraseExpired();
    expect(await days()).toHaveLength(10);
    // Nobody had a reason to look, so that this is no second time.
    await admin.updateTenant('shop', { retentionDays: 1 });
    await eraseExpired();
    expect(await days()).toHaveLength(1);
    await admin.updateTenant('shop', { retentionDays: null });
    moveTo(50, 0);
    await eraseExpired();
    expect(await days()).toHaveLength(1);
  });

  it('are none a second time, and nothing is said of that', async () => {
    const { eraseExpired, moveTo, log } = await openShop(3);
    await eraseExpired();
    moveTo(0, 23);
    await eraseExpired();
    expect(log.entries).toHaveLength(1);
  });

  it('are not looked for in other tenants when the server ends', async () => {
    const looked: string[] = [];
    const { admin, eraseExpired } = await openShop(3, (stores) => ({
      ...stores,
      control: {
        ...stores.control,
        get: (kind, id) => {
          if (kind === 'tenant') looked.push(id);
          return stores.control.get(kind, id);
        },
      },
    }));
    await admin.createTenant({ alias: 'other', plan: 'free', retentionDays: 1 });
    looked.length = 0;
    await eraseExpired({ aborted: true });
    expect(looked).toEqual([]);
  });

  it('are erased of each tenant by itself, and of none when the server ends', async () => {
    const broken = { id: '' };
    const failing = (stores: Stores): Stores => ({
      ...stores,
      events: {
        ...stores.events,
        erase: (id, ...asked) =>
          id === broken.id ? Promise.reject(new Error('no disk')) : stores.events.erase(id, ...asked),
      },
    });
    const { admin, eraseExpired, tenant, days, moveTo, log } = await openShop(3, failing);
    await admin.createTenant({ alias: 'a', plan: 'free', retentionDays: 1 });
    broken.id = (await admin.getTenant('a')).id;
    await (await tenant('a')).append([{ eventName: 'a', userId: 'u', eventTs: 1e12, insertId: '1' }]);
    await eraseExpired({ aborted: true });
    expect(await days()).toHaveLength(10);
    moveTo(0, 14);
    await eraseExpired();
    expect(await days()).toHaveLength(3);
    expect(log.entries.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { tenant: 'a' } }]);
    expect(await (await tenant('a')).count({})).toBe(1);
  });
});

describe('a clock that stands more than two days from the last look', () => {
  const errorsOf = (log: { readonly entries: readonly LogEntry[] }) =>
    log.entries.filter(({ level }) => level === 'error');

  it('erases nothing and says so once, until it is set right', async () => {
    const { eraseExpired, days, moveTo, log } = await openShop(3);
    await eraseExpired();
    for (const hour of [1, 3, 5]) {
      moveTo(400, hour);
      await eraseExpired();
    }
    expect(await days()).toHaveLength(3);
    expect(errorsOf(log).map(({ message }) => message)).toEqual([
      expect.stringMatching(/400 days after the last look; .* serve --accept-clock \d{4}-/),
    ]);
    moveTo(1, 12);
    await eraseExpired();
    expect(await days()).toHaveLength(2);
    moveTo(100, 0);
    await eraseExpired();
    expect(errorsOf(log)).toHaveLength(2);
  });

  it('is believed when somebody confirms its date, and no other, by whoever looks after that', async () => {
    const { eraseExpired, days, dayOf, moveTo } = await openShop(9);
    await eraseExpired();
    moveTo(5, 0);
    for (const days of [-3, -7]) await eraseExpired(undefined, { acceptDate: dayOf(days) });
    expect(await days()).toHaveLength(9);
    await eraseExpired(undefined, { acceptDate: dayOf(-4) });
    expect(await days()).toHaveLength(4);
    moveTo(6, 0);
    await eraseExpired();
    expect(await days()).toHaveLength(3);
  });

  it('is told where it stands before that, and it is looked at once when it is confirmed', async () => {
    const { eraseExpired, tenant, days, dayOf, moveTo, log } = await openShop(9);
    moveTo(500, 0);
    await eraseExpired();
    moveTo(0, 23);
    await eraseExpired();
    expect(errorsOf(log).map(({ message }) => message)).toEqual([
      expect.stringContaining('499 days before the last look'),
    ]);
    await (await tenant('shop')).append([{ eventName: 'a', userId: 'u', eventTs: 1e12, insertId: 'old' }]);
    await eraseExpired(undefined, { acceptDate: dayOf(0) });
    expect(await days()).toEqual([]);
  });

  it('is that of the store of limits where nobody has looked', async () => {
    const off = 3 * DAY_MS;
    const { eraseExpired, days, log } = await openShop(3, (stores) => ({
      ...stores,
      limits: {
        ...stores.limits,
        take: async (...asked) => {
          const state = await stores.limits.take(...asked);
          return { ...state, at: state.at - off };
        },
      },
    }));
    await eraseExpired();
    expect(await days()).toHaveLength(10);
    expect(errorsOf(log)).toHaveLength(1);
  });

  it('is no reason to keep events of a tenant for which none looked before', async () => {
    const { admin, eraseExpired, days, moveTo } = await openShop(3);
    await eraseExpired();
    await admin.updateTenant('shop', { retentionDays: null });
    moveTo(1, 0);
    await eraseExpired();
    await admin.updateTenant('shop', { retentionDays: 5 });
    moveTo(5, 0);
    await eraseExpired();
    expect(await days()).toHaveLength(0);
  });
});

describe('an erasure of what is no longer kept', () => {
  /** Holds the erasures of one tenant until they are let go. */
  const holding = () => {
    let begun: () => void;
    let letGo: () => void;
    const hold = {
      id: '',
      begun: new Promise<void>((resolve) => (begun = resolve)),
      letGo: () => letGo(),
    };
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const wrap = (stores: Stores): Stores => ({
      ...stores,
      events: {
        ...stores.events,
        erase: async (id, ...asked) => {
          if (id === hold.id) {
            begun();
            await gate;
          }
          return stores.events.erase(id, ...asked);
        },
      },
    });
    return { hold, wrap };
  };

  it('asks for how long a tenant keeps its events when it comes to that tenant', async () => {
    const { hold, wrap } = holding();
    const { admin, eraseExpired, tenant, days, log } = await openShop(3, wrap);
    await admin.createTenant({ alias: 'a', plan: 'free', retentionDays: 1 });
    hold.id = (await admin.getTenant('a')).id;
    await (await tenant('a')).append([{ eventName: 'a', userId: 'u', eventTs: 1e12, insertId: '1' }]);
    const erased = eraseExpired();
    await hold.begun;
    await admin.updateTenant('shop', { retentionDays: null });
    hold.letGo();
    await erased;
    expect(await (await tenant('a')).count({})).toBe(0);
    expect(await days()).toHaveLength(10);
    expect(log.entries.map(({ fields }) => fields.tenant)).toEqual(['a']);
  });

  it('ends with the server, and nothing is said of it', async () => {
    const { hold, wrap } = holding();
    const { admin, eraseExpired, days, log } = await openShop(3, wrap);
    hold.id = (await admin.getTenant('shop')).id;
    const signal = { aborted: false };
    const erased = eraseExpired(signal);
    await hold.begun;
    signal.aborted = true;
    hold.letGo();
    await erased;
    expect(await days()).toHaveLength(10);
    expect(log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the days that events are kept', () => {
  it.each([0, -1, 1.5, 36_501, NaN, '7', undefined, {}])('%j are none', async (days) => {
    const { admin } = createPlainApi();
    const tenant = { alias: 'shop', plan: 'free', retentionDays: days as number } as const;
    if (days === undefined) {
      expect((await admin.createTenant(tenant)).retentionDays).toBe(null);
      return;
    }
    await expect(admin.createTenant(tenant)).rejects.toThrow(
      /retentionDays: takes whole days from 1 to 36500/,
    );
    await admin.createTenant({ ...tenant, retentionDays: 36_500 });
    await expect(admin.updateTenant('shop', { retentionDays: days as number })).rejects.toThrow(
      /retentionDays:/,
    );
    expect((await admin.getTenant('shop')).retentionDays).toBe(36_500);
  });
});
