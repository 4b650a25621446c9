import { describe, expect, it } from 'vitest';
import {
  findEntries,
  SHOWN_MAX,
  type PaletteEntry,
} from '../../../adapters/dashboard/pages/palette/search.ts';

const entry = (text: string, note = ''): PaletteEntry => ({ kind: 'Tenant', text, note, href: `#/${text}` });
const found = (entries: readonly PaletteEntry[], typed: string) =>
  findEntries(entries, typed).found.map(({ text }) => text);

describe('what the palette finds', () => {
  const SHOPS = [
    entry('workshop'),
    entry('old-shop'),
    entry('outlet', 'Shop for leftovers'),
    entry('shop'),
    entry('news'),
  ];

  it('is all, in order, while nothing is typed', () => {
    expect(found(SHOPS, '  ')).toEqual(['workshop', 'old-shop', 'outlet', 'shop', 'news']);
  });

  it('begins with what begins so: the text before the note, a word before a part of one', () => {
    expect(found(SHOPS, 'SHOP')).toEqual(['shop', 'outlet', 'old-shop', 'workshop']);
  });

  it('has each word that is typed, in the text or in the note', () => {
    expect(found(SHOPS, 'left outl')).toEqual(['outlet']);
    expect(found(SHOPS, 'left news')).toEqual([]);
  });

  it('takes signs of regular expressions as they are', () => {
    for (const typed of ['(', '[', '.*', '\\', 'a-b', '/']) expect(found(SHOPS, typed)).toEqual([]);
    expect(found([entry('a.b'), entry('axb')], 'a.b')).toEqual(['a.b']);
  });

  it('is bounded, and says how many there are', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => entry(`zone-${i}`));
    const { found: shown, total } = findEntries(many, 'zone');
    expect([shown.length, total]).toEqual([SHOWN_MAX, 10_000]);
  });
});
