/** Counts refusals by their reason. */
export interface Reasons {
  /** Counts a refusal; `place` says where it is. */
  add(error: string, place: string): void;
  /** A line for each reason, the most frequent one first. */
  lines(): string[];
}

/** A file that is bad in more ways is bad as a whole. */
const REASONS_MAX = 20;
const OTHERS = 'other reasons';

/** Makes a count that keeps a bounded number of reasons. */
export function createReasons(): Reasons {
  const found = new Map<string, { count: number; readonly first: string }>();
  return {
    add(error, place) {
      const own = toReason(error);
      const reason = found.has(own) || found.size < REASONS_MAX ? own : OTHERS;
      const known = found.get(reason);
      if (known === undefined) found.set(reason, { count: 1, first: place });
      else known.count += 1;
    },
    lines: () =>
      [...found]
        .sort(([, a], [, b]) => b.count - a.count)
        .map(([reason, { count, first }]) => `${count} times, first in ${first}: ${reason}`),
  };
}

/** A message without the values of its event: what it got, texts in quotes, and times. */
function toReason(error: string): string {
  const [rule = ''] = error.split(', got ', 1);
  const unquoted = rule.split('"').filter((_, i) => i % 2 === 0);
  return unquoted.join('"…"').replace(/\d{4}-\d{2}-\d{2}[\dT:.Z ]{0,20}/g, '… ');
}
