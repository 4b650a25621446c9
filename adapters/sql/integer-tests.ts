import type { Scalar } from '../../src/store-kit.ts';
import type { TestWriters } from './compile.ts';
import { orderTests } from './text-tests.ts';

/**
 * The tests of a column of whole numbers that may be null, which passes none of them. The operands of an
 * instant are whole numbers too; an operand of another kind, which only a condition made by hand has, equals
 * none. `isAmong` writes how the engine tests a number for being an element of an array.
 */
export function integerTests(isAmong: (number: string, numbers: string) => string): TestWriters<string> {
  const never = () => 'false';
  return {
    ...orderTests(
      (sign) => (column, operand, bind) =>
        isWhole(operand) ? there(column, `${column} ${sign} ${bind(operand, 'number')}`) : 'false',
    ),
    CONTAINS: never,
    STARTS_WITH: never,
    ENDS_WITH: never,
    IN: (column, operand, bind) => {
      const numbers = operand.filter(isWhole);
      return numbers.length === 0 ? 'false' : there(column, isAmong(column, bind(numbers, 'numbers')));
    },
    IS_NOT_NULL: (column) => `${column} is not null`,
  };
}

/** A test that is false, not null, where there is no number. */
const there = (column: string, test: string) => `(${column} is not null and ${test})`;

const isWhole = (operand: Scalar): operand is number => Number.isSafeInteger(operand);
