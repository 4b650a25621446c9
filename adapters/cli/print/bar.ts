/** Fits next to the other columns on a terminal of 80 characters. */
const BAR_LENGTH_MAX = 24;

/** A bar as long as a count is of the greatest one, and never without length where it counts something. */
export function barOf(count: number, most: number): string {
  return '█'.repeat(Math.ceil((count / Math.max(1, most)) * BAR_LENGTH_MAX));
}
