import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeSearches, type ConditionTree } from '../../../../src/core/columns/analysis/path-test.ts';
import type { MemoryBudget } from '../../../../src/index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import {
  compilePredicate,
  createColumnIndex,
  parseCountBody,
  toEventView,
  type Condition,
  type EventLog,
} from '../../../../src/store-kit.ts';
import { eventsWith, logOf, nodeScheduler, propertyPath, SEED } from '../fixtures.ts';

const questionsOver = (log: EventLog, memory: MemoryBudget = createMemoryBudget({ bytesMax: 1e9 })) =>
  createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED });

const contains = (key: string, operand: string | number): Condition => ({
  kind: 'test',
  path: propertyPath(key) as never,
  operator: 'CONTAINS',
  operand,
});

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 4 });
const values = fc.oneof(
  words,
  fc.array(fc.oneof(words, fc.constant(1)), { maxLength: 3 }),
  fc.constantFrom(1, null, undefined),
);
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc
      .record({ key: fc.constantFrom('p', 'q'), operand: fc.oneof(words, fc.constant(1)) })
      .map(({ key, operand }) => contains(key, operand)),
    fc.record({ kind: fc.constantFrom('all', 'any'), of: fc.array(tie('condition'), { maxLength: 7 }) }),
    tie('condition').map((of): Condition => ({ kind: 'not', of })),
  ),
}));

it('searches that are joined answer as each test by itself does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(values, { maxLength: 12 }), condition, async (list, asked) => {
      const events = eventsWith(list).map((event, i) => ({
        ...event,
        propertiesJson: JSON.stringify({ p: list[i], q: list[list.length - 1 - i] }),
      }));
      const query = { ...parseCountBody({}), condition: asked };
      const passes = compilePredicate(query);
      const expected = events.map(toEventView).filter(passes).length;
      expect(await questionsOver(logOf(events)).count('t', query)).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

it('tests for texts in one path become one, by themselves and where none may hold', () => {
  const [a, b, other] = [contains('p', 'a'), contains('p', 'b'), contains('q', 'a')];
  const search: ConditionTree = { kind: 'search', path: propertyPath('p') as never, parts: ['a', 'b'] };
  expect(mergeSearches({ kind: 'any', of: [a, other, b] })).toEqual({ kind: 'any', of: [search, other] });
  const not = (of: Condition): Condition => ({ kind: 'not', of });
  expect(mergeSearches({ kind: 'all', of: [not(a), not(b), other] })).toEqual({
    kind: 'all',
    of: [{ kind: 'not', of: search }, other],
  });
  // Both of two texts is something else than either of them.
  const both: Condition = { kind: 'all', of: [a, b] };
  expect(mergeSearches(both)).toEqual(both);
});

it('a hundred texts that no value may contain take no more memory than one', async () => {
  const log = logOf(eventsWith(Array.from({ length: 20_000 }, (_, i) => `session-${i}`)));
  const ask = (parts: number) =>
    parseCountBody({
      filterSet: Array.from({ length: parts }, (_, k) => ({
        property: 'properties.p',
        comparison: 'NOT_CONTAINS' as const,
        value: `-19${k}`,
      })),
    });
  const memory = createMemoryBudget({ bytesMax: 4e6, ownerShare: 1 });
  const index = questionsOver(log, memory);
  const expected = (parts: number) =>
    Array.from({ length: 20_000 }, (_, i) => `session-${i}`).filter(
      (text) => !Array.from({ length: parts }, (_, k) => `-19${k}`).some((part) => text.includes(part)),
    ).length;
  for (const parts of [1, 5, 100]) expect(await index.count('t', ask(parts))).toBe(expected(parts));
});

it('a joined search finds a text within texts, and as an element of arrays', async () => {
  const list = [['x'], ['z', 'y'], ['xy'], 'a-x', 'n', 1, null];
  const any: Condition = { kind: 'any', of: [contains('p', 'x'), contains('p', 'y')] };
  const index = questionsOver(logOf(eventsWith(list)));
  expect(await index.count('t', { ...parseCountBody({}), condition: any })).toBe(3);
});

it('a search and a test with the same texts have different masks', async () => {
  const index = questionsOver(logOf(eventsWith(['pro', 'EQUALS', 'process', 'CONTAINS', 'none'])));
  const filter = (comparison: string, value: string) =>
    ({ property: 'properties.p', comparison, value }) as never;
  const count = (...filterSet: never[]) => index.count('t', parseCountBody({ filterSet }));
  for (const word of ['EQUALS', 'CONTAINS'] as const) {
    const either = { anyOf: [filter('CONTAINS', word), filter('CONTAINS', 'pro')] } as never;
    const alone = word === 'EQUALS' ? 1 : 2;
    expect(await count(filter(word, 'pro'))).toBe(alone);
    expect(await count(either)).toBe(3);
    expect(await count(filter(word, 'pro'))).toBe(alone);
  }
});

it('texts that are too long together for one search are sought one after the other', () => {
  const many = Array.from({ length: 100 }, (_, i) => contains('p', `${'a'.repeat(300)}b${i}`));
  expect(mergeSearches({ kind: 'any', of: many })).toEqual({ kind: 'any', of: many });
});
