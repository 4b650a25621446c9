import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import { createKeyedHash, valueBelow, type JsonObject } from '../../../src/index.ts';
import { properties } from '../../conformance/arbitraries/events.ts';
import { KEYS } from '../../conformance/arbitraries/traps.ts';

it('finds what a walk through the parsed properties finds', () => {
  const segments = fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(properties, { maxLength: 10 }), segments, (list, path) => {
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
      const expected = texts.map((text) => valueBelow(JSON.parse(text) as JsonObject, path) ?? null);
      const found = log.values({ root: 'properties', segments: path }, 0, texts.length);
      expect(found.map((value) => value ?? null)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
