import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDictionary, encode } from '../../../../src/core/columns/dictionary.ts';
import { createInstantFlags } from '../../../../src/core/columns/selection/flags.ts';
import { createOrder } from '../../../../src/core/columns/order.ts';
import { createVerdicts, judge } from '../../../../src/core/columns/selection/verdict.ts';
import { compileTest } from '../../../../src/core/filter/predicate.ts';
import { uniteRanges } from '../../../../src/core/filter/instants.ts';
import { OPERATORS, type Operator, type Test } from '../../../../src/index.ts';
import { operands } from '../../filter/conditions.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { logOf } from '../fixtures.ts';

const tests: fc.Arbitrary<Test> = fc
  .constantFrom(...(Object.keys(OPERATORS) as Operator[]).filter((name) => OPERATORS[name].objectsAlike))
  .chain((operator) =>
    operands[OPERATORS[operator].takes].map((operand) => {
      const path = { root: 'properties', segments: ['p'] } as const;
      return { kind: 'test', path, operator, operand } as Test;
    }),
  );

it('is what the operator says of each value, also of those that come later', () => {
  fc.assert(
    fc.property(fc.array(jsonValues), tests, fc.nat(), (values, test, split) => {
      const dictionary = createDictionary();
      const verdict = createVerdicts().of(test);
      const codes: number[] = [];
      values.forEach((value, i) => {
        codes.push(encode(dictionary, value));
        if (i === split % (values.length + 1)) judge(verdict, test, dictionary, dictionary.values.length);
      });
      judge(verdict, test, dictionary, dictionary.values.length);
      expect(codes.map((code) => verdict.bytes[code] === 1)).toEqual(values.map(compileTest(test)));
    }),
    { numRuns: 500 },
  );
});

it('is kept for the tests that were asked last', () => {
  const verdicts = createVerdicts();
  const test = (operand: number): Test => ({
    kind: 'test',
    path: { root: 'properties', segments: ['p'] },
    operator: 'EQUALS',
    operand,
  });
  const first = verdicts.of(test(0));
  for (let i = 1; i < 8; i++) verdicts.of(test(i));
  expect(verdicts.of(test(0))).toBe(first);
  for (let i = 8; i < 16; i++) verdicts.of(test(i));
  expect(verdicts.of(test(0))).not.toBe(first);
});

it('of instants is whether they lie in one of the ranges', () => {
  const instants = fc.integer({ min: 0, max: 8 });
  const limits = fc.oneof(instants, fc.constantFrom(-Infinity, Infinity));
  const ranges = fc.array(fc.record({ from: limits, until: limits }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.uniqueArray(instants), ranges, (list, some) => {
      const log = logOf(
        list.map((eventTs, i) => ({
          eventName: 'n',
          userId: 'u',
          eventTs,
          insertId: String(i),
          propertiesJson: '{}',
        })),
      );
      const order = createOrder(log);
      while (order.covered < log.size()) order.extend(log.size());
      const flags = createInstantFlags(log, order, { kind: 'during', ranges: uniteRanges(some) });
      if (list.length > 0) flags.extend(list.length);
      expect(list.map((_, row) => flags.bytes[row] === 1)).toEqual(
        list.map((instant) => some.some(({ from, until }) => instant >= from && instant < until)),
      );
    }),
    { numRuns: 500 },
  );
});
