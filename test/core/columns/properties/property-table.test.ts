import { expect, it } from 'vitest';
import { createPropertyTable } from '../../../../src/core/columns/properties/property-table.ts';
import { createMemoryBudget } from '../../../../src/core/bounds/memory-budget.ts';

const event = (insertId: string, properties: object, eventName = 'a') => ({
  ...{ eventName, userId: 'u', eventTs: 1, insertId },
  propertiesJson: JSON.stringify(properties),
});

it('says that there are more paths than it keeps, and goes on counting those', () => {
  const table = createPropertyTable(undefined, 2);
  table.add(event('1', { a: { b: 1 }, c: 1 }));
  expect(table.answer(undefined).more).toBe(true);
  table.add(event('2', { a: { b: 'x'.repeat(257) }, d: { e: 1 } }));
  expect(table.answer(undefined).properties).toEqual([
    { path: 'properties.a', types: { object: 2 }, examples: [] },
    { path: 'properties.a.b', types: { string: 1, number: 1 }, examples: [1] },
  ]);
  expect(table.answer('b').properties).toEqual([]);
});

it('gives the first three values of all events, whatever their names', () => {
  const table = createPropertyTable();
  [5, 5, 5, 5, true, '5', 6].forEach((a, i) =>
    table.add(event(String(i), { a }, i % 2 === 0 ? 'even' : 'odd')),
  );
  expect(table.answer(undefined).properties[0]?.examples).toEqual([5, true, '5']);
  expect(table.answer('even').properties[0]?.examples).toEqual([5, true, 6]);
  expect(table.answer('odd').properties[0]?.examples).toEqual([5, '5']);
});

it('books what it keeps', () => {
  const memory = createMemoryBudget({ bytesMax: 3000, ownerShare: 1 });
  const table = createPropertyTable(memory.reservation('tenant'));
  expect(() => {
    for (let i = 0; i < 10; i++) table.add(event(String(i), { [`key ${i}`]: 1 }));
  }).toThrow('overloaded');
});
