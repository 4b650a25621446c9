import { chmodSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { expectUnavailable, toReport } from './support/expected.ts';
import { checkIntegrity, createFolder, createTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, runServerToItsEnd, startServer } from '../support/server-process.ts';
import { ask, askTenant, count, createBatch, fetchAll, sendBatch, toComparable } from '../support/traffic.ts';

const folder = createFolder();
const db = folder.file('read-only.db');
// The rights of files bind root only without this capability.
const before = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override'] : [];

afterAll(() => {
  chmodSync(folder.path, 0o755);
  folder.remove();
});

describe('a file that may only be read', () => {
  it('is answered from and refuses events, until it may be written and the server starts anew', async () => {
    const tenant = await createTenant(db, 'shop');
    const limited = await createTenant(db, 'limited', { perMinute: 5, perDay: 5 });
    const events = createBatch(createRandom(FAULTS.seed), 'first', 100);
    const more = createBatch(createRandom(FAULTS.seed + 1), 'more', 100);
    const writing = await startServer({ db, before });
    toReport(await sendBatch(writing.origin, tenant.alias, events));
    await writing.stop();

    chmodSync(db, 0o444);
    const reading = await startServer({ db, before });
    try {
      expectUnavailable(await sendBatch(reading.origin, tenant.alias, more));
      expect(toComparable(await fetchAll(reading.origin, tenant))).toEqual(toComparable(events));
      expect(await count(reading.origin, tenant, { event: 'nothing' })).toBe(0);
      // A request that is limited needs its token taken, which is a write.
      expectUnavailable(await askTenant(reading.origin, limited, 'count'));
      expect((await ask(reading.origin, '/healthz', { method: 'GET' })).status).toBe(200);
    } finally {
      await reading.stop();
    }
    expect(defectsIn(reading.log)).toEqual([]);

    // SQLite makes its side files with the rights of the file, so they have to be made writable as well.
    for (const name of readdirSync(folder.path)) chmodSync(folder.file(name), 0o644);
    const again = await startServer({ db, before });
    try {
      expect(toReport(await sendBatch(again.origin, tenant.alias, more)).accepted).toBe(more.length);
      expect(await count(again.origin, tenant)).toBe(events.length + more.length);
    } finally {
      await again.stop();
    }
    checkIntegrity(db);
  });

  it('in a folder that may only be read, the server says so in one line and changes nothing', async () => {
    const files = readdirSync(folder.path);
    expect(files).toEqual(['read-only.db', 'read-only.db-reserve']);
    chmodSync(db, 0o444);
    chmodSync(folder.path, 0o555);
    const { code, log } = await runServerToItsEnd({ db, before });
    chmodSync(folder.path, 0o755);
    expect(code).toBe(1);
    expect(log).toHaveLength(1);
    expect(log[0]!.msg).toMatch(/read-only\.db cannot be (written|opened) \(/);
    expect(readdirSync(folder.path)).toEqual(files);
  });
});
