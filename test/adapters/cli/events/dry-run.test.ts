import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPlace, type Server } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

let server: Server;
let files = 0;

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.ok(['tenant', 'set', 'shop', '--auth', 'SERVER_SIDE']);
  server = await place.serve(['serve']);
});

function file(content: string): string {
  const path = join(place.folder, `events-${++files}.ndjson`);
  writeFileSync(path, content);
  return path;
}

/** A public write key of the tenant, which takes events of one name; what a server is shown. */
async function writeKey(): Promise<string[]> {
  const create = ['key', 'create', 'shop', '--name', `web-${++files}`, '--permission', 'write'];
  const secret = await place.ok([...create, '--origin', '*', '--event', 'taken']);
  return ['--url', server.url, '--key', secret.trim()];
}

const event = (i: number, more: object = {}) => ({
  ...{ eventName: 'taken', userId: 'ada', eventTs: 1_714_557_600_000 + i, insertId: `id-${i}` },
  ...more,
});

const stored = () => place.ok(['count', 'shop']);
const refusals = async () =>
  (JSON.parse(await place.ok(['refusals', 'shop', '--json'])) as { reason: string; count: number }[])
    .map(({ reason, count }) => `${reason} ${count}`)
    .sort();

describe('a dry run at a server', () => {
  it('has the verdicts of the server, stores nothing and leaves the ledger as it was', async () => {
    const there = await writeKey();
    const send = (path: string) => place.run(['import', 'shop', path, ...there]);
    await send(file(toNdjson([event(0), event(1, { eventName: 'other' })])));
    await vi.waitFor(async () => expect(await refusals()).toEqual(['eventName 1']), 30_000);
    expect(await stored()).toBe('1\n');

    const path = file(
      [
        toNdjson([event(2), event(3, { eventName: 'other' })]),
        'nonsense\n',
        toNdjson([event(4), event(5, { eventTs: Date.now() + 3 * 86_400_000 }), event(4)]),
      ].join(''),
    );
    const dry = await place.run(['import', 'shop', path, '--dry-run', ...there]);
    expect([dry.code, dry.stdout]).toEqual([
      1,
      'would import 2, duplicates 1, would reject 3; nothing is stored\n',
    ]);
    expect(dry.stderr.match(/^would store \{.*?"insertId":"id-\d"/gm)).toHaveLength(2);
    const places = dry.stderr.split('\n').filter((line) => line.startsWith('line '));
    expect(places).toEqual([
      expect.stringMatching(/^line 2: eventName: .*write key/),
      expect.stringMatching(/^line 3: /),
      expect.stringMatching(/^line 5: eventTs: must be at most 24 hours/),
    ]);
    expect(await stored()).toBe('1\n');
    const json = await place.run(['import', 'shop', path, '--dry-run', '--json', ...there]);
    expect(JSON.parse(json.stdout)).toEqual({ wouldImport: 2, duplicates: 1, rejected: 3 });

    // The run that is none is told in the same words. Of it and the dry runs, it alone is in the ledger.
    const real = await send(path);
    expect(real.stdout).toBe('imported 2, duplicates 1, rejected 3\n');
    const told = (text: string) => text.split('\n').filter((line) => line.startsWith('line '));
    const withoutClock = (text: string) => text.replace(/\(2\d{3}-[^)]*Z\)/g, '');
    expect(told(real.stderr).map(withoutClock)).toEqual(places.map(withoutClock));
    await vi.waitFor(async () => expect(await refusals()).toEqual(['eventName 2', 'eventTs 1']), 30_000);
    expect(await stored()).toBe('3\n');
  });

  it('of one event says whether the server would store it', async () => {
    const there = await writeKey();
    const before = [await stored(), await refusals()];
    const at = ['--at', '2024-05-01T10:00:00Z', '--id', 'seven', '--user', 'ada', '--dry-run'];
    const send = (name: string, ...more: string[]) =>
      place.run(['send', 'shop', '--event', name, ...at, ...there, ...more]);
    expect(await send('taken')).toEqual({
      code: 0,
      stdout: 'would store taken of ada at 2024-05-01T10:00:00.000Z with the id seven; nothing is stored\n',
      stderr: '',
    });
    expect(JSON.parse((await send('taken', '--json')).stdout)).toEqual({
      ...{ eventName: 'taken', userId: 'ada', eventTs: '2024-05-01T10:00:00.000Z', insertId: 'seven' },
      dryRun: true,
    });
    const refused = await send('other');
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(/^event-query: --event: .*write key[^\n]*\n$/);
    const keyless = await place.run(['send', 'shop', '--event', 'taken', ...at, '--url', server.url]);
    expect([keyless.code, keyless.stdout]).toEqual([1, '']);
    expect(keyless.stderr).toContain('Missing or invalid secret key');
    expect([await stored(), await refusals()]).toEqual(before);
  });
});

describe('a dry run at no server', () => {
  it('of one event checks it here, and stores nothing', async () => {
    const before = await stored();
    const send = (...more: string[]) => place.run(['send', 'shop', '--event', 'a', '--dry-run', ...more]);
    const at = ['--at', '2024-05-01T10:00:00Z', '--id', 'x', '--user', 'ada'];
    expect(await send(...at)).toEqual({
      code: 0,
      stdout: 'would store a of ada at 2024-05-01T10:00:00.000Z with the id x; nothing is stored\n',
      stderr: '',
    });
    const { code, stderr } = await send('--user', 'x'.repeat(257));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/: --user: takes a string/)]);
    expect(await stored()).toBe(before);
  });
});
