import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

const event = (insertId: string, eventName: string, eventTs: string) => ({
  ...{ eventName, userId: 'ada', eventTs, insertId },
});

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import('shop', toNdjson([event('before', 'a', '2024-05-01T10:00:00.000Z')]));
});

it('prints new events, late ones too, until it is ended', async () => {
  const child = place.start(['tail', 'shop', '--event', 'a']);
  let printed = '';
  child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const until = async (insertId: string) => {
    for (let i = 0; !printed.includes(`"${insertId}`); i++) {
      // Events that arrive before the first poll do not count as new, so send until one is printed.
      const id = printed === '' ? `${insertId}-${i}` : insertId;
      await place.import('shop', toNdjson([event(id, 'a', '2001-05-01T10:00:00.000Z')]));
      await place.import('shop', toNdjson([event(`other-${id}`, 'b', '2001-05-01T10:00:00.000Z')]));
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  };
  await until('late');
  await until('last');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  const events = fromNdjson(printed) as { insertId: string; eventName: string }[];
  expect(events.every(({ eventName }) => eventName === 'a')).toBe(true);
  expect(events.at(-1)?.insertId).toBe('last');
  expect(new Set(events.map(({ insertId }) => insertId)).size).toBe(events.length);
});
