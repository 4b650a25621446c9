import { describe, expect, it } from 'vitest';
import { createPlainApi, type PlainApi } from '../../../support/plain-api.ts';
import { testResources } from '../../../support/resources.ts';
import { SILENT_METER, type MetricName } from '../../../../src/transport-kit.ts';

const PATH = '/v1/events/shop/multi';
const GOOD = { eventName: 'a', userId: 'u', eventTs: 1e12, insertId: 'i' };

/** What was refused of the tenant, once it is stored. */
async function refusalsOf({ flushCounts, admin }: PlainApi): Promise<readonly unknown[]> {
  await flushCounts();
  return admin.listRefusals('shop');
}

describe('a dry run', () => {
  it('answers the verdicts of a batch, and stores and counts nothing', async () => {
    const counted: MetricName[] = [];
    const meter = { ...SILENT_METER, count: (name: MetricName) => void counted.push(name) };
    const api = createPlainApi({ resources: testResources({ meter }) });
    await api.createTenant('shop');
    const answer = await api.post(`${PATH}?dryRun=true`, [GOOD, {}, GOOD, { ...GOOD, insertId: 'j' }]);
    expect(answer.status).toBe(200);
    const error = 'eventName: takes a string of 1 to 256 characters, got nothing';
    expect(JSON.parse(answer.body)).toEqual({
      ...{ accepted: 2, duplicates: 1, rejected: [{ index: 1, error }], dryRun: true },
    });
    const shop = await api.tenant('shop');
    expect(await shop.count({})).toBe(0);
    expect(await refusalsOf(api)).toEqual([]);
    expect(counted.filter((name) => name.startsWith('event_query_events'))).toEqual([]);
    expect(counted).not.toContain('event_query_ingest_bytes_total');
    // What is sent after it is new.
    expect(JSON.parse((await api.post(PATH, [GOOD])).body)).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it('lists every reason where no event is valid', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { status, body } = await api.post(`${PATH}?dryRun=true`, [{}, 5]);
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      { accepted: 0, rejected: [{}, {}], dryRun: true },
    ]);
  });

  it('authenticates and takes from the limits as a batch does, and its refusal is not counted', async () => {
    const api = createPlainApi();
    await api.createTenant('shop', { ingestion: { eventsPerMinute: 1, bytesPerMinute: 1000 } });
    expect((await api.post(`${PATH}?dryRun=true`, [GOOD])).status).toBe(200);
    expect((await api.post(`${PATH}?dryRun=true`, [GOOD])).status).toBe(429);
    await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
    expect((await api.post(`${PATH}?dryRun=true`, [GOOD])).status).toBe(401);
    expect((await api.post(`${PATH}?dryRun=true`, 'x')).status).toBe(401);
    expect(await refusalsOf(api)).toEqual([]);
  });

  it.each([
    'dryRun=false',
    'dryRun',
    'dryRun=',
    'dryRun=True',
    'dryrun=true',
    'dry_run=true',
    'a=b&dryRun=1',
  ])('a query string of %s is a 400, and nothing is stored', async (query) => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { status, body } = await api.post(`${PATH}?${query}`, [GOOD]);
    expect([status, body]).toMatchObject([400, /takes dryRun=true, or no dryRun, got/]);
    expect(await (await api.tenant('shop')).count({})).toBe(0);
  });

  it('other parameters mean nothing, as before', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    expect(JSON.parse((await api.post(`${PATH}?t=5&dry=1`, [GOOD])).body)).toEqual({
      ...{ accepted: 1, duplicates: 0, rejected: [] },
    });
  });

  it.each([
    [
      'segment/shop/v1/track',
      { event: 'a', userId: 'u', messageId: 'm', timestamp: '2024-05-18T10:00:00.000Z' },
    ],
    ['mixpanel/shop/track', [{ event: 'a', properties: { time: 1_714_730_400, distinct_id: 'u' } }]],
    ['mixpanel/shop/import', [{ event: 'a', properties: { time: 1_714_730_400, distinct_id: 'u' } }]],
    ['amplitude/shop/2/httpapi', { events: [{ event_type: 'a', user_id: 'u', time: 1_714_730_400_000 }] }],
  ])('is there for SDKs of others too, with the same answer: %s', async (path, body) => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const answer = await api.post(`/v1/${path}?dryRun=true`, body);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { accepted: 1, dryRun: true }]);
    expect(await (await api.tenant('shop')).count({})).toBe(0);
  });
});
