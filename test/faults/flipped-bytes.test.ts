import { beforeAll, describe, expect, it } from 'vitest';
import { describeRanges } from '../../adapters/sqlite/check/ranges.ts';
import { createSoundFile, judgeFlips } from '../adapters/sqlite/flips.ts';
import { createAnsweringFile, judgeAnswers, namesRow, type SoundFile } from './support/few-flips.ts';
import { FAULTS } from './support/scale.ts';

/** How many files are damaged, every other one only behind the pages that hold the schema. */
const FILES = FAULTS.long ? 100 : 4;
const BEHIND_SCHEMA = 262_144;
const FLIPS = 1000;

let sound: Buffer;
beforeAll(async () => {
  sound = await createSoundFile();
});

describe(`a file with ${FLIPS} flipped bytes`, () => {
  it.each(Array.from({ length: FILES }, (_, i) => i + 1))(
    'is found to be damaged, and all that is readable of it is saved: %i',
    (seed) => {
      const from = seed % 2 === 0 ? 0 : BEHIND_SCHEMA;
      const { faults, findings, readable, saved } = judgeFlips(sound, { seed, count: FLIPS, from });
      expect(faults).toEqual([]);
      expect(findings).toBeGreaterThan(0);
      expect(saved).toBe(readable);
    },
  );
});

const TIMEOUT_MS = FAULTS.long ? 1_800_000 : 300_000;

/** The first seed: a fresh one in the long form, where each failure names its own. */
const SEED = FAULTS.long ? FAULTS.seed * 1000 : 1;

/** Flips bytes in one file after the other, in every other one only where no events are. */
async function judgeFiles(sound: SoundFile, first: number, files: number, count: number): Promise<string[]> {
  const faults: string[] = [];
  let [found, differing, lost] = [0, 0, 0];
  for (let seed = first; seed < first + files; seed++) {
    const flips = { seed, count, from: 0, ...(seed % 2 === 0 && { pages: sound.otherPages }) };
    const judged = await judgeAnswers(sound, flips);
    faults.push(...judged.faults.map((fault) => `seed ${seed}: ${fault}`));
    if (judged.isFound) found += 1;
    if (judged.wrong + judged.failed > 0) differing += 1;
    lost += judged.lost;
  }
  console.log(
    `${files} files with ${count} flipped bytes: in ${found} of them check finds damage that matters; ` +
      `${differing} answer otherwise, of those that open; --repair has lost ${lost} events`,
  );
  return faults;
}

describe('a file with few flipped bytes: check finds all that matters, and nothing readable is lost', () => {
  const largest = FAULTS.long ? 33_000 : 300;
  it.each(Array.from({ length: FAULTS.long ? 10 : 1 }, (_, i) => i))(
    'ten of them, with stored columns in the long form: %i',
    async (i) => {
      const sound = await createAnsweringFile(largest);
      const files = FAULTS.long ? 10 : 3;
      expect(await judgeFiles(sound, SEED + i * files, files, 10)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(Array.from({ length: FAULTS.long ? 10 : 1 }, (_, i) => i))(
    'each by itself: %i',
    async (i) => {
      const sound = await createAnsweringFile(300);
      const files = FAULTS.long ? 100 : 10;
      expect(await judgeFiles(sound, SEED + 100 + i * files, files, 1)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

it('the rows of a loss are known from its sentence, also where it names only the first of many', () => {
  const isNamed = (rows: readonly number[]) => (row: number) =>
    namesRow(`${rows.length} events, at the rows ${describeRanges(rows)}, of shop cannot be read`, row);
  const few = [1, 4, 5, 6, 9];
  expect(Array.from({ length: 12 }, (_, i) => i).filter(isNamed(few))).toEqual(few);
  const many = Array.from({ length: 30 }, (_, i) => 3 + 2 * i);
  expect(many.filter(isNamed(many))).toEqual(many);
  expect([0, 2, 4, 20].filter(isNamed(many))).toEqual([]);
});
