import { OPERAND_KINDS, type OperandKind } from '../../../../../src/store-kit.ts';

/**
 * The types of a filter's value. The empty text is chosen by its type, so that none is asked for by mistake.
 */
export type Type = 'text' | 'number' | 'boolean' | 'empty';

/** The type of a value. */
export function typeOf(value: unknown): Type {
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}

/** The type of a value with which the form of a filter begins. */
export const typeOfApplied = (property: string, value: unknown): Type =>
  property !== '' && value === '' ? 'empty' : typeOf(value);

/** The types in words, each with a value of it. */
const TYPES = [
  { type: 'text', said: 'text', value: '' },
  { type: 'number', said: 'number', value: 0 },
  { type: 'boolean', said: 'true or false', value: false },
  { type: 'empty', said: 'empty text', value: '' },
] as const;

/** The types of an operand of a kind, or of its elements where it is a list; none without an operand. */
export function typesOf(takes: OperandKind): readonly (readonly [Type, string])[] {
  const { fits } = OPERAND_KINDS[takes];
  const fitting = TYPES.filter(({ type, value }) =>
    type === 'empty' ? takes === 'scalar' : fits(value) || fits([value]),
  );
  return fitting.map(({ type, said }) => [type, said] as const);
}
