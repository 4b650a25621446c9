import { differenceOf } from '../../../src/internal.ts';

/**
 * The known word that a misspelt one probably means; undefined if none is near. Letter case does not count.
 */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    const far = differenceOf(word, name);
    if (far < least) [nearest, least] = [name, far];
  }
  return nearest;
}

/** The hint that ends an error message; empty if nothing is near. */
export function hintOf(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
}
