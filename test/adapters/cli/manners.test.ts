import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPlace, endOf } from './command.ts';
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

describe('stdin that is a terminal', () => {
  it('is said to be read', async () => {
    typeIn();
    const { code, stderr } = await place.run(['count', 'shop', '--body', '-']);
    expect(stderr).toMatch(/^reading the body from the terminal; Ctrl-D ends it\n/);
    // The test has no terminal, so nothing can be read from it.
    expect(code).not.toBe(0);
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
