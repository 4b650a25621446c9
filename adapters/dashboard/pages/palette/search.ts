/** A place to which the palette leads. */
export interface PaletteEntry {
  readonly kind: 'Page' | 'Tenant';
  /** The text that is searched first. */
  readonly text: string;
  /** A second text that is searched too, such as the name of a tenant. */
  readonly note: string;
  readonly href: string;
}

/** How many entries are shown at most. A server may have many thousands of tenants. */
export const SHOWN_MAX = 50;

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

/** The entries that have each typed word in their text or note, the best first, and how many there are. */
export function findEntries(
  entries: readonly PaletteEntry[],
  typed: string,
): { readonly found: readonly PaletteEntry[]; readonly total: number } {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const ranked = entries.flatMap((entry) => {
    const ranks = words.map((word) => Math.min(rankOf(entry.text, word), rankOf(entry.note, word) + 0.5));
    return ranks.every((rank) => rank < 3) ? [{ entry, rank: Math.max(0, ...ranks) }] : [];
  });
  // The sort is stable, so equal entries keep their order.
  ranked.sort((a, b) => a.rank - b.rank);
  return { found: ranked.slice(0, SHOWN_MAX).map(({ entry }) => entry), total: ranked.length };
}
