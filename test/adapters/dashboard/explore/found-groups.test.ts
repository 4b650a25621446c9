import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { countBeyond } from '../../../../adapters/dashboard/pages/explore/filter/found-groups.ts';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { createEngine } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';

const VALUES = ['a', 'b', '5', 5, true, '', null, undefined, ['a'], ['b', 1], { a: 1 }, {}];

it('each event is in one bar of its value, its kind, or of all other values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...VALUES), { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      async (values, size) => {
        const resources = testResources();
        const tenant = createEngine({ events: memoryEventStore({ resources }), resources }).tenant('t');
        const events = values.map((value) => ({
          ...{ eventName: 'a', userId: 'u' },
          properties: value === undefined ? {} : { value },
        }));
        if (events.length > 0) await tenant.append(events);
        const answer = await tenant.breakdown({ by: 'properties.value', size });
        const shown = new Set(answer.groups.map(({ key }) => JSON.stringify(key)));
        const isScalar = (value: unknown) => typeof value !== 'object' && value !== undefined;
        const others = values.filter((value) => isScalar(value) && !shown.has(JSON.stringify(value)));
        expect(countBeyond(answer)).toBe(others.length);
      },
    ),
  );
});
