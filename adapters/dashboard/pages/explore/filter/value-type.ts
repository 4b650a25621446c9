/** The types of a filter's value. */
export type Type = 'text' | 'number' | 'boolean';

/** The type of a value. */
export function typeOf(value: unknown): Type {
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}
