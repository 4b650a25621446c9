import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { serve, type ServedFile } from '../../../adapters/serve/index.ts';
import { createFolder } from '../../support/file.ts';

const folder = createFolder();
const file = folder.file('events.db');
const driver = Database;
let serving: ServedFile | undefined;
afterEach(() => serving?.close());

it('serves the whole API on a file, which is closed with it and opens again', async () => {
  serving = await serve({ file, driver, port: 0 });
  await serving.api.admin.createTenant({ alias: 'shop', plan: 'growth' });
  const key = { name: 'test', permissions: ['query'] as const };
  const { secret } = await serving.api.admin.createKey('shop', key);
  const sent = await fetch(`${serving.url}/v1/events/shop/multi`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '[{"eventName":"signed_up","userId":"ada"}]',
  });
  expect(sent.status).toBe(200);
  await Promise.all([serving.close(), serving.close()]);
  // SQLite removes it when the last connection of the file has closed.
  expect(existsSync(`${file}-wal`)).toBe(false);

  serving = await serve({ file, driver, port: 0 });
  const names = await fetch(`${serving.url}/v1/api/query/events/shop`, { headers: { 'X-API-Key': secret } });
  expect(await names.json()).toEqual(['signed_up']);
});

it('closes the file where the port is taken', async () => {
  serving = await serve({ file: folder.file('other.db'), driver, port: 0 });
  const port = Number(new URL(serving.url).port);
  const refused = folder.file('refused.db');
  await expect(serve({ file: refused, driver, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(existsSync(`${refused}-wal`)).toBe(false);
});

it('takes IPv6, and a budget of memory', async () => {
  serving = await serve({ file: folder.file('small.db'), driver, host: '::1', port: 0, memoryMax: 1e8 });
  expect(serving.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect(serving.api.resources.memory.bytesMax).toBe(1e8);
  expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
});

it('says what is missing', async () => {
  await expect(serve({ file } as never)).rejects.toThrow('serve needs driver, such as');
});
