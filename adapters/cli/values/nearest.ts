import { closest, distance } from 'fastest-levenshtein';

/** Longer words are not compared: the time grows with the product of both lengths. */
const LENGTH_MAX = 128;

/**
 * The known word that a misspelt one probably means; undefined if none is near. Letter case does not count.
 */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  const low = word.toLowerCase();
  const short = known.filter(({ length }) => length <= LENGTH_MAX);
  if (short.length === 0) return undefined;
  const lows = short.map((each) => each.toLowerCase());
  // Two letters in the wrong order are one mistake, and two of those that `distance` counts.
  const swapped = lows.findIndex((each) => isSwapped(low, each));
  if (swapped !== -1) return short[swapped];
  const nearest = closest(low, lows);
  const isNear = distance(low, nearest) <= Math.max(1, Math.floor(word.length / 3));
  return isNear ? short[lows.indexOf(nearest)] : undefined;
}

/** Whether two texts differ by the order of two neighbours alone. */
function isSwapped(a: string, b: string): boolean {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i + 1 < a.length && b === a.slice(0, i) + a[i + 1]! + a[i]! + a.slice(i + 2);
}

/** The hint that ends an error message; empty if nothing is near. */
export function hintOf(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
}
