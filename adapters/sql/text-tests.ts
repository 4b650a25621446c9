import type { Operator, Scalar, Test } from '../../src/store-kit.ts';
import type { Bind, TestWriters } from './compile.ts';

/** The operators that compare strings with strings only. */
export type TextOperator = {
  [Name in Operator]: Extract<Test, { operator: Name }>['operand'] extends string ? Name : never;
}[Operator];
/** A test of a text for a part, as an expression of both expressions. */
export type TextTest = (text: string, part: string) => string;

/** How an engine searches for texts; all members return expressions. */
export interface TextSearch {
  /** Whether a text contains a part. */
  readonly contains: TextTest;
  /** Whether a text is an element of an array. */
  readonly isAmong: (text: string, texts: string) => string;
  /** The tests of the operators that take only a text, by name. */
  readonly tests: Readonly<Record<TextOperator, TextTest>>;
}

/** The tests of all operators that take a text, given how to write one of them. */
export function eachTextTest<Place>(
  tests: TextSearch['tests'],
  write: (test: TextTest) => (place: Place, operand: string, bind: Bind) => string,
): Pick<TestWriters<Place>, TextOperator> {
  const written = Object.entries(tests).map(([name, test]) => [name, write(test)]);
  return Object.fromEntries(written) as Pick<TestWriters<Place>, TextOperator>;
}

/** The tests of the operators that compare in an order, given how to write one of them by its sign. */
export function orderTests(write: (sign: string) => (column: string, operand: Scalar, bind: Bind) => string) {
  return {
    EQUALS: write('='),
    GREATER_THAN: write('>'),
    GREATER_THAN_OR_EQUALS: write('>='),
    LESS_THAN: write('<'),
    LESS_THAN_OR_EQUALS: write('<='),
  } satisfies Partial<TestWriters<string>>;
}

/** The tests of a text column that is never null; an operand that is not a text equals none. */
export function textTests({ contains, isAmong, tests }: TextSearch): TestWriters<string> {
  return {
    ...orderTests(
      (sign) => (column, operand, bind) =>
        typeof operand === 'string' ? `${column} ${sign} ${bind(operand, 'text')}` : 'false',
    ),
    CONTAINS: (column, operand, bind) =>
      typeof operand === 'string' ? contains(column, bind(operand, 'text')) : 'false',
    ...eachTextTest(tests, (test) => (column, operand, bind) => test(column, bind(operand, 'text'))),
    IN: (column, operand, bind) => {
      const texts = operand.filter((each) => typeof each === 'string');
      return texts.length === 0 ? 'false' : isAmong(column, bind(texts, 'texts'));
    },
    IS_NOT_NULL: () => 'true',
  };
}
