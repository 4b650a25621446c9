import { readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { ROOT } from '../tidy/sources.ts';
import { buildImage, type Image } from './image.ts';

let image: Image;
let env: Record<string, string>;
beforeAll(async () => {
  env = { PORT: String(await findFreePort()) };
  image = buildImage();
}, 900_000);
afterAll(() => image.remove());

/** Starts the server of the image and waits until its own health check finds it ready. */
async function serve(): Promise<ChildProcess> {
  const server = image.start([...image.entrypoint, ...image.command], env);
  let said = '';
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (text) => (said += String(text)));
  await expect
    .poll(() => {
      if (server.exitCode !== null) throw new Error(said);
      try {
        return image.run(image.healthCheck, env);
      } catch {
        return '';
      }
    })
    .toMatch(/is ready/);
  return server;
}

describe('the steps of adapters/cli/deploy/Dockerfile, carried out in order', () => {
  it('make a program that a user of a number runs on a read-only root', async () => {
    const server = await serve();
    expect(image.run(['id', '-u'])).toBe('65532\n');
    for (const file of ['/app/x', '/tmp/x', '/usr/local/bin/x'])
      expect(() => image.run(['touch', file])).toThrow('Read-only file system');
    image.run(['event-query', 'tenant', 'create', 'shop'], env);
    const url = `http://127.0.0.1:${env.PORT}/v1/events/shop/multi`;
    const body = '[{"eventName": "sold", "userId": "ann"}]';
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(await answer.json()).toMatchObject({ accepted: 1 });
    expect(image.run(['event-query', 'count', 'shop', '--json'], env)).toContain('1');
    expect(image.run(['event-query', 'backup'], env)).toContain('/data/backups/');
    image.run(['event-query', 'compact'], env);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('bring the drivers that the lock file names, and nothing that is compiled', () => {
    const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    for (const name of ['pg', 'redis', '@clickhouse/client', 'openid-client', 'pino']) {
      const { version } = JSON.parse(
        readFileSync(image.path(`app/node_modules/${name}/package.json`), 'utf8'),
      ) as { version: string };
      expect([name, version]).toEqual([name, packages[`node_modules/${name}`]!.version]);
    }
    expect(image.run(['find', '/app', '-name', '*.node'])).toBe('');
    expect(() => image.run(['ls', '/app/node_modules/typescript'])).toThrow('No such file');
  });
});
