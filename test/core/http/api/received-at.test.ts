import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/index.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const NOW = Date.UTC(2024, 4, 18, 10);
const ARRIVED = '2024-05-18T10:00:00.000Z';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How long before they arrive events happened, the first of them in the future. */
const LATE = [-1, 0, MINUTE, MINUTE + 1, 60 * MINUTE, DAY, 7 * DAY, 7 * DAY + 1];

const eventAt = (eventTs: number) => ({ eventName: 'a', userId: 'u', eventTs, insertId: `id-${eventTs}` });

/** A tenant whose events arrive at `NOW`, with one that came before anybody noted when. */
async function openShop() {
  const api = createPlainApi();
  api.clock.now = () => NOW;
  const key = await api.createTenant('acme');
  const { id } = (await recordsIn(api.stores.control).tenants.findByAlias('acme'))!;
  const before = { ...eventAt(5), propertiesJson: '{}' };
  await api.stores.events.append(id, [before]);
  const shop = await api.tenant('acme');
  await shop.append(LATE.map((late) => eventAt(NOW - late)));
  const headers = { 'x-api-key': key };
  const ask = (path: string, body: unknown, more: object = {}) =>
    api.post(`/v1/api/query/${path}`, body, { ...headers, ...more });
  const count = async (comparison: string, value: unknown) => {
    const { body } = await ask('count/acme', { filterSet: [{ property: 'receivedAt', comparison, value }] });
    return (JSON.parse(body) as { count: number }).count;
  };
  return { ...api, shop, ask, count };
}

const arrivalsOf = (events: readonly Event[]) => events.map(({ receivedAt }) => receivedAt);

describe('when an event arrived', () => {
  it('is the clock of the server, one instant a batch, and is found by filters', async () => {
    const { shop, clock, count } = await openShop();
    expect(await count('EQUALS', ARRIVED)).toBe(LATE.length);
    expect(await count('IS_NULL', null)).toBe(1);
    expect(await count('LESS_THAN', ARRIVED)).toBe(0);
    expect(await count('NOT_EQUALS', ARRIVED)).toBe(1);
    // A clock that runs while a batch is read is asked once.
    let ms = NOW + DAY;
    clock.now = () => (ms += 1);
    await shop.append([{ eventName: 'a', userId: 'u' }, { eventName: 'a', userId: 'u' }, eventAt(NOW + 7)]);
    const { events } = await shop.query({ pagination: { size: 3 }, include: ['receivedAt'] });
    expect(new Set(arrivalsOf(events)).size).toBe(1);
    // An event without a time of its own gets the same instant as both.
    expect(events.slice(0, 2).map(({ eventTs }) => eventTs)).toEqual(arrivalsOf(events.slice(0, 2)));
  });

  it('stays that of the first write', async () => {
    const { shop, clock, count } = await openShop();
    clock.now = () => NOW + DAY;
    const { duplicates } = await shop.append([eventAt(NOW)]);
    expect([duplicates, await count('EQUALS', ARRIVED)]).toEqual([1, LATE.length]);
  });

  it('is never said by a client', async () => {
    const { shop } = await openShop();
    const sent = [{ ...eventAt(9), receivedAt: ARRIVED } as never];
    await expect(shop.append(sent)).rejects.toThrow(
      'receivedAt: is what the server’s clock says when the event arrives; leave it out',
    );
  });

  it('is shown where the body includes it, and null where nobody noted it', async () => {
    const { ask, shop } = await openShop();
    const include = ['receivedAt'];
    const shown = [...LATE.map(() => ARRIVED), null];
    for (let round = 0; round < 2; round++) {
      // The same page in both forms: what was written before is not taken for the other.
      const bare = JSON.parse((await ask('acme', {})).body) as Event[];
      expect(bare.map((event) => 'receivedAt' in event)).toEqual(shown.map(() => false));
      const { body } = await ask('acme', { include });
      expect(arrivalsOf(JSON.parse(body) as Event[])).toEqual(shown);
    }
    const lines = (await ask('export/acme', { include })).body.trimEnd().split('\n');
    expect(arrivalsOf(lines.map((line) => JSON.parse(line) as Event))).toEqual(shown);
    expect((await ask('export/acme', {})).body).not.toContain('receivedAt');
    const position = (await ask('tail/acme', {}, { prefer: 'wait=0' })).headers['X-Tail-Position']!;
    await shop.append([eventAt(NOW + 7)]);
    const headers = { prefer: 'wait=0', 'x-tail-position': position };
    const tail = await ask('tail/acme', { include }, headers);
    expect(arrivalsOf(JSON.parse(tail.body) as Event[])).toEqual([ARRIVED]);
    expect((await ask('tail/acme', {}, headers)).body).not.toContain('receivedAt');
    const found = await shop.query({ include: ['receivedAt'] });
    expect(arrivalsOf(found.events)).toEqual([ARRIVED, ...shown]);
    expect('receivedAt' in (await shop.query({})).events[0]!).toBe(false);
  });

  it('is a column of a table, whose cell is empty where nobody noted it', async () => {
    const { ask } = await openShop();
    const csv = { accept: 'text/csv' };
    const rows = (await ask('export/acme', { include: ['receivedAt'] }, csv)).body.trimEnd().split('\r\n');
    expect(rows[0]).toBe('eventName,userId,eventTs,eventDate,insertId,receivedAt');
    expect(rows.slice(1).map((row) => row.split(',')[5])).toEqual([...LATE.map(() => ARRIVED), '']);
    expect((await ask('export/acme', {}, csv)).body).not.toContain('receivedAt');
  });

  it.each([
    [['eventTs'], 'include[0]: takes one of: receivedAt, got the string "eventTs"'],
    ['receivedAt', /^include: takes an array of fields/],
    [['receivedAt', 'receivedAt'], /^include: takes an array of fields/],
  ])('is a 400 for include: %j', async (include, error) => {
    const { ask } = await openShop();
    for (const path of ['acme', 'export/acme', 'tail/acme']) {
      const { status, body } = await ask(path, { include });
      expect(status).toBe(400);
      const said = (JSON.parse(body) as { error: string }).error;
      if (typeof error === 'string') expect(said).toBe(error);
      else expect(said).toMatch(error);
    }
  });

  it('is nothing that a count or a breakdown includes', async () => {
    const { ask } = await openShop();
    for (const path of ['count/acme', 'breakdown/acme'])
      expect((await ask(path, { by: 'day', include: ['receivedAt'] })).status).toBe(400);
  });

  it.each(['CONTAINS', 'STARTS_WITH'])('takes no %s, as times do not', async (comparison) => {
    const { ask } = await openShop();
    const { status, body } = await ask('acme', {
      filterSet: [{ property: 'receivedAt', comparison, value: '2024' }],
    });
    expect(status).toBe(400);
    expect(body).toContain(`receivedAt is compared as a date, which has no ${comparison}`);
  });

  it('is explained as a filter that means the same', async () => {
    const { ask } = await openShop();
    const filterSet = [
      { property: 'receivedAt', comparison: 'IN', value: [ARRIVED] },
      { property: 'receivedAt', comparison: 'IS_NOT_NULL', value: null },
      { not: { property: 'receivedAt', comparison: 'LESS_THAN', value: ARRIVED } },
    ];
    const { body } = await ask('explain/acme', { filterSet, include: ['receivedAt'] });
    expect(JSON.parse(body)).toMatchObject({
      body: { filterSet, include: ['receivedAt'] },
      unknownPaths: [],
    });
  });

  it('chooses what is erased', async () => {
    const { shop } = await openShop();
    const filterSet = [{ property: 'receivedAt', comparison: 'IS_NULL', value: null } as const];
    expect(await shop.erase({ filterSet })).toBe(1);
    expect(await shop.count({})).toBe(LATE.length);
  });
});

describe('a breakdown by lateness', () => {
  it('counts each event in the first group whose limit it keeps, and those of before apart', async () => {
    const { shop } = await openShop();
    const found = await shop.breakdown({ by: 'lateness', distinct: 'userId' });
    expect(found).toMatchObject({ total: LATE.length + 1, missing: 1, groupsTotal: 6 });
    expect(found.groups.map(({ key, count }) => [key, count])).toEqual([
      ['within a minute', 2],
      ['within an hour', 2],
      ['before its time', 1],
      ['within a day', 1],
      ['within 7 days', 1],
      ['later', 1],
    ]);
  });

  it('and by the instants themselves', async () => {
    const { shop } = await openShop();
    const { groups, missing } = await shop.breakdown({ by: 'receivedAt' });
    expect([groups, missing]).toEqual([[{ key: ARRIVED, count: LATE.length }], 1]);
  });
});
