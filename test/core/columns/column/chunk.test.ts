import { expect, it } from 'vitest';
import { isIntactChunk, openCodes, saveCodes } from '../../../../src/core/columns/column/chunk.ts';
import { type EventLog } from '../../../../src/core/columns/log/log.ts';
import { emptyLog } from '../fixtures.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

const log: EventLog = { ...emptyLog(), insertIdAt: (row) => `id-${row}` };
const codes = new Uint8Array(SEGMENT_ROWS).fill(1);
const PLACE = { path: 'p', segment: 0, after: 0 };
const MEBI = 1_048_576;
/** An array whose text has so many letters. */
const arrayOf = (letters: number) => ['x'.repeat(letters - 4)];

it.each([
  ['texts', ['a'.repeat(MEBI), 'b'.repeat(MEBI)], true],
  ['texts', ['a'.repeat(MEBI), 'b'.repeat(MEBI), 'c'], false],
  ['arrays', [arrayOf(MEBI), arrayOf(MEBI)], true],
  ['arrays', [arrayOf(MEBI), arrayOf(MEBI + 1)], false],
  ['a text and a number', ['a'.repeat(2 * MEBI - 8), 1], true],
  ['a text and numbers', ['a'.repeat(2 * MEBI - 8), 1, 2], false],
])('%s of a chunk are stored up to two mebi letters together: %#', (_name, added, isStored) => {
  const saved = saveCodes(log, PLACE, { first: 1, added, codes });
  expect(saved !== undefined).toBe(isStored);
  if (saved !== undefined) expect(openCodes(log, PLACE, saved)?.added).toEqual(added);
});

it('a chunk follows one chunk only, and is intact also when that one is not stored any more', () => {
  const place = { path: 'p', segment: 1, after: 77 };
  const saved = saveCodes(log, place, { first: 3, added: ['a'], codes })!;
  expect(openCodes(log, place, saved)).toEqual({ first: 3, added: ['a'], codes });
  expect(openCodes(log, { ...place, after: 78 }, saved)).toBeUndefined();
  expect(isIntactChunk(log, { path: 'p', segment: 1 }, saved)).toBe(true);
  expect(isIntactChunk(log, { path: 'p', segment: 2 }, saved)).toBe(false);
  expect(isIntactChunk(log, { path: 'q', segment: 1 }, saved)).toBe(false);
  const entries = saved.entries.replace('77', '78');
  expect(isIntactChunk(log, { path: 'p', segment: 1 }, { ...saved, entries })).toBe(false);
});
