import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Server } from '../command.ts';

const place = createPlace();
const LINK = /^dashboard: (\S+)\/sign-in#(eql_[0-9a-f]{64})\nThe link works once/m;
/** Two servers on one file, as two processes. */
let servers: readonly Server[];
beforeAll(async () => {
  for (const alias of ['shop', 'other']) await place.ok(['tenant', 'create', alias, '--plan', 'custom']);
  servers = [
    await place.serve(['serve', '--dashboard'], LINK),
    await place.serve(['serve', '--dashboard'], LINK),
  ];
});
afterAll(() => place.remove());

const SHOP_VIEWER = ['--role', 'viewer', '--tenant', 'shop'];

/** Asks a server as a page of the dashboard does. */
function ask({ url }: Server, path: string, cookie = '', body?: object): Promise<Response> {
  return fetch(`${url}/v1/admin/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...{ Origin: url, 'Sec-Fetch-Site': 'same-origin', 'X-Event-Query': 'dashboard' },
      ...{ 'Content-Type': 'application/json', cookie },
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Signs somebody in by a link that the command prints: the cookies with which both servers know them. */
async function signIn(...flags: string[]): Promise<readonly string[]> {
  const { port } = new URL(servers[0]!.url);
  const [, , code = ''] = LINK.exec(await place.ok(['dashboard', 'link', '--port', port, ...flags])) ?? [];
  const answer = await ask(servers[0]!, 'sign-in', '', { code });
  expect(answer.status).toBe(200);
  const [, secret = ''] = /=(eqs_\w+);/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  return servers.map(({ url }) => `__Host-event-query-${new URL(url).port}=${secret}`);
}

/** What both servers answer to a session. */
const statusesOf = async (cookies: readonly string[]) =>
  Promise.all(servers.map(async (server, i) => (await ask(server, 'session', cookies[i])).status));

interface Printed {
  readonly id: string;
  readonly name: string;
}
const list = async () => JSON.parse(await place.ok(['dashboard', 'sessions', '--json'])) as Printed[];

describe('dashboard link for a colleague', () => {
  it('signs them in with a name, a role and tenants, and no more', async () => {
    const [cookie = ''] = await signIn('--name', 'ada', ...SHOP_VIEWER);
    const session = await (await ask(servers[0]!, 'session', cookie)).json();
    expect(session).toMatchObject({ name: 'ada', role: 'viewer', tenants: ['shop'], administers: [] });
    expect((await ask(servers[0]!, 'tenants/show/other', cookie)).status).toBe(404);
    const invite = { name: 'eve', role: 'viewer', tenants: ['shop'] };
    expect((await ask(servers[0]!, 'sessions/invite', cookie, invite)).status).toBe(403);
    expect((await list()).find(({ name }) => name === 'ada')).toMatchObject({
      ...{ role: 'viewer', tenants: ['shop'], isPending: false },
      by: expect.stringMatching(/^link of ./) as string,
    });
  });

  it('names the address behind a proxy, where one is said', async () => {
    const at = ['--dashboard-url', 'https://127.0.0.1:1'];
    const printed = await place.ok(['dashboard', 'link', ...at, '--name', 'far', ...SHOP_VIEWER]);
    expect(LINK.exec(printed)?.[1]).toBe('https://127.0.0.1:1');
    // One's own link is for this machine, whatever the address of the server is.
    const { port } = new URL(servers[0]!.url);
    const env = { EVENT_QUERY_DASHBOARD_URL: 'https://events.example' };
    const own = await place.ok(['dashboard', 'link', '--port', port], { env });
    expect(LINK.exec(own)?.[1]).toBe(servers[0]!.url);
  });

  it.each([
    [['--name', 'ada']],
    [['--role', 'admin']],
    [['--tenant', 'shop']],
    [['--name', 'ada', '--role', 'owner']],
    [['--name', 'ada', '--role', 'viewer', '--tenant', 'nobody']],
    [['--name', 'a\u0007', '--role', 'viewer']],
    [['--name', 'x'.repeat(257), '--role', 'viewer']],
  ])('refuses %j', async (flags) => {
    const { port } = new URL(servers[0]!.url);
    const { code, stdout } = await place.run(['dashboard', 'link', '--port', port, ...flags]);
    expect([code === 0, stdout]).toEqual([false, '']);
  });
});

describe('dashboard sessions', () => {
  it('lists people by name, never with a secret, and ends one at once in every process', async () => {
    const [bob, eve] = [
      await signIn('--name', 'bob', ...SHOP_VIEWER),
      await signIn('--name', 'eve', ...SHOP_VIEWER),
    ];
    expect([await statusesOf(bob), await statusesOf(eve)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const printed = await place.ok(['dashboard', 'sessions']);
    expect(printed).not.toMatch(/eq[asl]_|[0-9a-f]{64}/);
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const { id } = (await list()).find(({ name }) => name === 'bob')!;
    expect(printed).toContain(id.slice(0, 8));
    expect(await place.ok(['dashboard', 'session', 'end', id.slice(0, 8)])).toBe(
      `ended session ${id.slice(0, 8)} of bob\n`,
    );
    expect([await statusesOf(bob), await statusesOf(eve)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    const again = await place.run(['dashboard', 'session', 'end', id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('there is no session') as string]);
  });

  it('ends all of a person, with links that nobody has used yet; keys stay', async () => {
    const sessions = [
      await signIn('--name', 'mia', ...SHOP_VIEWER),
      await signIn('--name', 'mia', ...SHOP_VIEWER),
    ];
    const { port } = new URL(servers[0]!.url);
    const link = await place.ok(['dashboard', 'link', '--port', port, '--name', 'mia', ...SHOP_VIEWER]);
    const key = ['dashboard', 'key', 'create', '--name', 'mia', '--role', 'viewer'];
    const secret = (await place.ok(key)).trim();
    const ended = await place.ok(['dashboard', 'session', 'end', '--name', 'mia']);
    expect(ended.split('\n').map((line) => line.split(' ')[1])).toEqual([
      'session',
      'session',
      'link',
      undefined,
    ]);
    for (const cookies of sessions) expect(await statusesOf(cookies)).toEqual([401, 401]);
    expect((await ask(servers[0]!, 'sign-in', '', { code: LINK.exec(link)![2] })).status).toBe(401);
    const headers = { Authorization: `Bearer ${secret}` };
    expect((await fetch(`${servers[1]!.url}/v1/admin/session`, { headers })).status).toBe(200);
    expect((await place.run(['dashboard', 'session', 'end', '--name', 'mia'])).code).toBe(1);
  });

  it('the last owner who was ended comes back by the command', async () => {
    await signIn();
    const owners = async () => (await list()).filter(({ name }) => !['ada', 'eve', 'far'].includes(name));
    for (const { id } of await owners()) await place.ok(['dashboard', 'session', 'end', id]);
    expect(await owners()).toEqual([]);
    expect(await statusesOf(await signIn())).toEqual([200, 200]);
  });

  it.each([[[]], [['a', '--name', 'b']], [['abc']], [['--name', 'nobody']]])(
    'end refuses %j',
    async (args) => {
      expect((await place.run(['dashboard', 'session', 'end', ...args])).code).not.toBe(0);
    },
  );
});
