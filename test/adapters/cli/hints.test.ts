import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from './command.ts';

const place = createPlace();
beforeAll(() => place.ok(['tenant', 'create', 'shop']));
afterAll(() => place.remove());

/** Runs a command, and returns its exit code and output. */
async function told(args: readonly string[], env?: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await place.run(args, env && { env });
  return { code, stdout, stderr };
}

describe('a hint names what may have been meant', () => {
  it('for an alias', async () => {
    const { code, stderr } = await told(['tenant', 'show', 'shp']);
    expect([code, stderr]).toEqual([1, 'event-query: Tenant not found: "shp"; did you mean "shop"?\n']);
    const far = await told(['count', 'warehouse']);
    expect([far.code, far.stderr]).toEqual([1, 'event-query: Tenant not found: "warehouse"\n']);
  });

  it('for the name of an event, where nothing was found', async () => {
    await place.ok(['send', 'shop', '--event', 'order_placed', '--property', 'plan=pro']);
    const hint = 'no event has the name "order_plcd"; did you mean "order_placed"?\n';
    for (const [command, ...flags] of [['count'], ['query'], ['properties'], ['breakdown', '--by', 'day']]) {
      const { code, stderr } = await told([command!, 'shop', ...flags, '--event', 'order_plcd']);
      expect([code, stderr]).toEqual([0, expect.stringContaining(hint)]);
    }
    expect((await told(['count', 'shop', '--event', 'signed_up'])).stderr).toBe('');
    expect((await told(['count', 'shop', '--event', 'order_placed', '--after', '2090-01-01'])).stderr).toBe(
      '',
    );
  });

  it('for a command, a flag and an operator', async () => {
    expect((await told(['cuont', 'shop'])).stderr).toContain('(Did you mean count?)');
    expect((await told(['count', 'shop', '--evnt', 'a'])).stderr).toContain('(Did you mean --event?)');
    expect((await told(['count', 'shop', '--filter', 'properties.a contain 1'])).stderr).toContain(
      'did you mean "contains"?',
    );
  });

  it('for what other tools call a flag', async () => {
    for (const [command, flag, meant] of [
      ['query', '--limit', '--size'],
      ['count', '--since', '--after'],
      ['tail', '--where', '--filter'],
      ['breakdown', '--group-by', '--by'],
    ])
      expect((await told([command!, 'shop', flag!, '5'])).stderr).toBe(
        `event-query: unknown option '${flag}' (Did you mean ${meant}?)\n`,
      );
    // This command has no page, but a backend of limits.
    expect((await told(['names', 'shop', '--limit', '5'])).stderr).toContain('(Did you mean --limits?)');
  });

  it('for a filter that compares with a type that no value has', async () => {
    await place.ok(['tenant', 'create', 'typed']);
    await place.ok(['send', 'typed', '--event', 'a', '--property', 'total=12.5', '--property', 'n:=3']);
    const totals =
      'properties.total holds strings ("12.5"), never a number; compare it with a text, ' +
      'or import numbers with --types\n';
    for (const [command, ...flags] of [['count'], ['query'], ['breakdown', '--by', 'day']]) {
      const asked = (filter: string) => told([command!, 'typed', ...flags, '--filter', filter]);
      expect((await asked('properties.total > 12')).stderr).toContain(totals);
      expect((await asked('properties.n = "3"')).stderr).toContain(
        'properties.n holds numbers (3), never a string\n',
      );
      expect((await asked('properties.m = 3')).stderr).toContain('no event has properties.m; did you mean');
      expect((await asked('properties.n > 3')).stderr).not.toMatch(/properties/);
    }
    const { stdout } = await told(['count', 'typed', '--explain', '--filter', 'properties.total > 12']);
    expect(stdout).toMatch(/other type\s+properties.total holds strings/);
  });

  it('for a path that no event has, and for one into an array of objects', async () => {
    await place.ok(['send', 'shop', '--event', 'order_placed', '--property', 'items:=[{"sku":"A"}]']);
    const of = (path: string) => told(['breakdown', 'shop', '--by', path]);
    expect((await of('properties.plann')).stderr).toContain('did you mean properties.plan?\n');
    expect((await of('properties.items.sku')).stderr).toContain('properties.items is an array');
    expect((await of('properties.plan')).stderr).not.toContain('no event has');
    const { stdout, stderr } = await told(['properties', 'shop']);
    expect(stdout).toContain('array 1 (1 with objects)');
    expect(stderr).toContain('filters do not look into arrays of objects');
    const filter = ['--filter', 'properties.items.sku = "A"'];
    expect((await told(['count', 'shop', '--explain', ...filter])).stdout).toContain(
      'in 1 events properties.items is an array',
    );
  });

  it('for the path of a breakdown', async () => {
    const { code, stderr } = await told(['breakdown', 'shop', '--by', 'plan']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean "properties.plan"?')]);
  });

  it('for an unknown variable', async () => {
    const { code, stderr } = await told(['tenant', 'list'], { EVENT_QUERY_DBB: 'x' });
    expect([code, stderr]).toEqual([
      0,
      'warning: unknown variable EVENT_QUERY_DBB; did you mean EVENT_QUERY_DB?\n',
    ]);
    expect((await told(['tenant', 'list'], { EVENT_QUERY_WORKER: '2' })).stderr).toContain(
      'did you mean EVENT_QUERY_WORKERS?',
    );
    expect((await told(['tenant', 'list'], { EVENT_QUERY_COLOUR: 'x' })).stderr).toBe(
      'warning: unknown variable EVENT_QUERY_COLOUR; no command reads it\n',
    );
    const read = { EVENT_QUERY_OIDC_KEY: 'x', EVENT_QUERY_WORKERS: '2', EVENT_QUERY_DRAIN: '1s' };
    expect((await told(['tenant', 'list'], read)).stderr).toBe('');
  });
});

describe('LOG_LEVEL', () => {
  it('is accepted in any letter case', async () => {
    const server = await place.serve(['serve'], undefined, { LOG_LEVEL: 'ERROR' });
    await fetch(`${server.url}/healthz`);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toBe('');
    const { code, stderr } = await told(['serve'], { LOG_LEVEL: 'LOUD' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('It takes one of trace, debug')]);
  });
});

describe('dashboard link', () => {
  it('is refused when the server serves no dashboard, and says when no server answers', async () => {
    const server = await place.serve(['serve']);
    const { port } = new URL(server.url);
    const refused = await told(['dashboard', 'link', '--port', port]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('serves no dashboard: start it with --dashboard');
    await server.stop();
    const early = await told(['dashboard', 'link', '--port', port]);
    expect([early.code, early.stdout]).toEqual([0, expect.stringContaining('/sign-in#')]);
    expect(early.stderr).toContain('no server answers at');
  });
});

describe('config check', () => {
  it('fails when Redis does not answer, although a server starts without it', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { code, stderr } = await told(['config', 'check', '--limits', `redis://127.0.0.1:${port}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot open redis://127.0.0.1:${port}: it does not answer`);
  });

  it.each<[object, string]>([
    [{ port: '80x' }, 'port: takes a port from 0 to 65535'],
    [{ workers: 'many' }, 'workers: takes a number of 1 or more, or "auto"'],
    [{ accessLog: 'no' }, 'accessLog: takes true or false'],
    [{ db: 5 }, 'db: takes a text'],
    [{ oidcRole: 'a=admin' }, 'oidcRole: takes an array of texts'],
    [[], 'the whole: takes an object of flags'],
  ])('says in words of its own what %j lacks', async (value, message) => {
    const file = join(place.folder, 'wrong.json');
    writeFileSync(file, JSON.stringify(value));
    const { code, stderr } = await told(['config', 'check', '--config', file]);
    expect([code, stderr]).toEqual([2, `event-query: ${file}: ${message}\n`]);
  });
});

describe('a tenant of the command line', () => {
  it('has no limit on its requests unless a plan is named', async () => {
    const planOf = async (...args: string[]) =>
      JSON.parse(await place.ok(['tenant', 'create', ...args, '--json'])) as object;
    expect(await planOf('mine')).toMatchObject({ plan: 'custom', limits: null });
    expect(await planOf('theirs', '--plan', 'builder')).toMatchObject({ plan: 'builder' });
  });
});
