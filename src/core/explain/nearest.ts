import { distance } from 'fastest-levenshtein';
import type { Pacer } from '../bounds/scheduler.ts';
import { compareCodePoints } from '../event/text.ts';

/** How many names are told, at most. */
const NEAREST_MAX = 3;

/** Longer names are compared with none: that would take as long as both are. */
const LENGTH_MAX = 128;

/** How many names are compared between two pauses. */
const STEP_NAMES = 256;

/**
 * The paths that one may have been meant for: those that differ in few letters, whatever their case, and
 * those that end with the same key.
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
    if (i % STEP_NAMES === 0) await pacer.pause();
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

/** The text behind the last dot: a dot within a key makes two of it, which does no harm here. */
function lastKeyOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
