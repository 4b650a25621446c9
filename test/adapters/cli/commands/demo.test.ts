import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_SEED, DEMO_TENANT_NAME } from '../../../../adapters/cli/commands/demo.ts';
import { demoEvents } from '../../../../adapters/cli/commands/demo-events.ts';
import { createPlace, type Place } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

const FIRST = /names of all events:\ncurl [^\n]+\n[^]*Ctrl-C/;
const LATER = /--db \S+\n/;

/** Runs a printed command in a shell, as a user would paste it, and returns the answer. */
async function paste(command: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent --show-error --fail`]);
  return JSON.parse(stdout);
}

describe('demo', () => {
  it('prints three commands that work when pasted; later runs keep the data', async () => {
    const first = await place.serve(['demo'], FIRST);
    const commands = first.printed.split('\n').filter((line) => line.startsWith('curl '));
    expect(commands.length).toBe(3);
    expect(first.printed).toContain('\nSQLite driver: better-sqlite3\n');
    expect(commands.every((command) => command.includes(first.url) && command.includes('eqk_'))).toBe(true);
    const [events, counted, names] = await Promise.all(commands.map(paste));
    expect(events).toHaveLength(3);
    expect(events).toMatchObject([{ eventName: 'order_placed' }, {}, {}]);
    expect((counted as { count: number }).count).toBeGreaterThan(0);
    expect(names).toContain('order_placed');
    expect(await first.stop('SIGINT')).toBe(0);
    const tenant = JSON.parse(await place.ok(['tenant', 'show', 'demo', '--json'])) as object;
    expect(tenant).toMatchObject({ plan: 'scale', events: 5000, authStrategy: 'NONE' });

    const second = await place.serve(['demo'], LATER);
    expect(second.printed).not.toMatch(/eqk_|curl/);
    const again = second.printed.split('\n').find((line) => line.includes('key create'))!;
    expect(again).toBe(
      `npx event-query key create demo --name another --permission query --db '${place.db}'`,
    );
    const secret = (await place.ok(again.replaceAll("'", '').split(' ').slice(2))).trim();
    const request = { headers: { 'X-API-Key': secret } };
    expect((await fetch(`${second.url}/v1/api/query/events/demo`, request)).status).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(await place.ok(['count', 'demo'])).toBe('5000\n');
  });

  it('completes a first run that was interrupted', async () => {
    const flags = ['--plan', 'scale', '--name', DEMO_TENANT_NAME, '--json'];
    const { createdAt } = JSON.parse(await place.ok(['tenant', 'create', 'demo', ...flags])) as {
      createdAt: string;
    };
    const events = demoEvents(Date.parse(createdAt), DEMO_SEED);
    await place.import('demo', toNdjson(events.slice(0, 1234)));
    const server = await place.serve(['demo'], FIRST);
    expect(server.printed).toMatch(/eqk_/);
    expect(await server.stop()).toBe(0);
    expect(await place.ok(['count', 'demo'])).toBe('5000\n');
  });

  it('completes the events of a demo that has a key already', async () => {
    await place.ok(['tenant', 'create', 'demo', '--plan', 'scale', '--name', DEMO_TENANT_NAME]);
    await place.ok(['key', 'create', 'demo', '--name', 'demo', '--permission', 'query']);
    const server = await place.serve(['demo'], LATER);
    expect(server.printed).not.toMatch(/eqk_/);
    expect(await server.stop()).toBe(0);
    expect(await place.ok(['count', 'demo'])).toBe('5000\n');
  });

  it('does not touch a tenant that a user created under the same alias', async () => {
    await place.ok(['tenant', 'create', 'demo', '--plan', 'growth']);
    const server = await place.serve(['demo'], LATER);
    expect(server.printed).not.toMatch(/eqk_/);
    expect(await server.stop()).toBe(0);
    expect(await place.ok(['count', 'demo'])).toBe('0\n');
  });

  it('on all addresses, the printed commands use this machine', async () => {
    const server = await place.serve(['demo', '--host', '0.0.0.0'], FIRST);
    expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:/);
    const commands = server.printed.split('\n').filter((line) => line.startsWith("curl 'http://127.0.0.1:"));
    expect(commands.length).toBe(3);
    expect(await paste(commands[2]!)).toContain('page_viewed');
    expect(await server.stop()).toBe(0);
  });
});
