import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Server } from '../command.ts';

const place = createPlace();
let secret = '';
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'custom']);
  secret = (await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query'])).trim();
});
afterAll(() => place.remove());

type Line = Readonly<Record<string, unknown>>;

/** The lines of a log with this message. */
const linesOf = (server: Server, msg: string) =>
  server
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.msg === msg);

const count = (server: Server) =>
  fetch(`${server.url}/v1/api/query/count/shop`, {
    method: 'POST',
    headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      event: 'sold',
      filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'gold' }],
    }),
  });

describe('the life of a server in its log', () => {
  it.each([
    ['one process', 'SIGTERM', []],
    ['workers', 'SIGINT', ['--workers', '2']],
  ] as const)('%s: one line says how it began, and one how it ended', async (_name, signal, args) => {
    const password = 'only-two-know';
    const all = [
      'serve',
      ...args,
      '--limits',
      `redis://user:${password}@127.0.0.1:1`,
      '--memory-max',
      '300MiB',
    ];
    const server = await place.serve(all);
    const { port } = new URL(server.url);
    for (let i = 0; i < 7; i += 1) await (await fetch(`${server.url}/v1/openapi.json`)).text();
    expect(await server.stop(signal)).toBe(0);
    const [started, ...more] = linesOf(server, 'started');
    expect(more).toEqual([]);
    expect(started).toMatchObject({
      ...{ level: 30, version: expect.stringMatching(/^\d+\.\d+\.\d+\+/) as string, node: process.version },
      ...{ events: place.db, control: place.db, limits: 'redis://user@127.0.0.1:1' },
      ...{ workers: args.length === 0 ? 1 : 2, memoryMax: 300 * 2 ** 20, runningMax: 1000 },
      listening: [`http://127.0.0.1:${port}`],
    });
    expect(started!.fileBytes).toBeGreaterThanOrEqual(statSync(place.db).size);
    expect(started!.connectionsMax).toBeGreaterThan(0);
    const [stopped, ...others] = linesOf(server, 'stopped');
    expect(others).toEqual([]);
    expect(stopped).toMatchObject({ level: 30, signal, requests: 7 });
    expect(stopped!.uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(server.log().trimEnd().split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(server.log()).not.toContain(password);
  });
});

describe('the flags of the log', () => {
  it('--log-slow warns of a slow question, without any value', async () => {
    const server = await place.serve(['serve', '--log-slow', '0', '--no-access-log']);
    expect((await count(server)).status).toBe(200);
    await server.stop();
    expect(linesOf(server, 'slow question')).toMatchObject([
      { level: 40, operation: 'count', tenant: 'shop', filters: 2, operators: ['EQUALS'] },
    ]);
    expect(linesOf(server, 'request')).toEqual([]);
    expect(server.log()).not.toMatch(/gold|sold/);
  });

  it('--log-addresses and --log-sample choose what the line of a request is', async () => {
    const server = await place.serve(['serve', '--log-addresses', '--log-sample', '0.000001']);
    for (let i = 0; i < 5; i += 1) await count(server);
    await fetch(`${server.url}/nowhere`);
    await server.stop();
    // One of the five in a million succeeds in being logged at most.
    expect(linesOf(server, 'request').at(-1)).toMatchObject({ status: 404, address: '127.0.0.1' });
    expect(linesOf(server, 'request').length).toBeLessThan(5);
  });

  it.each(['0', '2', '-1', 'half', '1.'])('--log-sample %s is no share', async (share) => {
    const { code, stderr } = await place.run(['serve', '--log-sample', share]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a share above 0 and at most 1')]);
  });
});
