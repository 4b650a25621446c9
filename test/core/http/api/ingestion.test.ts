import { describe, expect, it } from 'vitest';
import type { Stores, TokenVerifier } from '../../../../src/index.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const PATH = '/v1/events/acme/multi';
const EVENT = { eventName: 'a', userId: 'ü' };
const headers = { 'content-type': 'application/json' };

describe('a batch', () => {
  it('takes its events, and the bytes of each of them, from what the tenant may send', async () => {
    const taken: unknown[] = [];
    const wrap = (stores: Stores): Stores => ({
      ...stores,
      limits: {
        ...stores.limits,
        take: (id, windows, cost) => {
          taken.push(cost);
          return stores.limits.take(id, windows, cost);
        },
      },
    });
    const { send, createTenant } = createPlainApi({ wrap });
    await createTenant('acme', { ingestion: { eventsPerMinute: 3, bytesPerMinute: 1000 } });
    const text = JSON.stringify(EVENT);
    const body = `  [ ${text},\n${text} ]`;
    expect((await send({ target: PATH, headers, body })).status).toBe(200);
    // Blanks around an event, brackets and commas are not of it.
    expect(taken).toEqual([[2, Buffer.byteLength(text) * 2]]);
    expect((await send({ target: PATH, headers, body })).status).toBe(429);
  });

  it.each([
    ['application/json', 120_000],
    ['application/x-ndjson', 120_000],
    ['application/json', 10_001],
  ])('as %s rejects an event of %i keys by itself', async (type, count) => {
    const { send, createTenant } = createPlainApi();
    await createTenant('acme');
    const propertiesOf = (keys: number) =>
      Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 0]));
    const inner = propertiesOf(count - 1);
    const events = [
      { ...EVENT, properties: { inner } },
      { ...EVENT, properties: propertiesOf(10_000) },
    ].map((one) => JSON.stringify(one));
    const body = type === 'application/json' ? `[${events.join(',')}]` : events.join('\n');
    const answer = await send({ target: PATH, headers: { 'content-type': type }, body });
    expect(JSON.parse(answer.body)).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [{ index: 0, error: 'properties: takes at most 10000 keys' }],
    });
  });

  it.each(['Chase', 'chase', 'CHASE'])('shows the secret of a server behind %s', async (scheme) => {
    const { send, createTenant, admin } = createPlainApi();
    await createTenant('acme');
    await admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await admin.createKey('acme', { name: 'server', permissions: ['ingest'] });
    const authorization = `${scheme}  ${secret}`;
    const body = JSON.stringify([EVENT]);
    const answer = await send({ target: PATH, headers: { ...headers, authorization }, body });
    expect(answer.status).toBe(200);
  });
});

it('the tokens of all addresses of a network are verified for one owner', async () => {
  const owners: unknown[] = [];
  const tokens: TokenVerifier = {
    verify: (_token, _settings, bearer) => {
      owners.push(bearer?.owner);
      return Promise.resolve(EVENT.userId);
    },
  };
  const { send, createTenant, admin } = createPlainApi({ tokens });
  const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://example.com/keys' };
  await createTenant('acme');
  await admin.updateTenant('acme', { authStrategy: 'JWT', jwt });
  const body = JSON.stringify([EVENT]);
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::7', '2001:db8:1:3::1', '::ffff:192.0.2.7'];
  for (const address of addresses) {
    const answer = await send({
      target: PATH,
      headers: { ...headers, authorization: 'Bearer token' },
      body,
      address,
    });
    expect(answer.status).toBe(200);
  }
  expect(owners).toEqual(['2001:db8:1:2::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '192.0.2.7']);
});
