const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;

/** How well a text matches: 0 at its beginning, 1 at the beginning of a word, 2 within one; 3 if not. */
function rankOf(text: string, word: string): number {
  const lower = text.toLowerCase();
  let at = lower.indexOf(word);
  if (at <= 0) return at === 0 ? 0 : 3;
  for (; at !== -1; at = lower.indexOf(word, at + 1)) {
    if (!ENDS_IN_WORD.test(lower.slice(0, at))) return 1;
  }
  return 2;
}

/**
 * Those of many things that have each typed word in one of their texts, in any case, the best first. A match
 * in the first text is better than in another.
 */
export function search<T>(
  all: readonly T[],
  typed: string,
  textsOf: (each: T) => readonly string[],
): readonly T[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return all;
  const ranked = all.flatMap((each) => {
    const texts = textsOf(each);
    const ranks = words.map((word) => Math.min(...texts.map((text, i) => rankOf(text, word) + (i && 0.5))));
    return ranks.every((rank) => rank < 3) ? [{ each, rank: Math.max(...ranks) }] : [];
  });
  // The sort is stable, so equals keep their order.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ each }) => each);
}
