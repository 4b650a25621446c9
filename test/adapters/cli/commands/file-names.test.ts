import { mkdirSync, readdirSync, statSync, symlinkSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { createFilledPlace } from '../filled-place.ts';

const WRONG = ['e.db\r', ' e.db', 'e.db\u00a0', ':memory:', 'file:e.db?cache=shared'];

describe('the name of a file', () => {
  it('is refused with the reason by every way to name one, and nothing is made', async () => {
    const place = createPlace();
    for (const name of WRONG) {
      const config = place.file(JSON.stringify({ db: name }), '.json');
      const ways: readonly (readonly [string[], Record<string, string | undefined>])[] = [
        [['tenant', 'create', 'shop', '--db', name], {}],
        [['tenant', 'create', 'shop'], { EVENT_QUERY_DB: name }],
        [['tenant', 'create', 'shop', '--config', config], { EVENT_QUERY_DB: undefined }],
        [['tenant', 'create', 'shop', '--events', `sqlite:${name}`], {}],
        [['tenant', 'create', 'shop'], { EVENT_QUERY_CONTROL: `sqlite:${name}` }],
        [['backup', name], {}],
        [['restore', name], {}],
        [['check', '--repair', name], {}],
        [['serve', '--socket', name], {}],
      ];
      for (const [args, env] of ways) {
        const { code, stderr } = await place.run(args, { env, process: false });
        const told = `${args.join(' ')} ${JSON.stringify(env)}: ${stderr}`;
        expect.soft(code, told).toBe(2);
        expect.soft(stderr, told).toMatch(/control characters at its ends|in memory is gone|leave out ./);
      }
    }
    const left = readdirSync(place.folder).filter((name) => !name.endsWith('.json'));
    expect(left).toEqual([]);
    expect(readdirSync('.').filter((name) => WRONG.includes(name))).toEqual([]);
  });
});

/** A user and a group that are not root. */
const SERVICE = [65_534, 65_534] as const;

describe.runIf(process.getuid?.() === 0)('what root makes beside the file of a service', () => {
  it('belongs to the owner of the file', async () => {
    const place = await createFilledPlace();
    const folder = dirname(place.db);
    chownSync(folder, ...SERVICE);
    for (const name of readdirSync(folder)) chownSync(join(folder, name), ...SERVICE);
    const link = join(place.folder, 'link.db');
    symlinkSync(place.db, link);
    await place.ok(['backup']);
    await place.ok(['backup', '--db', link, join(folder, 'by-link.db')]);
    const server = await place.serve(['serve']);
    await server.stop();
    await place.ok([
      'restore',
      join(folder, 'by-link.db'),
      '--db',
      join(folder, 'deep', 'er', 'restored.db'),
    ]);
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(all).toContain(
      'event-query.db-last-backup'.replace('event-query.db', place.db.slice(folder.length + 1)),
    );
    expect(all.some((name) => name.endsWith('-reserve'))).toBe(true);
    const others = all.filter((name) => {
      const { uid, gid } = statSync(join(folder, name));
      return uid !== SERVICE[0] || gid !== SERVICE[1];
    });
    expect(others).toEqual([]);
    expect(
      readdirSync(place.folder).filter((name) => name.includes('last-backup') && name.startsWith('link')),
    ).toEqual([]);
  });

  it('stays with root where the folder is of root', async () => {
    const place = await createFilledPlace();
    for (const name of readdirSync(dirname(place.db))) chownSync(join(dirname(place.db), name), ...SERVICE);
    const own = join(place.folder, 'of-root');
    mkdirSync(own);
    await place.ok(['backup', join(own, 'b.db')]);
    expect(statSync(join(own, 'b.db')).uid).toBe(0);
  });
});
