import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared: the time grows with the product of both lengths. */
const LENGTH_MAX = 128;

/**
 * How many mistakes lie between two texts, for "did you mean": a wrong, missing or added letter is one, and
 * so are two neighbours in the wrong order where nothing else is wrong. Letter case does not count. Texts of
 * more than 128 UTF-16 units are Infinity apart.
 */
export function differenceOf(a: string, b: string): number {
  if (a.length > LENGTH_MAX || b.length > LENGTH_MAX) return Infinity;
  const [low, other] = [a.toLowerCase(), b.toLowerCase()];
  return isSwapped(low, other) ? 1 : distance(low, other);
}

/** Whether two texts differ by the order of two neighbours alone. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i + 1 < a.length && b === a.slice(0, i) + a[i + 1]! + a[i]! + a.slice(i + 2);
}
