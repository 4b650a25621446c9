import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlace, type Server } from '../command.ts';

const place = createPlace();
let server: Server;
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  server = await place.serve(['serve']);
});
afterAll(() => place.remove());

async function read(): Promise<unknown> {
  const answer = await fetch(`${server.url}/v1/client/shop/config/configurations`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  return ((await answer.json()) as { configurations: unknown }).configurations;
}

it('values are set, listed and removed while a server has the file open', async () => {
  expect(await place.ok(['remote-config', 'list', 'shop', '--json'])).toBe('[]\n');
  expect(await place.ok(['remote-config', 'set', 'shop', 'hero_text', 'Hello, world'])).toContain(
    'hero_text\tHello, world\n',
  );
  expect(await read()).toEqual({ hero_text: 'Hello, world' });
  await place.ok(['remote-config', 'set', 'shop', 'enabled', 'true']);
  await place.ok(['remote-config', 'set', 'shop', 'hero_text', '-1']);
  expect(JSON.parse(await place.ok(['remote-config', 'list', 'shop', '--json']))).toEqual([
    { key: 'enabled', value: 'true' },
    { key: 'hero_text', value: '-1' },
  ]);
  expect(await read()).toEqual({ enabled: 'true', hero_text: '-1' });
  const left = await place.ok(['remote-config', 'unset', 'shop', 'enabled', '--json']);
  expect(JSON.parse(left)).toEqual([{ key: 'hero_text', value: '-1' }]);
  expect(await read()).toEqual({ hero_text: '-1' });
});

it.each([
  [['set', 'shop', 'a key', 'v'], 2, /key: takes 1 to 128 of A-Z/],
  [['set', 'shop', 'key', ''], 2, /value: takes a text of 1 to 4096 characters, got the string ""/],
  [['unset', 'shop', 'nothing'], 2, /key: the remote config of "shop" has no "nothing"/],
  [['list', 'nobody'], 1, /Tenant not found: "nobody"/],
])('%j fails with a reason', async (args, status, reason) => {
  const { code, stderr } = await place.run(['remote-config', ...args]);
  expect([code, stderr]).toEqual([status, expect.stringMatching(reason)]);
});
