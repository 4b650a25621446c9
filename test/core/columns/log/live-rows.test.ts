import { expect, it } from 'vitest';
import { createLiveRows } from '../../../../src/store-kit.ts';

it('rows and sequence numbers lead to each other, and a range lists the erased ones in it', () => {
  const erased = [2, 3, 4, 7, 9];
  const liveRows = createLiveRows(1, erased);
  const sequences = Array.from({ length: 12 }, (_, sequence) => sequence);
  const left = sequences.filter((sequence) => !erased.includes(sequence));
  expect(left.map((_, row) => liveRows.sequenceOf(row))).toEqual(left);
  expect(sequences.map((sequence) => liveRows.rowAt(sequence))).toEqual(
    sequences.map((sequence) => left.filter((each) => each < sequence).length),
  );
  for (const from of sequences) {
    for (const to of sequences) {
      const within = erased.filter((sequence) => sequence >= from && sequence < to);
      expect(liveRows.erasedIn(from, to)).toEqual(within);
    }
  }
});

it('what was erased before and what is erased now stand in ranges that do not touch', () => {
  const before = createLiveRows(1, [1, 2, 6, 9]);
  const now = createLiveRows(1, [0, 3, 4, 8, 11], before);
  expect(now.ranges).toEqual({
    starts: Float64Array.of(0, 6, 8, 11),
    ends: Float64Array.of(5, 7, 10, 12),
  });
  expect([now.erased, now.erasedIn(0, 12)]).toEqual([9, [0, 1, 2, 3, 4, 6, 8, 9, 11]]);
  expect(createLiveRows(1, [], before).ranges).toEqual(before.ranges);
});
