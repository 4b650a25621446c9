import { distance } from 'fastest-levenshtein';
import type { Pacer } from '../bounds/scheduler.ts';
import { compareCodePoints } from '../event/text.ts';

/** The maximum number of suggestions. */
const NEAREST_MAX = 3;

/** Longer names are not compared: the time grows with the product of both lengths. */
const LENGTH_MAX = 128;

/** How many names are compared before the loop yields. */
const STEP_NAMES = 256;

/**
 * The paths that a misspelt one may have meant: those that differ in few letters, ignoring case, and those
 * that end with the same key.
 */
export async function nearestTo(
  path: string,
  known: readonly string[],
  pacer: Pacer,
): Promise<readonly string[]> {
  if (path.length > LENGTH_MAX) return [];
  const asked = path.toLowerCase();
  const most = Math.max(2, Math.floor((asked.length - 'properties.'.length) / 3));
  const found: { readonly name: string; readonly far: number }[] = [];
  for (const [i, name] of known.entries()) {
    if (i % STEP_NAMES === 0) await pacer.yieldIfDue();
    const far = distanceOf(asked, name.toLowerCase(), most);
    if (far <= most) found.push({ name, far });
  }
  return found
    .sort((a, b) => a.far - b.far || compareCodePoints(a.name, b.name))
    .slice(0, NEAREST_MAX)
    .map(({ name }) => name);
}

function distanceOf(asked: string, name: string, most: number): number {
  if (lastKeyOf(asked) === lastKeyOf(name)) return 1;
  const isFar = name.length > LENGTH_MAX || Math.abs(asked.length - name.length) > most;
  return isFar ? Infinity : distance(asked, name);
}

/** The text after the last dot. It splits a key that contains a dot, which is harmless here. */
function lastKeyOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
