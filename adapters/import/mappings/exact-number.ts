import { isHeld } from '../../../src/internal.ts';

/**
 * The number that a text writes; undefined where it writes none, and where a number would round an integer:
 * two ids of many digits would become equal.
 */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  const [, digits = ''] = /^\s*[+-]?(\d+)\s*$/.exec(text) ?? [];
  return Number.isFinite(number) && isHeld(digits) ? number : undefined;
}
