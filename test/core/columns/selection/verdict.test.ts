import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDictionary, encode } from '../../../../src/core/columns/dictionary.ts';
import { createInstantFlags } from '../../../../src/core/columns/selection/flags.ts';
import { createOrder } from '../../../../src/core/columns/order.ts';
import { createVerdicts, judge } from '../../../../src/core/columns/selection/verdict.ts';
import { OPERATORS, passes, type Operand, type Operator, type Test } from '../../../../src/index.ts';
import { jsonValues, scalars } from '../../../conformance/arbitraries/events.ts';
import { logOf } from '../fixtures.ts';

const operators = fc.constantFrom(...(Object.keys(OPERATORS) as Operator[]));
const operands: fc.Arbitrary<Operand> = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 4 }),
  fc.constant(null),
);

it('is what the operator says of each value, also of those that come later', () => {
  fc.assert(
    fc.property(fc.array(jsonValues), operators, operands, fc.nat(), (values, operator, operand, split) => {
      const test: Test = { kind: 'test', path: { root: 'properties', segments: ['p'] }, operator, operand };
      const dictionary = createDictionary();
      const verdict = createVerdicts().of(test);
      const codes: number[] = [];
      values.forEach((value, i) => {
        codes.push(encode(dictionary, value));
        if (i === split % (values.length + 1)) judge(verdict, test, dictionary, dictionary.values.length);
      });
      judge(verdict, test, dictionary, dictionary.values.length);
      expect(codes.map((code) => verdict.bytes[code] === 1)).toEqual(
        values.map((value) => passes(test, value)),
      );
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

it('of instants is decided between the operands as the operators decide it', () => {
  const instants = fc.integer({ min: 0, max: 8 });
  const instantOperators = fc.constantFrom<Operator>(
    'EQUALS',
    'GREATER_THAN',
    'GREATER_THAN_OR_EQUALS',
    'LESS_THAN',
    'LESS_THAN_OR_EQUALS',
    'IN',
    'IS_NOT_NULL',
  );
  const limits = fc.oneof(instants, fc.array(instants, { maxLength: 5 }), fc.constant(null));
  fc.assert(
    fc.property(fc.uniqueArray(instants), instantOperators, limits, (list, operator, operand) => {
      const test: Test = { kind: 'test', path: { root: 'eventTs', segments: [] }, operator, operand };
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
      const flags = createInstantFlags(log, order, test);
      if (list.length > 0) flags.extend(list.length);
      expect(list.map((_, row) => flags.bytes[row] === 1)).toEqual(
        list.map((instant) => passes(test, instant)),
      );
    }),
    { numRuns: 500 },
  );
});
