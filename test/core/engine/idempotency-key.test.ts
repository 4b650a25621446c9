import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createEngine, type EventInput } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

const MADE_AT = '2024-05-18T10:00:00.123Z';
const toKey = (time: string, rest = '7abc-8def-0123456789ab') => {
  const hex = Date.parse(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest}`;
};
const KEY = toKey(MADE_AT);

function setUp() {
  let now = Date.parse('2024-05-18T10:00:05.000Z');
  const tenant = createEngine({
    events: memoryEventStore({ resources: testResources() }),
    resources: testResources({ runtime: { now: () => now } }),
  });
  const events = tenant.tenant('t');
  return {
    events,
    pass: (ms: number) => void (now += ms),
    send: (batch: readonly EventInput[], idempotencyKey: string = KEY, userId?: string) =>
      events.append(batch, { idempotencyKey, userId }),
  };
}
const bought = (amount: number): EventInput => ({
  eventName: 'bought',
  userId: 'ada',
  properties: { amount },
});
const done = (accepted: number, duplicates: number) => ({ accepted, duplicates, rejected: [] });

describe('a batch with an Idempotency-Key', () => {
  it('is stored once, with the time of the key, however late it comes again', async () => {
    const { events, send, pass } = setUp();
    const batch = Array.from({ length: 12 }, (_, i) => bought(i));
    expect(await send(batch)).toEqual(done(12, 0));
    pass(400 * 86_400_000);
    expect(await send(batch)).toEqual(done(0, 12));
    const { events: found } = await events.query({});
    expect(new Set(found.map(({ eventTs }) => eventTs))).toEqual(new Set([MADE_AT]));
    // In the order in which they were sent: newest first.
    expect(found.map(({ properties }) => properties.amount)).toEqual(batch.map((_, i) => 11 - i));
  });

  it('keeps equal events of one batch apart, and equal batches with keys of their own', async () => {
    const { send } = setUp();
    expect(await send([bought(1), bought(1)])).toEqual(done(2, 0));
    expect(await send([bought(1), bought(1)], toKey(MADE_AT, '7abc-8def-0123456789ac'))).toEqual(done(2, 0));
  });

  it('loses nothing of another batch under an old key', async () => {
    const { send } = setUp();
    await send([bought(1), bought(2)]);
    expect(await send([bought(1), bought(3)])).toEqual(done(1, 1));
    expect(await send([{ ...bought(1), userId: 'eve' }])).toEqual(done(1, 0));
    expect(await send([{ ...bought(1), eventName: 'sold' }])).toEqual(done(1, 0));
  });

  it('leaves what events bring: an id, and a time', async () => {
    const { events, send } = setUp();
    const own = { eventTs: '2024-05-01T00:00:00.000Z' };
    const batch = [
      { ...bought(1), ...own, insertId: 'mine' },
      { ...bought(2), ...own },
    ];
    expect(await send(batch)).toEqual(done(2, 0));
    expect(await send(batch)).toEqual(done(0, 2));
    const { events: found } = await events.query({});
    expect(found.map(({ eventTs }) => eventTs)).toEqual([own.eventTs, own.eventTs]);
    expect(found.map(({ insertId }) => insertId.replace(/-[0-9a-f]{16}$/, ''))).toEqual([
      'mine',
      `${KEY}-0001`,
    ]);
  });

  it('gives an event the same place whatever became of those before it', async () => {
    const { send } = setUp();
    const batch = [{ ...bought(1), userId: 'eve' }, bought(2)];
    expect(await send(batch, KEY, 'ada')).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(await send(batch)).toEqual(done(1, 1));
  });

  it('takes the key bare or in quotes, in either case', async () => {
    const { send } = setUp();
    await send([bought(1)]);
    expect(await send([bought(1)], `"${KEY.toUpperCase()}"`)).toEqual(done(0, 1));
  });

  it.each([
    '',
    'again',
    `"${KEY}`,
    KEY.replace('-7abc', '-4abc'),
    KEY.replace('-8def', '-cdef'),
    `${KEY}, ${KEY}`,
  ])('refuses the key %j', async (key) => {
    const { events, send } = setUp();
    await expect(send([bought(1)], key)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Idempotency-Key: takes a UUID of version 7') as string,
    });
    expect(await events.count({})).toBe(0);
  });

  it('refuses a time of the key that no event may have', async () => {
    const { send } = setUp();
    await expect(send([bought(1)], toKey('2024-05-20T10:00:00Z'))).rejects.toThrow('at most 24 hours');
  });

  it.each(['2024-05-20T10:00:00Z', '1989-12-31T23:59:59Z', '+010000-01-01T00:00:00Z'])(
    'refuses the whole batch for the key of %s, whatever times its events have',
    async (time) => {
      const { events, send } = setUp();
      const batch = [bought(1), { ...bought(2), eventTs: MADE_AT }];
      await expect(send(batch, toKey(time))).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('Idempotency-Key: its time must lie') as string,
      });
      expect(await events.count({})).toBe(0);
    },
  );
});
