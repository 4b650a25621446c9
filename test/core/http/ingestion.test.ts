import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../src/index.ts';
import { createPlainApi } from '../../support/plain-api.ts';

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
    const bytes = Buffer.byteLength(text) * 2;
    // Blanks before and behind an event are of it, brackets and commas are not.
    expect(taken).toEqual([[2, bytes + ' '.length + '\n '.length]]);
    expect((await send({ target: PATH, headers, body })).status).toBe(429);
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
