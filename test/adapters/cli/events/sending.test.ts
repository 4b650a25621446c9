import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTokenSigner } from '../../../support/token-signer.ts';
import { openGate, type Fault } from '../../client/gate.ts';
import { createPlace, endOf, type Ending, type Server } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

let server: Server;
let tenants = 0;

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'first']);
  server = await place.serve(['serve']);
});

/** A tenant of one test. */
async function tenant(...flags: string[]): Promise<string> {
  const alias = `tenant-${++tenants}`;
  await place.ok(['tenant', 'create', alias, '--ingestion', 'none']);
  if (flags.length > 0) await place.ok(['tenant', 'set', alias, ...flags]);
  return alias;
}

const event = (i: number) => ({
  eventName: `name-${i % 7}`,
  userId: 'ada',
  eventTs: new Date(1_700_000_000_000 + i * 1000).toISOString(),
  properties: { i, text: `ä "${i}"`, big: 2 ** 53 },
});
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i));

function file(name: string, content: string): string {
  const path = join(place.folder, name);
  writeFileSync(path, content);
  return path;
}

/** Imports a file into a tenant of the file, and into one of the server. */
async function bothWays(content: string, ...flags: string[]) {
  const path = file(`both-${tenants}.ndjson`, content);
  const [here, there] = [await tenant(), await tenant()];
  const runs: [Ending, Ending][] = [];
  for (let run = 0; run < 2; run++) {
    runs.push([
      await place.run(['import', here, path, ...flags]),
      await place.run(['import', there, path, ...flags, '--url', server.url]),
    ]);
  }
  return { here, there, runs };
}

describe('an import at a server', () => {
  it('prints and stores the same as into the file, and a second run stores nothing', async () => {
    const { here, there, runs } = await bothWays(toNdjson(events(4500)));
    for (const [local, remote] of runs) expect(remote).toEqual(local);
    expect(runs.map(([, { stdout }]) => stdout)).toEqual([
      'imported 4500, duplicates 0, rejected 0\n',
      'imported 0, duplicates 4500, rejected 0\n',
    ]);
    expect(await place.ok(['export', there])).toBe(await place.ok(['export', here]));
  });

  it('reports bad lines by number and in the same words', async () => {
    const lines = [
      JSON.stringify(event(1)),
      'nonsense',
      '{"eventName":"","userId":"u","eventTs":0}',
      '{"eventName":"a","userId":"u"}',
      '{"eventName":"a","userId":"u","eventTs":"2024-05-01T10:00:00Z","extra":1}',
      '{"eventName":"a","userId":"u","eventTs":"2024-05-01T10:00:00Z","properties":{"n":1e400}}',
      '[1]',
      '{"eventName":"a","userId":"u","eventTs":5e12,"insertId":"far"}',
      JSON.stringify(event(2)),
    ];
    const { runs } = await bothWays(lines.join('\n'));
    const withoutClock = (text: string) => text.replace(/\(2\d{3}-[^)]*Z\)/g, '');
    for (const [local, remote] of runs) {
      expect(local.code).toBe(1);
      expect(local.stderr).toContain('line 7: ');
      expect({ ...remote, stderr: withoutClock(remote.stderr) }).toEqual({
        ...local,
        stderr: withoutClock(local.stderr),
      });
    }
    const all = await bothWays('nonsense\n{"eventName":"a"}\n', '--json');
    for (const [local, remote] of all.runs) expect(remote).toEqual(local);
  });

  it('names the events that only the server refuses', async () => {
    const far = { ...event(0), eventTs: Date.now() + 3 * 86_400_000, insertId: 'far' };
    const path = file('far.ndjson', toNdjson([far, event(1), { ...far, insertId: 'far-too' }, far]));
    const { code, stdout, stderr } = await place.run([
      ...['import', await tenant(), path],
      ...['--url', server.url],
    ]);
    expect([code, stdout]).toEqual([1, 'imported 1, duplicates 0, rejected 3\n']);
    expect(stderr).toMatch(
      /^line 1: eventTs: must be at most 24 hours .*\nline 3: eventTs: must be.*\nline 4: eventTs: must be/,
    );
    const alone = await place.run([
      'import',
      await tenant(),
      file('one', toNdjson([far])),
      '--url',
      server.url,
    ]);
    expect(alone.stderr).toMatch(
      /^line 1: No event was accepted; the first reason: .* 24 hours in the future/,
    );
  });

  it('stores each event once, whatever happens to the requests', async () => {
    const gate = await openGate(server.url);
    gate.next('away', 'cut', { status: 503 }, 'pass', 'cut', { status: 429, retryAfter: '1' });
    const alias = await tenant();
    const path = file('disturbed.ndjson', toNdjson(events(4500)));
    const { code, stdout, stderr } = await place.run(['import', alias, path, '--url', gate.url]);
    expect([code, await place.ok(['count', alias])]).toEqual([0, '4500\n']);
    expect(stdout).toMatch(/^imported \d+, duplicates \d+, rejected 0\n$/);
    expect(stderr).toMatch(/^cannot reach http:\S+: .*; trying again\n/);
    expect(stderr).toContain(`${gate.url}: the limit of events is used up; continuing in 1 s\n`);
    expect((await place.run(['import', alias, path, '--url', gate.url])).stdout).toBe(
      'imported 0, duplicates 4500, rejected 0\n',
    );
  });

  it('gives a server up that keeps failing, and says what is stored', async () => {
    const gate = await openGate(server.url);
    gate.next('pass');
    gate.always({ status: 503 });
    const alias = await tenant();
    const path = file('given-up.ndjson', toNdjson(events(2500)));
    const { code, stdout, stderr } = await place.run(['import', alias, path, '--url', gate.url]);
    expect([code, stdout]).toEqual([1, 'imported 2000, duplicates 0, rejected 0\n']);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      `${gate.url} answers with status 503; trying again`,
      `event-query: ${gate.url} answers with status 503; everything up to line 2000 is stored; ` +
        'run it again to continue: events that are stored already count as duplicates',
    ]);
    expect(gate.passed).toHaveLength(7);
  }, 60_000);

  it('goes on however often the server fails, if not so often in a row', async () => {
    const gate = await openGate(server.url);
    const twice: Fault[] = [{ status: 503 }, 'away', 'pass'];
    gate.next(...twice, ...twice, ...twice);
    const alias = await tenant();
    const path = file('failing.ndjson', toNdjson(events(4500)));
    const { code, stdout, stderr } = await place.run(['import', alias, path, '--url', gate.url]);
    expect([code, stdout]).toEqual([0, 'imported 4500, duplicates 0, rejected 0\n']);
    expect(stderr.match(/answers with status 503; trying again\n/g)).toHaveLength(3);
  }, 60_000);

  it('waits after Ctrl-C for the answer to what it has sent', async () => {
    const alias = await tenant();
    const path = file('waited.ndjson', toNdjson(events(10)));
    const between = createServer((request, response) => {
      void buffer(request).then(async (body) => {
        child.kill('SIGINT');
        await expect.poll(() => stderr).toContain('stopping when what was read is stored');
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(server.url + request.url!, { method: 'POST', headers, body });
        response.end(await answer.text());
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void between.close());
    await once(between, 'listening');
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    let [stdout, stderr] = ['', ''];
    const child = place.start(['import', alias, path, '--url', url]);
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stdout]).toEqual([1, 'imported 10, duplicates 0, rejected 0\n']);
    expect(stderr).toContain('event-query: interrupted; everything up to line 10 is stored');
  });

  it('is ended by Ctrl-C while the server does not answer', async () => {
    const gate = await openGate(server.url);
    gate.always('silent');
    const path = file('silent.ndjson', toNdjson(events(10)));
    const child = place.start(['import', await tenant(), path, '--url', gate.url]);
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await expect.poll(() => gate.passed.length, { timeout: 20_000 }).toBe(1);
    const ended = endOf(child);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(stderr).toContain('event-query: interrupted; none of it is stored; run it again to continue');
  });

  it('knows what is no event-query, and what redirects', async () => {
    const other = createServer((request, response) => {
      if (request.url!.startsWith('/moved')) response.writeHead(307, { Location: 'http://127.0.0.1:1/' });
      response.end('<html></html>');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const send = ['send', 'shop', '--event', 'a'];
    const moved = await place.run([...send, '--url', `${url}/moved`]);
    expect(moved.stderr).toContain('it redirects to http://127.0.0.1:1; if you trust that server');
    expect(moved.stderr).not.toContain('trying again');
    const wrong = await place.run([...send, '--url', url]);
    expect([moved.code, wrong.code]).toEqual([1, 1]);
    expect(wrong.stderr).toContain(
      `event-query: what answers at ${url} is not event-query; to send the same`,
    );
  }, 60_000);
});

describe('the strategies of a tenant', () => {
  it('SERVER_SIDE takes a key with the permission ingest', async () => {
    const alias = await tenant('--auth', 'SERVER_SIDE');
    const keyOf = async (permission: string) =>
      (await place.ok(['key', 'create', alias, '--name', permission, '--permission', permission])).trim();
    const [sends, asks] = [await keyOf('ingest'), await keyOf('query')];
    const send = ['send', alias, '--event', 'a', '--url', server.url];
    expect((await place.run([...send, '--key', sends])).code).toBe(0);
    expect((await place.run([...send, '--key-file', file('key', `${sends}\n`)])).code).toBe(0);
    for (const shown of [[], ['--key', asks], ['--token-file', file('no-token', 'abc')]]) {
      const { code, stdout, stderr } = await place.run([...send, ...shown]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('give a key with the permission ingest of this tenant (--key-file');
      expect(stderr).not.toContain(asks);
    }
    expect(await place.ok(['count', alias])).toBe('2\n');
  });

  it('JWT takes an access token of the user', async () => {
    const signer = createTokenSigner();
    const [iss, aud] = ['https://login.example', 'shop'];
    const pem = file('public.pem', signer.publicKeyPem);
    const jwt = ['--jwt-issuer', iss, '--jwt-audience', aud, '--jwt-public-key', pem];
    const alias = await tenant('--auth', 'JWT', ...jwt);
    const token = file(
      'token',
      await signer.sign({ iss, aud, sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 }),
    );
    const send = ['send', alias, '--event', 'a', '--url', server.url, '--token-file', token];
    expect((await place.run([...send, '--user', 'ada'])).code).toBe(0);
    const other = await place.run([...send, '--user', 'bob']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('must equal the sub claim')]);
    expect(await place.ok(['count', alias])).toBe('1\n');
  });

  it('one credential only, and only with a server', async () => {
    const misused = async (...args: string[]) => {
      const { code, stderr } = await place.run(['send', 'first', '--event', 'a', ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await misused('--url', server.url, '--key', 'x', '--token-file', 'y')).toContain(
      '--key and --token-file: leave one of them out',
    );
    expect(await misused('--token-file', 'y')).toContain('a token is for a server: name it with --url');
    const stdin = await place.run(['import', 'first', '-', '--url', server.url, '--key-file', '-']);
    expect([stdin.code, stdin.stderr]).toEqual([2, expect.stringContaining('stdin holds the events')]);
  });
});

describe('send', () => {
  it('prints the same for file and server, and repeats store nothing', async () => {
    const [here, there] = [await tenant(), await tenant()];
    const flags = ['--user', 'ada', '--at', '2024-05-01T12:00:00+02:00', '--id', 'one'];
    const properties = ['plan=pro', 'total:=64', 'device.type=phone', 'device.tags:=["a"]', 'note=a=b'];
    const rest = [...flags, ...properties.flatMap((text) => ['--property', text])];
    for (const json of [[], ['--json'], []]) {
      const local = await place.run(['send', here, '--event', 'paid', ...rest, ...json]);
      const remote = await place.run([
        'send',
        there,
        '--event',
        'paid',
        ...rest,
        ...json,
        '--url',
        server.url,
      ]);
      expect(local.code).toBe(0);
      expect(remote).toEqual(local);
    }
    const exported = await place.ok(['export', there]);
    expect(exported).toBe(await place.ok(['export', here]));
    expect(fromNdjson(exported)).toEqual([
      {
        eventName: 'paid',
        userId: 'ada',
        eventTs: '2024-05-01T10:00:00.000Z',
        eventDate: '2024-05-01',
        insertId: 'one',
        properties: {
          plan: 'pro',
          total: 64,
          device: { type: 'phone', tags: ['a'] },
          note: 'a=b',
        },
      },
    ]);
  });

  it('stores the event once although its answer is lost', async () => {
    const gate = await openGate(server.url);
    gate.next('cut', 'half');
    const alias = await tenant();
    const { code, stdout } = await place.run(['send', alias, '--event', 'a', '--url', gate.url]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('already stored: a of ')]);
    expect(await place.ok(['count', alias])).toBe('1\n');
  });
});
