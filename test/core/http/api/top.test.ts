import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const PATH = '/v1/api/query/top/acme';
const DAY = Date.UTC(2024, 4, 18);
const TOTALS = [12, 0.1, '99', 64, null, [70], 64, true, -3];

async function openShop(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  const key = await api.createTenant('acme');
  const events = TOTALS.map((total, i) => ({
    ...{ eventName: i % 2 === 0 ? 'sold' : 'paid', userId: 'u', eventTs: DAY + i, insertId: String(i) },
    properties: { total },
  }));
  await (await api.tenant('acme')).append(events);
  const ask = async (body: unknown) => {
    const answer = await api.post(PATH, body, { 'x-api-key': key });
    const events = JSON.parse(answer.body) as readonly { insertId: string }[];
    return { ...answer, ids: answer.status === 200 ? events.map(({ insertId }) => insertId) : [] };
  };
  return { ...api, key, ask };
}

describe('a top over HTTP', () => {
  it('is events as a query answers them, by their numbers, ties newest first', async () => {
    const { ask, post, key } = await openShop();
    const top = await ask({ of: 'properties.total', size: 1 });
    const filterSet = [{ property: 'insertId', comparison: 'EQUALS', value: '6' }];
    const page = await post('/v1/api/query/acme', { filterSet }, { 'x-api-key': key });
    expect([top.status, top.body]).toEqual([200, page.body]);
    expect(top.headers['X-Next-Cursor']).toBeUndefined();
    expect((await ask({ of: 'properties.total' })).ids).toEqual(['6', '3', '0', '1', '8']);
    expect((await ask({ of: 'properties.total', order: 'smallest', size: 2 })).ids).toEqual(['8', '1']);
    expect((await ask({ of: 'properties.none' })).body).toBe('[]\n');
  });

  it('selects and shows events as a query does', async () => {
    const { ask } = await openShop();
    const of = 'properties.total';
    const filterSet = [{ property: of, comparison: 'LESS_THAN', value: 64 }];
    expect((await ask({ of, event: 'sold', filterSet })).ids).toEqual(['0', '8']);
    expect((await ask({ of, until: '2024-05-18T00:00:00.002Z' })).ids).toEqual(['0', '1']);
    expect((await ask({ of, before: '2024-05-17' })).ids).toEqual([]);
    expect((await ask({ of, size: 1, include: ['receivedAt'] })).body).toContain('"receivedAt":');
  });

  it.each([
    [{}, 'of: takes a path below properties, got nothing'],
    [{ of: 'eventTs' }, 'of: takes a path below properties, where numbers are; got "eventTs"'],
    [
      { of: 'total' },
      'of: takes a path below properties, where numbers are; got "total"; did you mean "properties.total"?',
    ],
    [
      { of: 'properties.total', order: 'desc' },
      'order: takes one of: largest, smallest, got the string "desc"',
    ],
    [
      { of: 'properties.total', size: 1001 },
      'size: takes a whole number from 1 to 1000, got the number 1001',
    ],
    [{ of: 'properties.total', size: 0 }, 'size: takes a whole number from 1 to 1000, got the number 0'],
    [{ of: 'properties.total', pagination: {} }, 'body: unknown key "pagination"'],
  ])('refuses %j', async (body, text) => {
    const { ask } = await openShop();
    const { status, body: answer } = await ask(body);
    const { error } = JSON.parse(answer) as { error: string };
    expect([status, error.slice(0, text.length)]).toEqual([400, text]);
  });

  it('of events that are too large for one answer says where their number stands', async () => {
    const { ask } = await openShop({
      wrap: ({ events, ...stores }) => {
        const top: typeof events.top = async (...asked) => ({
          ...(await events.top!(...asked)),
          ...{ length: 10, bytes: 2 ** 30 },
        });
        return { ...stores, events: { ...events, top } };
      },
    });
    const { body } = await ask({ of: 'properties.total' });
    const text = 'size: these events are too large for one answer; ask for at most 2';
    expect(JSON.parse(body)).toEqual({ error: text });
  });

  it('without memory for it is refused', async () => {
    const memory = createMemoryBudget({ bytesMax: 20_000 });
    const { ask } = await openShop({ resources: { memory } });
    expect((await ask({ of: 'properties.total' })).status).toBe(503);
  });
});
