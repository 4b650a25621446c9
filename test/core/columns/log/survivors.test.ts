import { expect, it } from 'vitest';
import { createSurvivors } from '../../../../src/store-kit.ts';

it('rows and arrivals lead to each other, and the erased ones of a range are those within it', () => {
  const erased = [2, 3, 4, 7, 9];
  const survivors = createSurvivors(1, erased);
  const arrivals = Array.from({ length: 12 }, (_, arrival) => arrival);
  const left = arrivals.filter((arrival) => !erased.includes(arrival));
  expect(left.map((_, row) => survivors.arrivalOf(row))).toEqual(left);
  expect(arrivals.map((arrival) => survivors.rowAt(arrival))).toEqual(
    arrivals.map((arrival) => left.filter((each) => each < arrival).length),
  );
  for (const from of arrivals) {
    for (const to of arrivals) {
      const within = erased.filter((arrival) => arrival >= from && arrival < to);
      expect(survivors.erasedIn(from, to)).toEqual(within);
    }
  }
});

it('what was erased before and what is erased now stand in ranges that do not touch', () => {
  const before = createSurvivors(1, [1, 2, 6, 9]);
  const now = createSurvivors(1, [0, 3, 4, 8, 11], before);
  expect(now.ranges).toEqual({
    starts: Float64Array.of(0, 6, 8, 11),
    ends: Float64Array.of(5, 7, 10, 12),
  });
  expect([now.erased, now.erasedIn(0, 12)]).toEqual([9, [0, 1, 2, 3, 4, 6, 8, 9, 11]]);
  expect(createSurvivors(1, [], before).ranges).toEqual(before.ranges);
});
