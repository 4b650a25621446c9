import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { toReport } from './support/expected.ts';
import { checkIntegrity, createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer } from '../support/server-process.ts';
import { createBatch, fetchAll, sendBatch, toComparable, type SentEvent } from '../support/traffic.ts';

const BATCHES = 40;
/** SQLite moves the log into the file at 1000 pages; below that all that was sent is in the log. */
const CHECKPOINT_BYTES = 4_096_000;
/** Each case starts a server, which takes a second on a slow machine. */
const STARTS_MS = 240_000;

const folder = createFolder();
const random = createRandom(FAULTS.seed);
const killed = folder.file('killed.db');
const batches: SentEvent[][] = [];
/** The length of the write-ahead log when each batch was acknowledged. */
const walBytesAfter: number[] = [];
let tenant: TestTenant;

beforeAll(async () => {
  const db = folder.file('live.db');
  tenant = await createTenant(db, 'shop');
  const server = await startServer({ db });
  for (let i = 0; i < BATCHES; i++) {
    const batch = createBatch(random, `b${i}`, random.between(2, 6));
    expect(toReport(await sendBatch(server.origin, tenant.alias, batch)).accepted).toBe(batch.length);
    batches.push(batch);
    walBytesAfter.push(statSync(`${db}-wal`).size);
  }
  await server.stop('SIGKILL');
  expect(walBytesAfter.at(-1)).toBeLessThan(CHECKPOINT_BYTES);
  copyFileSync(db, killed);
  copyFileSync(`${db}-wal`, `${killed}-wal`);
});

afterAll(() => folder.remove());

describe('a damaged write-ahead log', () => {
  it(
    'cut at any byte: whole batches are there, and only the last ones are gone',
    async () => {
      const end = walBytesAfter.at(-1)!;
      const frame = 24 + 4096;
      const fixed = FAULTS.long ? [1, 31, 32, 33, 32 + frame, 31 + frame, end - frame] : [];
      const tries = FAULTS.long ? 40 : 4;
      const positions = [
        0,
        end - 1,
        end,
        ...fixed,
        ...Array.from({ length: tries }, () => random.between(32, end)),
      ];
      let least = 0;
      for (const position of [...new Set(positions)].sort((a, b) => a - b)) {
        const whole = await startOn((wal) => truncateSync(wal, position), `cut at ${position}`);
        // What the log holds whole is there: a batch is gone only when its own bytes are.
        expect(whole, `cut at ${position}`).toBe(walBytesAfter.filter((bytes) => bytes <= position).length);
        expect(whole).toBeGreaterThanOrEqual(least);
        least = whole;
      }
      expect(least).toBe(BATCHES);
    },
    STARTS_MS,
  );

  it(
    'with changed bytes: whole batches up to the change are there',
    async () => {
      for (let i = 0; i < (FAULTS.long ? 25 : 3); i++) {
        const position = random.between(0, walBytesAfter.at(-1)! - 1);
        const damage = (wal: string) => {
          const bytes = readFileSync(wal);
          bytes[position]! ^= 1 << random.between(0, 7);
          writeFileSync(wal, bytes);
        };
        const whole = await startOn(damage, `changed at ${position}`);
        const before = walBytesAfter.filter((bytes) => bytes <= position).length;
        // A change in the head of the log, or in spare bytes of it, may cost nothing or everything.
        expect([before, BATCHES, 0], `changed at ${position}`).toContain(whole);
      }
    },
    STARTS_MS,
  );
});

/** Starts a server on a damaged copy; how many batches are there, after checking that each is whole. */
async function startOn(damage: (wal: string) => void, what: string): Promise<number> {
  const db = folder.file('damaged.db');
  copyFileSync(killed, db);
  copyFileSync(`${killed}-wal`, `${db}-wal`);
  damage(`${db}-wal`);
  const server = await startServer({ db });
  try {
    const stored = await fetchAll(server.origin, tenant);
    const whole = batches.findIndex(
      ([first]) => !stored.some(({ insertId }) => insertId === first!.insertId),
    );
    const expected = batches.slice(0, whole === -1 ? BATCHES : whole);
    expect(toComparable(stored), what).toEqual(toComparable(expected.flat()));
    const lost = batches.slice(expected.length).flat();
    if (lost.length > 0) {
      // What a client sends again is stored, once.
      const again = await sendBatch(server.origin, tenant.alias, lost.slice(0, 2000));
      expect(toReport(again).accepted).toBe(Math.min(lost.length, 2000));
    }
    return expected.length;
  } finally {
    await server.stop();
    expect(defectsIn(server.log)).toEqual([]);
    expect(existsSync(`${db}-wal`)).toBe(false);
    checkIntegrity(db);
  }
}
