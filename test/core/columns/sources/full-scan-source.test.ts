import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import type { FilterEntry } from '../../../../src/index.ts';
import { parseCountBody } from '../../../../src/store-kit.ts';
import { testResources } from '../../../support/resources.ts';

it('two tests of what has no column are told apart', async () => {
  const store = memoryEventStore({ resources: testResources() });
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

it('a negated test of what has no column selects no erased event', async () => {
  const store = memoryEventStore({ resources: testResources() });
  const common = { eventName: 'e', userId: 'u', eventTs: 0, propertiesJson: '{}' };
  await store.append(
    't',
    ['ab', 'ax', 'xb', 'xx'].map((insertId) => ({ ...common, insertId })),
  );
  const ids = (comparison: 'EQUALS' | 'STARTS_WITH', value: string): FilterEntry => ({
    ...{ property: 'insertId', comparison, value },
  });
  expect(await store.erase('t', parseCountBody({ filterSet: [ids('EQUALS', 'xx')] }))).toBe(1);
  for (const filter of [ids('STARTS_WITH', 'a'), { anyOf: [ids('EQUALS', 'ab'), ids('EQUALS', 'ax')] }])
    expect(await store.count('t', parseCountBody({ filterSet: [{ not: filter }] }))).toBe(1);
});

it('a list of numbers finds each of them, and no other, where there is no column', async () => {
  const store = memoryEventStore({ distinctMax: 2, resources: testResources() });
  const values = [...Array.from({ length: 21 }, (_, i) => i - 10), 0.5, -0.5, 1e300, '3', true];
  const common = { eventName: 'e', userId: 'u', eventTs: 0 };
  await store.append(
    't',
    values.map((value, i) => ({ ...common, insertId: `${i}`, propertiesJson: JSON.stringify({ value }) })),
  );
  const count = (value: number[]) => {
    const filter: FilterEntry = { property: 'properties.value', comparison: 'IN', value };
    return store.count('t', parseCountBody({ filterSet: [filter] }));
  };
  const lists = [[3], [7, -10, 10], [0.5, 3, -2, 1e300], [2, 4, 6, 8], [11, -11, 0.25], [-0.5, 99], [-0, 5]];
  for (const list of lists) {
    expect([list, await count(list)]).toEqual([list, list.filter((value) => values.includes(value)).length]);
  }
});
