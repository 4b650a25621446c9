import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDictionary, encode } from '../../../../src/core/columns/column/dictionary.ts';
import { createInstantSource } from '../../../../src/core/columns/sources/instant-source.ts';
import { createCodeMasks, evaluate } from '../../../../src/core/columns/column/code-mask.ts';
import { uniteRanges } from '../../../../src/core/filter/instants.ts';
import { compileTest } from '../../../../src/core/filter/predicate.ts';
import type { During } from '../../../../src/core/filter/condition.ts';
import { OPERATORS } from '../../../../src/core/filter/operators.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import type { Operator, Test } from '../../../../src/store-kit.ts';
import { operandsFor } from '../../filter/conditions.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { countingPacer, HASH, logOf, orderOf, roomyKept } from '../fixtures.ts';

const tools = { reservation: roomyKept(), pacer: countingPacer() };

const tests: fc.Arbitrary<Test> = fc
  .constantFrom(...(Object.keys(OPERATORS) as Operator[]).filter((name) => OPERATORS[name].objectsAlike))
  .chain((operator) =>
    operandsFor(operator).map((operand) => {
      const path = { root: 'properties', segments: ['p'] } as const;
      return { kind: 'test', path, operator, operand } as Test;
    }),
  );

it('is what the operator says of each value, also of those that come later', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonValues), tests, fc.nat(), async (values, test, split) => {
      const dictionary = createDictionary(HASH);
      const mask = createCodeMasks(roomyKept()).take(test);
      const codes: number[] = [];
      for (const [i, value] of values.entries()) {
        codes.push(encode(dictionary, value));
        if (i === split % (values.length + 1)) await evaluate(mask, test, dictionary, tools);
      }
      await evaluate(mask, test, dictionary, tools);
      expect(codes.map((code) => mask.bytes[code] === 1)).toEqual(values.map(compileTest(test)));
    }),
    { numRuns: 500 },
  );
});

it('is had by one question alone, and booked once however many put it back', () => {
  const entry = roomyKept();
  const masks = createCodeMasks(entry);
  const path = { root: 'properties', segments: ['p'] } as const;
  const test: Test = { kind: 'test', path, operator: 'EQUALS', operand: 'x' };
  const first = masks.take(test);
  const bytes = entry.bytes;
  const second = masks.take(test);
  expect(second).not.toBe(first);
  masks.put(first);
  masks.put(second);
  expect(entry.bytes).toBe(bytes);
  expect(masks.take(test)).toBe(second);
  expect(masks.take(test)).not.toBe(second);
});

it('is kept for the tests that were asked last', () => {
  const entry = roomyKept();
  const masks = createCodeMasks(entry);
  const test = (operand: number): Test => ({
    kind: 'test',
    path: { root: 'properties', segments: ['p'] },
    operator: 'EQUALS',
    operand,
  });
  const ask = (operand: number) => {
    const mask = masks.take(test(operand));
    masks.put(mask);
    return mask;
  };
  const first = ask(0);
  for (let i = 1; i < 8; i++) ask(i);
  expect(ask(0)).toBe(first);
  const { bytes } = entry;
  for (let i = 8; i < 16; i++) ask(i);
  expect(ask(0)).not.toBe(first);
  // The keys of two digits are longer by one.
  expect(entry.bytes - bytes).toBeLessThanOrEqual(16);
});

it('is booked with its operand before it is made, also while many are asked for at once', () => {
  const entry = createMemoryBudget({ bytesMax: 1e6, ownerShare: 1 }).cacheEntry('tenant', () => undefined);
  const masks = createCodeMasks(entry);
  const operand = 'x'.repeat(100_000);
  const test = (i: number): Test => ({
    kind: 'test',
    path: { root: 'properties', segments: ['p'] },
    operator: 'EQUALS',
    operand: `${operand}${i}`,
  });
  for (let i = 0; i < 4; i++) masks.take(test(i));
  expect(entry.bytes).toBeGreaterThan(800_000);
  expect(() => masks.take(test(4))).toThrow(expect.objectContaining({ status: 503 }));
});

it('of instants is whether they lie in one of the ranges', async () => {
  const instants = fc.integer({ min: 0, max: 8 });
  const limits = fc.oneof(instants, fc.constantFrom(-Infinity, Infinity));
  const ranges = fc.array(fc.record({ from: limits, until: limits }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(instants), fc.array(ranges, { minLength: 1 }), async (list, sets) => {
      const log = logOf(
        list.map((eventTs, i) => ({
          eventName: 'n',
          userId: 'u',
          eventTs,
          insertId: String(i),
          propertiesJson: '{}',
        })),
      );
      const atoms = sets.map((set): During => ({ kind: 'during', ranges: uniteRanges(set) }));
      const source = createInstantSource(orderOf(log), atoms, tools);
      const leafOf = await source.open(list.length);
      for (const [i, atom] of atoms.entries()) {
        const { codes, mask } = leafOf(atom);
        expect(list.map((_, row) => mask[codes[0]![row]!] === 1)).toEqual(
          list.map((instant) => sets[i]!.some(({ from, until }) => instant >= from && instant < until)),
        );
      }
    }),
    { numRuns: 500 },
  );
});
