import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addLog, createOlderFile } from '../adapters/sqlite/older-file.ts';
import { createDisk, type DiskRecord } from './power/disk.ts';
import { judge } from './power/judge.ts';
import { DATABASE_FILE, eventOf, FIRST_EVENTS, KEPT_TENANTS, NOTES_FILE, parseNotes } from './power/notes.ts';
import { compileRecorder, recordRun, type RunOptions } from './power/recorder.ts';
import { createFolder } from '../support/file.ts';
import { createRandom, type Random } from '../support/random.ts';
import { FAULTS } from './support/scale.ts';

// The power may be lost while the file is brought to the next schema, too.
vi.mock('../../adapters/sqlite/file/migrations.ts', async (load) =>
  (await import('../support/next-schema.ts')).withNextStep(load),
);

/** How many disks are looked at after a loss of power. */
const LOSSES = FAULTS.losses;

const folder = createFolder();
const library = compileRecorder(folder);
const first = folder.file('first.db');

beforeAll(() => {
  const database = createOlderFile(first);
  addLog(database, { number: 1, tenantId: KEPT_TENANTS[0], count: FIRST_EVENTS }, (i) =>
    eventOf('first', i, FIRST_EVENTS),
  );
  database.close();
});

afterAll(() => folder.remove());

if (library === undefined) {
  console.error('power-loss: NOT TESTED: there is no C compiler (cc) to make the recorder with');
}

describe.skipIf(library === undefined)('a loss of power', () => {
  it(
    `keeps every promise, on ${LOSSES} disks`,
    async () => {
      const found = await loseOften({ steps: FAULTS.long ? 150 : 30 }, LOSSES);
      console.log(`power-loss: seed ${FAULTS.seed}, ${JSON.stringify({ ...found, wrong: undefined })}`);
      expect(found.wrong).toEqual([]);
      expect(found.disks).toBe(LOSSES);
      expect(found.unsafe).toBeGreaterThan(0);
    },
    120_000 + LOSSES * 10_000,
  );

  it.each(['OFF', 'NORMAL'] as const)(
    'shows where nothing is synced as it should: %s',
    async (synchronous) => {
      const { wrong } = await loseOften({ steps: 20, synchronous }, 60);
      expect(wrong).not.toEqual([]);
    },
    120_000,
  );
});

interface Findings {
  disks: number;
  /** How many of them had lost something that had not been synced. */
  unsafe: number;
  records: number;
  handedBackMax: number;
  wrong: string[];
}

/** Records a run, then takes the power away at many moments of it, until something is wrong. */
async function loseOften(
  options: Pick<RunOptions, 'steps' | 'synchronous'>,
  losses: number,
): Promise<Findings> {
  const random = createRandom(FAULTS.seed);
  const run = folder.file(`run-${options.synchronous ?? 'built'}`);
  const judged = folder.file('judged');
  for (const path of [run, judged]) mkdirSync(path, { recursive: true });
  const before = readFileSync(first);
  writeFileSync(`${run}/${DATABASE_FILE}`, before);
  const records = await recordRun({ library: library!, folder: run, seed: FAULTS.seed, ...options });
  const disk = createDisk(new Map([[DATABASE_FILE, before]]));
  const moments = pickMoments(records, losses, random);
  const findings: Findings = { disks: 0, unsafe: 0, records: records.length, handedBackMax: 0, wrong: [] };
  let notes = '';
  for (const [at, record] of records.entries()) {
    if (record.name === NOTES_FILE) notes += record.bytes.toString();
    else disk.take(record);
    for (let i = moments.get(at) ?? 0; i > 0 && findings.wrong.length === 0; i--) {
      if (disk.unsafe > 0) findings.unsafe += 1;
      const { wrong, handedBack } = await judge(judged, disk.losePower(random), parseNotes(notes));
      findings.disks += 1;
      findings.handedBackMax = Math.max(findings.handedBackMax, handedBack);
      findings.wrong.push(...wrong.map((text) => `after call ${at}: ${text}`));
    }
  }
  return findings;
}

/**
 * Half of the moments are any, the others those at which most is at stake: before a sync, and after a note of
 * something that was acknowledged.
 */
function pickMoments(records: readonly DiskRecord[], count: number, random: Random): Map<number, number> {
  const tense = [...records.keys()].filter(
    (at) => records[at + 1]?.kind === 'S' || records[at]!.name === NOTES_FILE,
  );
  const moments = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const at = i % 2 === 0 ? random.between(0, records.length - 1) : random.pick(tense);
    moments.set(at, (moments.get(at) ?? 0) + 1);
  }
  return moments;
}
