import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../../support/random.ts';
import { createBatch, type SentEvent } from '../../../support/traffic.ts';
import { createPlace, type Ending } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

/** More events than one batch holds. */
const EVENTS = 6_000;
/** How long to wait for a state. */
const WAIT = { timeout: 50_000, interval: 20 };

const place = createPlace();
afterAll(() => place.remove());

const random = createRandom(23);
const from = `sqlite:${place.db}`;
const at = (name: string) => `sqlite:${place.folder}/${name}.db`;
const copy = (name: string, ...flags: string[]): Promise<Ending> =>
  place.run(['copy', 'shop', '--from', from, '--to', at(name), ...flags]);
const exported = (url: string) => place.ok(['export', 'shop', '--events', url]);
const show = (url: string) => place.ok(['tenant', 'show', 'shop', '--json', '--events', url]);
const add = (events: readonly SentEvent[], url = from) =>
  place.import('shop', toNdjson(events), '--events', url);

interface Key {
  readonly id: string;
  readonly revokedAt: string | null;
}
const keysAt = async (url: string) =>
  JSON.parse(await place.ok(['key', 'list', 'shop', '--json', '--events', url])) as Key[];

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'growth']);
  await place.ok(['key', 'create', 'shop', '--name', 'first', '--permission', 'query']);
  await add(createBatch(random, 'first', EVENTS));
});

describe('copy', () => {
  it('copies the tenant with its keys and every byte of its events', async () => {
    const { code, stdout } = await copy('whole');
    const lines = await exported(from);
    const sha256 = createHash('sha256').update(lines).digest('hex');
    expect(stdout).toBe(
      `copied ${EVENTS} events; ${place.folder}/whole.db holds all ${EVENTS}, sha256 ${sha256}\n`,
    );
    expect(code).toBe(0);
    expect(await exported(at('whole'))).toBe(lines);
    expect(await show(at('whole'))).toBe(await show(from));
    expect(await keysAt(at('whole'))).toEqual(await keysAt(from));
  });

  it('run again copies what is new: events, settings, rotated and revoked keys', async () => {
    await copy('again');
    const [first] = await keysAt(from);
    await place.ok(['key', 'rotate', 'shop', first!.id, '--overlap', '1h', '--events', from]);
    const made = await place.ok([
      ...['key', 'create', 'shop', '--name', 'second', '--permission', 'query', '--json', '--events', from],
    ]);
    const { id } = JSON.parse(made) as Key;
    await copy('again');
    await place.ok(['key', 'revoke', 'shop', id, '--events', from]);
    const changes = ['--auth', 'SERVER_SIDE', '--retention-days', '36500'];
    await place.ok(['tenant', 'set', 'shop', ...changes, '--events', from]);
    await add(createBatch(random, 'second', 3));
    const { stdout } = await copy('again', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ copied: 3, events: EVENTS + 3 });
    expect(await keysAt(at('again'))).toEqual(await keysAt(from));
    expect((await keysAt(at('again'))).map(({ revokedAt }) => revokedAt !== null)).toEqual([false, true]);
    expect(await show(at('again'))).toBe(await show(from));
    const audit = new Database(`${place.folder}/again.db`, { readonly: true });
    const notes = audit.prepare('SELECT note FROM audit ORDER BY rowid').all() as { note: string }[];
    audit.close();
    expect(notes.map(({ note }) => (JSON.parse(note) as { action: string }).action)).toEqual([
      ...['tenant.create', 'key.create', 'key.rotate', 'key.create', 'tenant.set', 'key.revoke'],
    ]);
  });

  it('that was killed half way can be run again', async () => {
    const target = at('killed');
    const child = place.start(['copy', 'shop', '--from', from, '--to', target]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const count = async () => Number((await place.run(['count', 'shop', '--events', target])).stdout);
    await vi.waitUntil(async () => (await count()) > 0, WAIT);
    child.kill('SIGKILL');
    await ended;
    const { code } = await copy('killed');
    expect(code).toBe(0);
    expect(await exported(target)).toBe(await exported(from));
  });

  it('follows new events, late ones too, until it is ended', async () => {
    const target = at('followed');
    const child = place.start(['copy', 'shop', '--from', from, '--to', target, '--follow']);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    child.stderr!.on('data', (text: Buffer) => (said += text.toString()));
    await vi.waitUntil(() => said.includes('following'), WAIT);
    const late = { ...createBatch(random, 'late', 1)[0]!, eventTs: '1999-01-01T00:00:00.000Z' };
    await add([late, ...createBatch(random, 'now', 5)]);
    const has = ['count', 'shop', '--events', target, '--before', '1999-12-31'];
    await vi.waitUntil(async () => (await place.ok(has)) === '1\n', WAIT);
    await place.ok(['tenant', 'set', 'shop', '--retention-days', '36499', '--events', from]);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await exported(target)).toBe(await exported(from));
    // Changes of the tenant during the copy are copied at the end.
    expect(await show(target)).toBe(await show(from));
  });

  it('fails when the target holds other events, and says which', async () => {
    await copy('other');
    const [one] = createBatch(random, 'only-there', 1);
    await add([one!], at('other'));
    const { code, stdout, stderr } = await copy('other');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the target lacks 0 events, has 1 extra, and 0 differ');
  });

  it('refuses another tenant with that alias, the same place, and a missing place', async () => {
    await place.ok(['tenant', 'create', 'shop', '--events', at('taken')]);
    const ending = async (asked: Promise<Ending>) => {
      const { code, stderr } = await asked;
      return [code, stderr];
    };
    expect(await ending(copy('taken'))).toEqual([1, expect.stringContaining('another tenant')]);
    const same = place.run(['copy', 'shop', '--from', from, '--to', from]);
    expect(await ending(same)).toEqual([2, expect.stringContaining('same backend')]);
    const unsaid = place.run(['copy', 'shop', '--to', from]);
    expect(await ending(unsaid)).toEqual([2, expect.stringContaining('same backend')]);
    const nowhere = place.run(['copy', 'shop']);
    expect(await ending(nowhere)).toEqual([2, expect.stringContaining('--to URL')]);
    const wrong = place.run(['copy', 'shop', '--to', 'redis://localhost']);
    expect(await ending(wrong)).toEqual([2, expect.stringContaining('--to takes sqlite:FILE')]);
  });

  it('refuses a place where the tenant was deleted, and writes nothing there', async () => {
    await copy('deleted');
    await place.ok(['tenant', 'delete', 'shop', '--yes', '--events', at('deleted')]);
    const { code, stderr } = await copy('deleted');
    expect([code, stderr]).toEqual([1, expect.stringContaining('was deleted at the place of --to once')]);
    expect(await place.ok(['tenant', 'list', '--events', at('deleted')])).toBe('');
  });

  it('keeps tenants at the place that --control names', async () => {
    const { code } = await copy('events-only', '--control', from);
    expect(code).toBe(0);
    expect(await place.ok(['tenant', 'list', '--events', at('events-only')])).toBe('');
    expect(await place.ok(['count', 'shop', '--events', at('events-only'), '--control', from])).toMatch(
      /^\d+\n$/,
    );
    // --control names the place of the source's tenants, --to-control that of the target's.
    await copy('events-of-desk', '--control', from, '--to-control', at('desk'));
    expect(await place.ok(['tenant', 'list', '--events', at('events-of-desk')])).toBe('');
    expect(await place.ok(['tenant', 'list', '--events', at('desk')])).toContain('shop');
  });
});
