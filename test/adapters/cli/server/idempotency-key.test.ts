import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlace, type Place } from '../command.ts';

const KEY = '018f8b1c-7a00-7abc-8def-0123456789ab';
/** An event as the web SDKs send it, without a timestamp and an id. */
const BODY = JSON.stringify([
  { eventName: 'bought', userId: 'ada', properties: { amount: 1 } },
  { eventName: 'bought', userId: 'ada', properties: { amount: 1 } },
]);

let place: Place;
beforeAll(async () => {
  place = createPlace();
  await place.ok(['tenant', 'create', 'shop']);
});
afterAll(() => place.remove());

/** Sends the batch to a new server, which is killed after its answer. */
async function sendOnce(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const server = await place.serve(['serve']);
  const answer = await fetch(`${server.url}/v1/events/shop/multi`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: BODY,
  });
  await server.stop('SIGKILL');
  return answer.json();
}

it('a batch that comes again with its Idempotency-Key after a crash is stored once', async () => {
  const key = { 'Idempotency-Key': `"${KEY}"` };
  expect(await sendOnce(key)).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
  expect(await sendOnce(key)).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
  // Without a key, a retry looks like two separate events.
  expect(await sendOnce({})).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
  expect(await sendOnce({ 'Idempotency-Key': 'again' })).toMatchObject({
    error: expect.stringMatching(/^Idempotency-Key: takes a UUID of version 7/) as string,
  });
  expect((await place.ok(['count', 'shop'])).trim()).toBe('4');
});
