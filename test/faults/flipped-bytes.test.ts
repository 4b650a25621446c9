import { beforeAll, describe, expect, it } from 'vitest';
import { createSoundFile, judgeFlips } from '../adapters/sqlite/flips.ts';
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
