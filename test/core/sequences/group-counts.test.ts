import { expect, it } from 'vitest';
import { createKeyedHash } from '../../../src/core/base/keyed-hash.ts';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { createGroupCounts } from '../../../src/core/sequences/group-counts.ts';
import { propertyPath } from '../columns/fixtures.ts';

it('groups book what they take, once', () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const room = memory.reservation('tenant');
  const asked = { by: propertyPath('p'), size: 10, steps: 10 };
  const counts = createGroupCounts(asked, { hash: createKeyedHash([1, 2]), room });
  for (let i = 0; i < 1000; i++) counts.add(i, i, 10);
  const { bytes } = room;
  expect(bytes).toBeGreaterThan(1000 * 10 * 8);
  expect(bytes).toBeLessThan(1000 * 10 * 8 * 10);
  for (let i = 0; i < 1000; i++) counts.add(i, i, 10);
  expect(room.bytes).toBe(bytes);
});
