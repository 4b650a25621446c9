import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { DIST } from '../../support/built.ts';
import { openRawClient, sendRaw, type RawClient } from '../../support/raw-client.ts';

const SERVER = `
  import { createNodeServer } from '${pathToFileURL(join(DIST, 'node-http.js')).href}';
  const handler = async () => ({ status: 200, headers: {}, body: 'done' });
  const log = { info() {}, error: (fields, message) => console.log(JSON.stringify({ message, ...fields })) };
  const server = createNodeServer({ handler, log });
  console.log(JSON.stringify(await server.listen({ host: '127.0.0.1', port: 0 })));
`;

it('a server that is out of file descriptors says so once a second, and goes on', async () => {
  const args = ['-c', 'ulimit -n 256; exec "$0" --input-type=module -e "$1"', process.execPath, SERVER];
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: Record<string, unknown>[] = [];
  child.stdout.on('data', (data: Buffer) => {
    for (const line of data.toString().trim().split('\n')) lines.push(JSON.parse(line) as (typeof lines)[0]);
  });
  try {
    await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(1);
    const port = Number(lines[0]!.port);
    const clients: RawClient[] = await Promise.all(Array.from({ length: 400 }, () => openRawClient(port)));
    await expect
      .poll(() => lines.at(-1)?.message, { timeout: 20_000 })
      .toBe('the server could not accept a connection');
    expect(lines.length).toBeLessThan(10);
    for (const client of clients) client.close();
    await expect
      .poll(
        async () => (await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => undefined))?.status,
        { timeout: 20_000 },
      )
      .toBe(200);
  } finally {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  }
});
