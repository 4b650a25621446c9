import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleProgram } from '../../../support/bundle.ts';
import { cleanEnv } from '../../../support/clean-env.ts';
import { createPlace, endOf, NODE_ARGS } from '../command.ts';

const place = createPlace();
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'custom']);
  // Nothing listens there, so each request with a token logs an error.
  const keys = ['--jwks-url', 'https://127.0.0.1:9/keys', '--jwt-issuer', 'i', '--jwt-audience', 'a'];
  await place.ok(['tenant', 'set', 'shop', '--auth', 'JWT', ...keys]);
});
afterAll(() => place.remove());

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const TOKEN = `${part({ alg: 'RS256', kid: 'k' })}.${part({ sub: 'u' })}.AAAA`;

/** Sends requests that the server logs, 50 at a time, and returns how many were answered. */
async function sendLogged(url: string, count: number): Promise<number> {
  const dispatcher = new Agent({ connections: 50 });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  let [sent, answered] = [0, 0];
  const sender = async () => {
    while (sent++ < count) {
      const answer = await request(`${url}/v1/events/shop/multi`, {
        dispatcher,
        method: 'POST',
        headers,
        body: '[]',
      });
      await answer.body.dump();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  await dispatcher.close();
  return answered;
}

async function serveUnread() {
  const child = place.start(['serve', '--port', '0']);
  const ended = endOf(child);
  child.stderr!.pause();
  return { child, ended, url: await listeningOn(child) };
}

/** Resolves to the URL that a server prints. */
function listeningOn(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (printed: string) => {
      const found = /listening on (\S+)\n/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}

describe('the log of a server', () => {
  it('never blocks it: unread during 10,000 requests, it then reports the gap', async () => {
    const { child, ended, url } = await serveUnread();
    expect(await sendLogged(url, 10_000)).toBe(10_000);
    const log = text(child.stderr!);
    await sendLogged(url, 1);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const lines = (await log).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { msg: string; lines?: number });
    const dropped = entries.reduce((sum, { lines: gap = 0 }) => sum + gap, 0);
    expect(dropped).toBeGreaterThan(1000);
    expect(entries.length - 1 + dropped).toBeGreaterThanOrEqual(10_001);
    // So many requests take a while on a busy machine.
  }, 180_000);

  it('says at its end how many lines were dropped, if it could not before', async () => {
    const module = bundleProgram('adapters/cli/server/log.ts');
    const path = join(place.folder, 'dropped.log');
    const count = 20_000;
    // Nothing is written before this turn of the event loop ends.
    const code = `import { openLog } from ${JSON.stringify(module)};
      const { log, close } = openLog({ logLevel: 'info', logFormat: 'json' });
      for (let i = 0; i < ${count}; i++) log.info({ i }, 'a line that is written');
      await close();`;
    const file = openSync(path, 'w');
    const args = ['--input-type=module', '--eval', code];
    expect(await endOf(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', file] }))).toBe(0);
    closeSync(file);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1)!) as { msg: string; lines: number };
    expect(last.msg).toContain('log lines were dropped');
    expect(lines.length - 1 + last.lines).toBe(count);
  });

  it('does not keep a process alive when its reader has gone', async () => {
    const module = bundleProgram('adapters/cli/server/log.ts');
    const code = `import { openLog } from ${JSON.stringify(module)};
      const { log } = openLog({ logLevel: 'info', logFormat: 'json' });
      process.stdin.once('data', () => { log.info('in flight'); log.info('waits'); process.exit(3); });
      console.log('ready');`;
    const args = ['--input-type=module', '--eval', code];
    const child = spawn(process.execPath, args, { stdio: 'pipe' });
    const ended = endOf(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stderr.destroy();
    child.stdin.write('end');
    expect(await ended).toBe(3);
  });

  it('does not keep a process alive when it is never read', async () => {
    const { child, ended, url } = await serveUnread();
    expect(await sendLogged(url, 500)).toBe(500);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('may fill its disk, and the server goes on', async () => {
    const log = join(place.folder, 'full.log');
    writeFileSync(log, '');
    // The file size limit of this test; a block of dash is 512 bytes.
    truncateSync(log, 2 ** 26);
    const script = `ulimit -f ${2 ** 26 / 512}; exec "$0" "$@" 2>> '${log}'`;
    const env = { ...cleanEnv(), EVENT_QUERY_DB: place.db };
    const args = ['-c', script, process.execPath, ...NODE_ARGS, 'serve', '--port', '0'];
    const child = spawn('sh', args, { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = endOf(child);
    const url = await listeningOn(child);
    expect(await sendLogged(url, 200)).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(statSync(log).size).toBe(2 ** 26);
  });
});
