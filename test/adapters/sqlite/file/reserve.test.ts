import { existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createReserve } from '../../../../adapters/sqlite/file/reserve.ts';
import { newFile } from '../fixtures.ts';

const BYTES = 65_536;

/** A reserve of which a process that was killed has left a part of some length. */
function withPart(length: number) {
  const file = newFile();
  const path = `${file}-reserve`;
  writeFileSync(file, 'x');
  writeFileSync(path, 'x');
  // It takes no space on the disk.
  truncateSync(path, length);
  return { path, reserve: createReserve(file, BYTES) };
}

it('a part that a killed process has left is room for an erasure, as the whole is', () => {
  const { path, reserve } = withPart(1000);
  expect([reserve.isThere(), reserve.release(), existsSync(path)]).toEqual([false, true, false]);
  expect(reserve.release()).toBe(false);
});

it('a part becomes the whole where nothing else is free', () => {
  const { path, reserve } = withPart(2 ** 43);
  // Four tebibytes are free on no disk on which this runs, or it shows nothing.
  expect(reserve.make(2 ** 42 / BYTES)).toBe(true);
  expect(statSync(path).size).toBe(BYTES);
});

it('a folder in its place is no reserve, and stays', () => {
  const file = newFile();
  writeFileSync(file, 'x');
  mkdirSync(`${file}-reserve`);
  const reserve = createReserve(file, BYTES);
  expect([reserve.make(1), reserve.isThere(), reserve.release()]).toEqual([true, false, false]);
});
