import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import type { JsonObject } from '../../../src/index.ts';
import { createKeyedHash, valueBelow } from '../../../src/store-kit.ts';
import { properties } from '../../conformance/arbitraries/events.ts';
import { KEYS } from '../../conformance/arbitraries/traps.ts';

it('walks objects only: an array has no keys', () => {
  const log = createMemoryLog(1, createKeyedHash([1, 2]));
  const texts = ['{"a":["x"],"b":{"0":1}}', '{"a":{"0":"x"}}', '{"a":"x","b":{"0":1,"length":1}}'];
  log.append(
    texts.map((propertiesJson, eventTs) => ({
      eventName: 'n',
      userId: 'u',
      eventTs,
      insertId: 'i',
      propertiesJson,
    })),
  );
  const valuesOf = (...segments: string[]) => log.view().values([{ root: 'properties', segments }], 0, 3)[0];
  expect(valuesOf('a', '0')).toEqual([undefined, 'x', undefined]);
  expect(valuesOf('a', 'length')).toEqual([undefined, undefined, undefined]);
});

it('finds what a walk through the parsed properties finds, for several paths at once', () => {
  const segments = fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 });
  const paths = fc.array(segments, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(properties, { maxLength: 10 }), paths, (list, asked) => {
      const texts = list.map((own) => canonicalJson(own, 'properties'));
      const log = createMemoryLog(1, createKeyedHash([1, 2]));
      log.append(
        texts.map((propertiesJson, i) => ({
          eventName: 'n',
          userId: 'u',
          eventTs: i,
          insertId: 'i',
          propertiesJson,
        })),
      );
      const expected = asked.map((path) =>
        texts.map((text) => valueBelow(JSON.parse(text) as JsonObject, path) ?? null),
      );
      const found = log.view().values(
        asked.map((path) => ({ root: 'properties', segments: path })),
        0,
        texts.length,
      );
      expect(found.map((values) => values.map((value) => value ?? null))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
