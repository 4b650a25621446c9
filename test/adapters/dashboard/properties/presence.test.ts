import { expect, it } from 'vitest';
import { presenceOf } from '../../../../adapters/dashboard/pages/properties/presence.ts';
import type { Breakdown } from '../../../../src/index.ts';

/** An answer with these groups, and how many there are. */
const answerOf = (groups: Readonly<Record<string, number>>, groupsTotal = Object.keys(groups).length) =>
  ({
    ...{ total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal },
    groups: Object.entries(groups).map(([key, count]) => ({ key, count })),
  }) satisfies Breakdown;

it('says of each group how many of its events have a path', () => {
  const all = answerOf({ a: 5, b: 3 });
  expect(presenceOf(all, answerOf({ b: 2 }))).toEqual([
    { key: 'a', count: 0, total: 5 },
    { key: 'b', count: 2, total: 3 },
  ]);
});

it('leaves a group out where an answer without it may only be too short for it', () => {
  const all = answerOf({ a: 5, b: 3 });
  expect(presenceOf(all, answerOf({ b: 2 }, 7))).toEqual([{ key: 'b', count: 2, total: 3 }]);
});

it('tells of the events without a value, where there are some', () => {
  const all = { ...answerOf({ a: 5 }), missing: 4 };
  const having = { ...answerOf({ a: 5 }), missing: 1 };
  expect(presenceOf(all, having)).toEqual([
    { key: 'a', count: 5, total: 5 },
    { key: null, count: 1, total: 4 },
  ]);
});
