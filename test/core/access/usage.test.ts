import { describe, expect, it } from 'vitest';
import { type Stores } from '../../../src/index.ts';
import type { UsageDay } from '../../../src/store-kit.ts';
import { createPlainApi, type PlainApi } from '../../support/plain-api.ts';
import { signIn } from '../http/admin/visitors.ts';
import { recordsIn } from '../../../src/core/access/records.ts';
import { failingFor, puts } from '../../support/failing-control.ts';

const PATH = '/v1/events/shop/multi';
const DAY_MS = 86_400_000;
const json = { 'content-type': 'application/json' };
const GOOD = { eventName: 'a', userId: 'u' };
const BAD = { eventName: 'a', userId: '' };
const NONE = { requests: 0, refused: 0, limited: 0, events: 0, rejected: 0, bytes: 0 };

/** What the Admin API shows of a tenant, which has to be documented. */
async function shown(api: PlainApi, query = '?days=1', alias = 'shop'): Promise<readonly UsageDay[]> {
  const { ask } = await signIn(api, 'viewer');
  const { status, body } = await ask(`usage/history/${alias}${query}`);
  expect([status, body]).toMatchObject([200, /^\[/]);
  return JSON.parse(body) as readonly UsageDay[];
}

const query = (api: PlainApi, apiKey: string, body: unknown = {}) =>
  api.post('/v1/api/query/count/shop', body, { 'x-api-key': apiKey });

describe('usage by day', () => {
  it('counts requests, and what became of the events of batches', async () => {
    const api = createPlainApi();
    const key = await api.createTenant('shop');
    await api.createTenant('other');
    const day = new Date(api.clock.now()).toISOString().slice(0, 10);
    const bytes = JSON.stringify(GOOD).length;
    await api.post(PATH, [GOOD, GOOD, BAD], json);
    let expected: UsageDay = {
      ...{ day, requests: 1, refused: 0, limited: 0, events: 2, rejected: 1, bytes: 3 * bytes - 1 },
    };
    expect(await shown(api)).toEqual([expected]);
    // None of these stores anything, and all but one are refused.
    await api.post(PATH, [BAD], json);
    await api.send({ target: PATH, headers: json, body: '{' });
    await api.post(`${PATH}?dryRun=true`, [GOOD, BAD], json);
    expected = { ...expected, requests: 4, refused: 2, rejected: 2, bytes: 4 * bytes - 2 };
    expect(await shown(api)).toEqual([expected]);
    expect((await query(api, key)).status).toBe(200);
    expect((await query(api, key, { evnt: 'a' })).status).toBe(400);
    expected = { ...expected, requests: 6, refused: 3 };
    expect(await shown(api)).toEqual([expected]);
    expect(await shown(api, '?days=1', 'other')).toEqual([{ day, ...NONE }]);
  });

  it('counts no blanks around events, and each refused question of a sender', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const [text, blanks] = [JSON.stringify(GOOD), ' \t\r\n'.repeat(100)];
    const bytes = text.length;
    const list = `${blanks}[${blanks}${text}${blanks},${blanks}${text}${blanks}]${blanks}`;
    await api.send({ target: PATH, headers: json, body: list });
    const lines = `\t ${text} \r\n \n  ${text}\r\n`;
    await api.send({ target: PATH, headers: { 'content-type': 'application/x-ndjson' }, body: lines });
    expect(await shown(api)).toMatchObject([{ requests: 2, refused: 0, events: 4, bytes: 4 * bytes }]);
    await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
    const refused = await api.post('/v1/client/shop/config/configurations', {}, json);
    expect(refused.status).toBe(401);
    expect(await shown(api)).toMatchObject([{ requests: 3, refused: 1 }]);
  });

  it('counts what limits and secrets refuse, and nothing without a tenant', async () => {
    const api = createPlainApi();
    const key = await api.createTenant('shop', { plan: 'builder' });
    const ingestion = { eventsPerMinute: 2, bytesPerMinute: 1_000 };
    await api.admin.updateTenant('shop', { ingestion });
    for (let i = 0; i < 3; i++) await query(api, key);
    expect((await query(api, 'eqk_wrong')).status).toBe(401);
    expect(await shown(api)).toMatchObject([{ requests: 3, refused: 1, limited: 1 }]);
    for (let i = 0; i < 3; i++) await api.post(PATH, [GOOD], json);
    expect(await shown(api)).toMatchObject([{ requests: 6, refused: 2, limited: 2, events: 2 }]);
    await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
    expect((await api.post(PATH, [GOOD], json)).status).toBe(401);
    expect((await api.post('/v1/events/nobody/multi', [GOOD], json)).status).toBe(404);
    expect(await shown(api)).toMatchObject([{ requests: 7, refused: 3, limited: 2, events: 2 }]);
  });

  it('does not count what the dashboard asks', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { ask } = await signIn(api);
    expect((await ask('query/count/shop', {})).status).toBe(200);
    expect(await shown(api)).toMatchObject([NONE]);
  });

  it('has the days asked for, today last, and zeros for those without requests', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const start = Math.floor(api.clock.now() / DAY_MS) * DAY_MS;
    const dayOf = (i: number) => new Date(start + i * DAY_MS).toISOString().slice(0, 10);
    // The last instant of a day, and the first of the next one.
    api.clock.advance(start + DAY_MS - 1 - api.clock.now());
    await api.post(PATH, [GOOD], json);
    api.clock.advance(1);
    await api.post(PATH, [GOOD, GOOD], json);
    api.clock.advance(2 * DAY_MS);
    const all = await shown(api, '?days=5');
    expect(all.map(({ day, events }) => [day, events])).toEqual([
      [dayOf(-1), 0],
      [dayOf(0), 1],
      [dayOf(1), 2],
      [dayOf(2), 0],
      [dayOf(3), 0],
    ]);
    expect(await shown(api, '')).toHaveLength(30);
    expect(await shown(api, '?days=400')).toHaveLength(400);
    expect(await shown(api, '?days=2')).toEqual(all.slice(-2));
  });

  it('takes a number of days and nothing else, and is for who may see the tenant', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    await api.createTenant('other');
    const { ask } = await signIn(api, 'viewer', [(await api.admin.getTenant('other')).id]);
    for (const wrong of [
      '?days=0',
      '?days=401',
      '?days=1.5',
      '?days=',
      '?days=1&days=1',
      '?day=1',
      '?days=%',
    ])
      expect([wrong, (await ask(`usage/history/other${wrong}`)).status]).toEqual([wrong, 400]);
    expect((await ask('usage/history/other')).status).toBe(200);
    expect((await ask('usage/history/shop')).status).toBe(404);
  });

  it('keeps what cannot be stored, and adds it once when the store is back', async () => {
    let isAway = false;
    const wrap = (stores: Stores) => failingFor(stores, (change) => isAway && puts(change, 'usage'));
    const api = createPlainApi({ wrap });
    await api.createTenant('shop');
    isAway = true;
    await api.post(PATH, [GOOD], json);
    await api.flushCounts();
    await api.post(PATH, [GOOD], json);
    await api.flushCounts();
    expect(api.log.entries.map(({ message }) => message)).toContain(
      'figures of usage could not be stored; they are kept and tried again',
    );
    isAway = false;
    await api.flushCounts();
    await api.flushCounts();
    expect(await shown(api)).toMatchObject([{ requests: 2, events: 2 }]);
  });

  it('goes with its tenant', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    await api.post(PATH, [GOOD], json);
    await api.flushCounts();
    expect(await recordsIn(api.stores.control).usage.list(id, '0000-01-01')).toHaveLength(1);
    await api.admin.deleteTenant('shop');
    expect(await recordsIn(api.stores.control).usage.list(id, '0000-01-01')).toEqual([]);
  });
});
