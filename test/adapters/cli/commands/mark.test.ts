import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlace, type Server } from '../command.ts';

interface MarkView {
  readonly id: string;
  readonly time: string;
}

const place = createPlace();
let server: Server;
let secret: string;
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  const key = ['dashboard', 'key', 'create', '--name', 'ci', '--role', 'admin', '--tenant', 'shop'];
  secret = (await place.ok(key)).trim();
  server = await place.serve(['serve', '--dashboard']);
});
afterAll(() => place.remove());

/** Asks the Admin API of the server, as a CI does. */
async function ask(path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${server.url}/v1/admin/marks/${path}`, {
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return answer.json();
}

const listed = async (): Promise<unknown> => JSON.parse(await place.ok(['mark', 'list', 'shop', '--json']));

it('commands and an admin key over HTTP set, list and remove the same marks', async () => {
  expect(await listed()).toEqual([]);
  const args = ['--time', '2026-05-18T11:00:00+02:00', '--link', 'https://shop.example/1.2', '--json'];
  const added = JSON.parse(await place.ok(['mark', 'add', 'shop', 'v1.2', ...args])) as MarkView;
  const said = { time: '2026-05-18T09:00:00.000Z', name: 'v1.2', url: 'https://shop.example/1.2' };
  expect(added).toEqual({ id: added.id, ...said });
  const before = new Date().toISOString();
  const sent = (await ask('create/shop', { name: 'by CI' })) as MarkView;
  expect(sent).toMatchObject({ name: 'by CI', url: null });
  expect(sent.time >= before && sent.time <= new Date().toISOString()).toBe(true);
  expect(await ask('shop?until=2026-05-19T00:00:00Z')).toMatchObject([added]);
  expect(await place.ok(['mark', 'list', 'shop'])).toContain(
    `${added.id}\t2026-05-18T09:00:00.000Z\tv1.2\thttps://shop.example/1.2\n`,
  );
  const { id, time } = sent;
  const left = { id, time, name: 'by CI', url: null };
  expect(await listed()).toEqual(before > said.time ? [added, left] : [left, added]);
  expect(await place.ok(['mark', 'remove', 'shop', added.id])).toBe(`removed ${added.id}\n`);
  expect(await ask('delete/shop', { id })).toEqual({});
  expect(await listed()).toEqual([]);
});

it('what a mark is named is printed so that it is one line', async () => {
  const printed = await place.ok(['mark', 'add', 'shop', 'Prices changed']);
  expect(printed).toMatch(/^added Prices changed at \d{4}-\d\d-\d\dT\S+Z \([0-9a-f-]{36}\)\n$/);
});

it.each([
  [['add', 'shop', ''], 2, /name: takes 1 to 100 characters/],
  [['add', 'shop', 'a', '--time', 'yesterday'], 2, /time: takes a date-time with an offset, such as/],
  [['add', 'shop', 'a', '--link', 'shop.example'], 2, /url: takes an http or https URL/],
  [['add', 'shop', 'a', '--url', 'https://a.example'], 2, /mark add works on this machine's file/],
  [['remove', 'shop', 'nothing'], 2, /id: the tenant "shop" has no mark "nothing"/],
  [['list', 'nobody'], 1, /Tenant not found: "nobody"/],
])('%j fails with a reason', async (args, status, reason) => {
  const { code, stderr } = await place.run(['mark', ...args]);
  expect([code, stderr]).toEqual([status, expect.stringMatching(reason)]);
});

it('a variable that names a server is refused as well, so that nothing is set on this machine', async () => {
  const env = { EVENT_QUERY_URL: server.url, EVENT_QUERY_DB: undefined };
  const { code, stderr } = await place.run(['mark', 'add', 'shop', 'a'], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('not on a server')]);
});
