import { differenceOf } from '../base/difference.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import { compareCodePoints } from '../event/text.ts';

/** The maximum number of suggestions. */
const NEAREST_MAX = 3;

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
  const most = Math.max(2, Math.floor((path.length - 'properties.'.length) / 3));
  const found: { readonly name: string; readonly far: number }[] = [];
  for (const [i, name] of known.entries()) {
    if (i % STEP_NAMES === 0) await pacer.yieldIfDue();
    const far = farFrom(path, name, most);
    if (far <= most) found.push({ name, far });
  }
  return found
    .sort((a, b) => a.far - b.far || compareCodePoints(a.name, b.name))
    .slice(0, NEAREST_MAX)
    .map(({ name }) => name);
}

function farFrom(path: string, name: string, most: number): number {
  if (lastKeyOf(path).toLowerCase() === lastKeyOf(name).toLowerCase()) return 1;
  // Most names are told apart by their lengths, which takes no time.
  return Math.abs(path.length - name.length) > most ? Infinity : differenceOf(path, name);
}

/** The text after the last dot. It splits a key that contains a dot, which is harmless here. */
function lastKeyOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
