import type { Scalar } from '../../src/index.ts';
import type { Bind, TestWriters } from './compile.ts';

/** How an engine looks for texts in a text, or for a text among others; all are expressions. */
export interface TextSearch {
  readonly contains: (text: string, part: string) => string;
  readonly startsWith: (text: string, part: string) => string;
  readonly endsWith: (text: string, part: string) => string;
  readonly isAmong: (text: string, texts: string) => string;
}

/** The tests of a column of text that is never null; an operand that is no text equals none. */
export function textTests({ contains, startsWith, endsWith, isAmong }: TextSearch): TestWriters<string> {
  const order = (sign: string) => (column: string, operand: Scalar, bind: Bind) =>
    typeof operand === 'string' ? `${column} ${sign} ${bind(operand, 'text')}` : 'false';
  return {
    EQUALS: order('='),
    GREATER_THAN: order('>'),
    GREATER_THAN_OR_EQUALS: order('>='),
    LESS_THAN: order('<'),
    LESS_THAN_OR_EQUALS: order('<='),
    CONTAINS: (column, operand, bind) =>
      typeof operand === 'string' ? contains(column, bind(operand, 'text')) : 'false',
    STARTS_WITH: (column, operand, bind) => startsWith(column, bind(operand, 'text')),
    ENDS_WITH: (column, operand, bind) => endsWith(column, bind(operand, 'text')),
    IN: (column, operand, bind) => {
      const texts = operand.filter((each) => typeof each === 'string');
      return texts.length === 0 ? 'false' : isAmong(column, bind(texts, 'texts'));
    },
    IS_NOT_NULL: () => 'true',
  };
}
