import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { parseCountBody, type FilterEntry } from '../../../../src/index.ts';

it('two tests of what has no column are told apart', async () => {
  const store = memoryEventStore();
  const common = { eventName: 'e', userId: 'u', eventTs: 0, propertiesJson: '{}' };
  await store.append(
    't',
    ['ab', 'ax', 'xb', 'xx', 'yy'].map((insertId) => ({ ...common, insertId })),
  );
  const begins: FilterEntry = { property: 'insertId', comparison: 'STARTS_WITH', value: 'a' };
  const ends: FilterEntry = { property: 'insertId', comparison: 'ENDS_WITH', value: 'b' };
  const count = (...filterSet: FilterEntry[]) => store.count('t', parseCountBody({ filterSet }));
  expect(await count(begins, { not: ends })).toBe(1);
  expect(await count({ anyOf: [begins, ends] })).toBe(3);
  expect(await count(begins, ends)).toBe(1);
});
