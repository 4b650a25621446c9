import { once } from 'node:events';
import { text as toText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPlace, endOf, runOnTerminal } from './command.ts';
import { toNdjson } from './ndjson.ts';

const place = createPlace();
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.ok(['send', 'shop', '--event', 'paid', '--user', 'ada', '--property', 'plan=pro']);
  await place.ok(['send', 'shop', '--event', 'paid', '--user', 'bob']);
});
afterAll(() => place.remove());

/** Pretends that a person types into the command. */
function typeIn(): void {
  const { isTTY } = process.stdin;
  process.stdin.isTTY = true;
  onTestFinished(() => {
    process.stdin.isTTY = isTTY;
  });
}

describe('--quiet', () => {
  it.each([
    ['query', '--size', '1'],
    ['breakdown', '--by', 'userId'],
    ['export'],
    ['count', '--event', 'payd'],
  ])('%s says nothing beside its data', async (command, ...flags) => {
    const told = await place.run([command, 'shop', ...flags]);
    expect(told.stderr).not.toBe('');
    for (const flag of ['--quiet', '-q'])
      expect(await place.run([command, 'shop', ...flags, flag])).toEqual({ ...told, stderr: '' });
  });

  it('leaves warnings and errors', async () => {
    const env = { EVENT_QUERY_DBB: 'x' };
    const { stderr } = await place.run(['count', 'shp', '--quiet'], { env, process: false });
    expect(stderr).toMatch(/^warning: unknown variable EVENT_QUERY_DBB.*\nevent-query: Tenant not found/);
  });
});

describe('--no-input', () => {
  it('never asks', async () => {
    typeIn();
    const { code, stdout, stderr } = await place.run(['erase', 'shop', '--user', 'ada', '--no-input']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('this erases 1 events of shop permanently; confirm with --yes');
    expect(await place.ok(['erase', 'shop', '--user', 'nobody', '--no-input', '--yes'])).toContain(
      '0 events',
    );
  });
});

describe('stdin', () => {
  it('that is a terminal is said to be read', async () => {
    const { said, type, ended } = runOnTerminal(['count', 'shop', '--body', '-', '--db', place.db]);
    await expect.poll(said).toContain('reading the body from the terminal; Ctrl-D ends it');
    type('{"event":"paid"}\n\u0004');
    expect([await ended, said().trim().split(/\s/).at(-1)]).toEqual([0, '2']);
  });

  it.each([
    ['--body', '{"event":"paid"}', 0, /^2\n$/],
    // Nothing listens on this port, but the command connects only after it has read the key.
    ['--key-file', 'eqk_a', 1, /^event-query: cannot reach http:\/\/127\.0\.0\.1:1: /],
  ])('that says nothing for a while is waited for: %s', async (flag, text, code, said) => {
    const server = flag === '--key-file' ? ['--url', 'http://127.0.0.1:1'] : [];
    const child = place.start(['count', 'shop', flag, '-', ...server]);
    const ended = endOf(child);
    const all = Promise.all([toText(child.stdout!), toText(child.stderr!)]);
    // Longer than the command takes until it reads. A machine that is slower still sees no failure.
    await pause(1500);
    child.stdin!.on('error', () => undefined).end(text);
    expect([await ended, (await all).join('')]).toEqual([code, expect.stringMatching(said)]);
  });
});

describe('Ctrl-C', () => {
  it('is answered at once by an import, which stores what it has read', async () => {
    const child = place.start(['import', 'shop', '-']);
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = endOf(child);
    const event = { eventName: 'read', userId: 'ada', eventTs: '2024-05-01T10:00:00Z' };
    child.stdin!.write(toNdjson(Array.from({ length: 2500 }, (_, i) => ({ ...event, insertId: `i-${i}` }))));
    // The first batch is stored when the file has it.
    await expect
      .poll(async () => Number(await place.ok(['count', 'shop', '--event', 'read', '-q'])), {
        timeout: 30_000,
      })
      .toBeGreaterThan(0);
    child.kill('SIGINT');
    if (!stderr.includes('stopping')) await once(child.stderr!, 'data');
    expect(stderr).toMatch(/^stopping when what was read is stored; Ctrl-C again ends at once\n/);
    expect(await ended).toBe(1);
  });
});

it('without colours, with NO_COLOR or not', async () => {
  for (const env of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '1' }]) {
    const { stdout, stderr } = await place.run(['tenant', 'list'], { env, process: false, terminal: true });
    expect(stdout + stderr).not.toContain('\u001b');
  }
});
