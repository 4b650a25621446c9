import * as fc from 'fast-check';
import type { OperandKind, Operands, Scalar } from '../../../src/store-kit.ts';

const OPERANDS_OF: {
  readonly [Kind in OperandKind]: (values: fc.Arbitrary<Scalar>) => fc.Arbitrary<Operands[Kind]>;
} = {
  scalar: (values) => values,
  ordered: (values) => values.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
  text: (values) => values.map((value) => String(value).toWellFormed()),
  list: (values) => fc.array(values, { maxLength: 12 }),
  none: () => fc.constant(null),
};

/** Operands of a kind, made of values. */
export const operandsOf = (kind: OperandKind, values: fc.Arbitrary<Scalar>) =>
  OPERANDS_OF[kind](values) as fc.Arbitrary<Operands[OperandKind]>;
