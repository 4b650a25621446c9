import { afterAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { toReport } from './support/expected.ts';
import { FORMS } from './support/forms.ts';
import { checkIntegrity, createFolder, createTenant, runSql } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { startServer } from '../support/server-process.ts';
import { askTenant, count, createBatch, fetchAll, sendBatch, toComparable } from '../support/traffic.ts';
import type { SentEvent } from '../support/traffic.ts';

/** So many that batches wait for each other and share a transaction. */
const CLIENTS = 16;
const BATCHES = FAULTS.long ? 60 : 12;

/** Makes the storing of some events fail, half way through their batch, with the file as it is. */
const POISON = `
  CREATE TRIGGER poison BEFORE INSERT ON events WHEN NEW.user_id = 'poison'
  BEGIN SELECT RAISE(FAIL, 'this one cannot be stored'); END`;

const folder = createFolder();
afterAll(() => folder.remove());

/** A batch whose first event has a name of its own, and whose last one cannot be stored. */
function poisoned(batch: readonly SentEvent[], name: string): SentEvent[] {
  return batch.map((event, i) => ({
    ...event,
    ...(i === 0 ? { eventName: name } : {}),
    ...(i === batch.length - 1 ? { userId: 'poison' } : {}),
  }));
}

describe.each(FORMS)('a batch that fails among those that share its transaction, $form', ({ args }) => {
  it('takes nobody with it, and leaves nothing behind', async () => {
    const db = folder.file(`group-${args.length}.db`);
    const tenant = await createTenant(db, 'shop');
    runSql(db, POISON);
    const server = await startServer({ db, args });
    const { origin } = server;
    const stored: SentEvent[] = [];
    const failed: SentEvent[][] = [];
    const client = async (number: number) => {
      const random = createRandom(FAULTS.seed + number);
      for (let i = 0; i < BATCHES; i++) {
        const name = `name-${number}-${i}`;
        if (random.next() < 0.3) {
          const bad = poisoned(createBatch(random, name, random.between(2, 8)), name);
          expect((await sendBatch(origin, tenant.alias, bad)).status).toBe(500);
          failed.push(bad);
        }
        // Behind a batch that failed comes another of its name, which nobody has remembered.
        const good = createBatch(random, `${name}-good`, random.between(2, 8));
        good[0] = { ...good[0]!, eventName: name };
        expect(toReport(await sendBatch(origin, tenant.alias, good)).accepted).toBe(good.length);
        stored.push(...good);
      }
    };
    const expectStored = async () => {
      expect(await count(origin, tenant)).toBe(stored.length);
      expect(toComparable(await fetchAll(origin, tenant))).toEqual(toComparable(stored));
      const names = [...new Set(stored.map(({ eventName }) => eventName))].sort();
      expect((await askTenant(origin, tenant, 'names')).body).toEqual(names);
      // Rows are numbered without a gap.
      expect(runSql(db, 'SELECT max(id) - min(id) + 1 AS rows FROM events')).toEqual([
        { rows: stored.length },
      ]);
    };
    try {
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      expect(failed.length).toBeGreaterThan(0);
      await expectStored();

      runSql(db, 'DROP TRIGGER poison');
      const again = failed.splice(0);
      for (const batch of again) {
        const report = toReport(await sendBatch(origin, tenant.alias, batch));
        expect(report).toEqual({ accepted: batch.length, duplicates: 0, rejected: [] });
        stored.push(...batch);
      }
      await expectStored();
      await server.stop();
    } finally {
      await server.stop('SIGKILL');
    }
    checkIntegrity(db);
  }, 120_000);
});
