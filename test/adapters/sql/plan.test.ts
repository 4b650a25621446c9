import { expect, it } from 'vitest';
import { keyOf, planBatch, resultOf } from '../../../adapters/sql/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';

const event = (eventName: string, eventTs: number, insertId: string): StoredEvent => ({
  ...{ eventName, eventTs, insertId },
  userId: 'u',
  propertiesJson: '{}',
});

it('of a batch the first of each identity is stored, which is its instant with its id', () => {
  const batch = [
    event('a', 1, 'x'),
    event('b', 2, 'x'),
    event('c', 1, 'x'),
    event('d', 1, 'y'),
    event('e', 3, 'z'),
  ];
  const { fresh, overNames } = planBatch(batch, {
    present: new Set([keyOf(3, 'z')]),
    names: new Set(),
    namesMax: Infinity,
  });
  expect([...fresh.values()].map(({ eventName }) => eventName)).toEqual(['a', 'b', 'd']);
  expect(resultOf(batch, fresh.values(), overNames)).toEqual({ duplicates: [2, 4], overNames: [] });
});

it('one object twice in a batch is an event and its repeat', () => {
  const [one, other] = [event('a', 1, 'x'), event('a', 2, 'y')];
  const batch = [one, other, one, one];
  expect(resultOf(batch, planBatch(batch).fresh.values(), []).duplicates).toEqual([2, 3]);
});

it('a name too many is refused, and is no repeat; only what is stored makes a name known', () => {
  const batch = [
    ...[event('new', 1, 'repeat'), event('known', 2, 'a'), event('one more', 3, 'b')],
    ...[event('too many', 4, 'c'), event('one more', 5, 'd'), event('new', 1, 'repeat')],
  ];
  const { fresh, overNames } = planBatch(batch, {
    present: new Set([keyOf(1, 'repeat')]),
    names: new Set(['known']),
    namesMax: 2,
  });
  expect([...fresh.keys()]).toEqual(['2 a', '3 b', '5 d']);
  expect(resultOf(batch, fresh.values(), overNames)).toEqual({ duplicates: [0], overNames: [3, 5] });
});
