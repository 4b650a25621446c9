import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createNodeServer } from '../../adapters/node-http/index.ts';
import { createApi } from '../../src/index.ts';
import { builtCli } from '../support/built.ts';
import { startJwksServer } from '../support/jwks-server.ts';
import { createTokenSigner } from '../support/token-signer.ts';
import { toRequest } from './target/checks.ts';
import { converse } from '../support/raw-client.ts';
import { startTarget, type Target } from './target/target.ts';
import { testResources } from '../support/resources.ts';

const signer = createTokenSigner();

let target: Target;
/** What must never be seen again, by what it is. */
let secrets: Record<string, string>;

beforeAll(async () => {
  target = await startTarget();
  const { admin } = target;
  const create = async (name: string, permission: 'query' | 'ingest') =>
    admin.createKey('mallory', { name, permissions: [permission] });
  const revoked = await create('revoked', 'query');
  await admin.revokeKey('mallory', revoked.key.id);
  const rotated = await create('rotated', 'query');
  secrets = {
    key: target.key,
    ingestKey: (await create('ingest', 'ingest')).secret,
    revokedKey: revoked.secret,
    oldKey: rotated.secret,
    newKey: (await admin.rotateKey('mallory', rotated.key.id, 60_000)).secret,
    unknownKey: `eqk_${'5ec2e7'.repeat(11).slice(0, 64)}`,
    token: await signer.sign({ iss: 'i', aud: 'a', sub: 's', exp: Math.floor(Date.now() / 1000) + 600 }),
  };
});
afterAll(() => target.stop());

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Requests that carry a secret where it belongs, and wherever people put it by mistake. */
function requestsWith(secret: string): [path: string, init: RequestInit][] {
  const encoded = encodeURIComponent(secret);
  const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { ...JSON_TYPE, 'X-API-Key': target.key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const query = '/v1/api/query/mallory';
  const events = '/v1/events/mallory/multi';
  return [
    [query, post({}, { 'X-API-Key': secret })],
    [query, post({}, { 'X-API-Key': `${secret} ` })],
    [query, post({}, { 'X-API-Key': `${secret}x` })],
    [query, post('not json', { Authorization: `Bearer ${secret}` })],
    [events, post([], { Authorization: `Chase ${secret}` })],
    [events, post([{}], { Authorization: secret })],
    [
      query,
      post({}, { Cookie: `key=${secret}`, Referer: `http://a/?key=${encoded}`, 'X-Request-Id': secret }),
    ],
    [`${query}?apiKey=${encoded}`, post({})],
    [`/v1/api/query/${encoded}`, post({})],
    [`/v1/api/query/count/${encoded}`, post({})],
    [`/v1/events/${encoded}/multi`, post([{}])],
    [`/${encoded}`, {}],
    [`/v1/api/query/events/mallory?X-API-Key=${encoded}`, { headers: { 'X-API-Key': target.key } }],
    [query, post({ apiKey: secret })],
    [query, post({ [secret]: 1 })],
    [query, post({ event: secret, after: secret })],
    [query, post({ pagination: { cursor: secret, offset: secret } })],
    [query, post({ filterSet: [{ property: secret, comparison: 'EQUALS', value: 1 }] })],
    [query, post({ filterSet: [{ property: 'userId', comparison: secret, value: 1 }] })],
    [query, post(`{"event":"${secret}`)],
    [query, post({}, { 'Content-Type': secret })],
    [query, post({}, { 'Content-Encoding': secret })],
    [events, post([{ eventName: 'a', userId: 'u', [secret]: 1 }])],
    [events, post([{ eventName: 'a', userId: 'u', eventTs: secret }])],
  ];
}

/** The parts of a secret that would give it away. */
function partsOf(secret: string): string[] {
  return [secret, secret.slice(0, 40), secret.slice(-40), encodeURIComponent(secret)];
}

function expectUntold(text: string, place: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const part of partsOf(secret))
      expect([place, name, text.includes(part)]).toEqual([place, name, false]);
  }
}

describe('a secret that is sent', () => {
  it('does not come back, is not printed and is not stored, wherever it was put', async () => {
    const answers: string[] = [];
    for (const secret of Object.values(secrets)) {
      for (const [path, init] of requestsWith(secret)) {
        const answer = await fetch(target.origin + path, init);
        answers.push(`${JSON.stringify([...answer.headers])} ${await answer.text()}`);
      }
      // Heads that cannot be read have an error path of their own.
      const broken = toRequest('GET', '/', [`X-API-Key: ${secret}\x00`]);
      answers.push((await converse(target.port, broken)).bytes.toString('latin1'));
    }
    expectUntold(answers.join('\n'), 'answers');
    expectUntold(target.printed(), 'log');
    for (const file of readdirSync(target.folder)) {
      expectUntold(readFileSync(join(target.folder, file), 'latin1'), file);
    }
  });

  it('is in no listing', () => {
    const lists = [
      ['key', 'list', 'mallory'],
      ['key', 'list', 'mallory', '--json'],
      ['tenant', 'list', '--json'],
    ];
    for (const list of lists) {
      const args = [builtCli(), '--db', target.file, ...list];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect([list, status]).toEqual([list, 0]);
      expect(stdout).not.toBe('');
      expectUntold(stdout + stderr, list.join(' '));
      expect(stdout + stderr).not.toMatch(/[0-9a-f]{64}/);
    }
  });
});

describe('the log of what failed', () => {
  it('names the place and the cause, and no secret', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const resources = testResources({ log });
    const whole = memoryStores({ resources });
    const broken = () => Promise.reject(new Error('the disk is away'));
    const control = { ...whole.control, get: broken, find: broken };
    const tokens = { verify: broken };
    const api = createApi({ stores: { ...whole, control }, tokens, resources });
    const server = createNodeServer({ api });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    for (const secret of Object.values(secrets)) {
      for (const [path, init] of requestsWith(secret)) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
        expectUntold(await answer.text(), path);
      }
    }
    await server.close();
    const text = lines.join('');
    expect(text).toContain('the disk is away');
    expectUntold(text, 'log');
  });

  it('of keys that cannot be fetched does not hold the token', async () => {
    const jwks = await startJwksServer();
    jwks.answer = (_req, res) => void res.writeHead(500).end();
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: jwks.url };
    await target.admin.updateTenant('mallory', { authStrategy: 'JWT', jwt });
    const answer = await fetch(`${target.origin}/v1/events/mallory/multi`, {
      method: 'POST',
      headers: { ...JSON_TYPE, Authorization: `Bearer ${secrets.token}` },
      body: '[]',
    });
    await jwks.close();
    expect(answer.status).toBe(503);
    // The log is written behind the answer.
    await expect.poll(() => target.printed()).toContain('the JWKS endpoint answered 500');
    expectUntold(target.printed(), 'log');
  });
});
