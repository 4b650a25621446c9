import { describe, expect, it } from 'vitest';
import { search } from '../../../adapters/dashboard/pages/parts/search.ts';

type Entry = readonly [text: string, note?: string];
const found = (entries: readonly Entry[], typed: string) =>
  search(entries, typed, ([text, note = '']) => [text, note]).map(([text]) => text);

describe('a search of a list', () => {
  const SHOPS: readonly Entry[] = [
    ['workshop'],
    ['old-shop'],
    ['outlet', 'Shop for leftovers'],
    ['shop'],
    ['news'],
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
    expect(found([['a.b'], ['axb']], 'a.b')).toEqual(['a.b']);
  });

  it('finds each of many, in their order', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => [`zone-${i}`] as const);
    expect(found(many, 'zone').length).toBe(10_000);
    expect(found(many, 'zone-999')).toEqual(['zone-999', ...many.slice(9990).map(([text]) => text)]);
  });

  it('begins with the part of a path or of a zone that one types', () => {
    const PATHS: readonly Entry[] = [['properties.httpStatus'], ['properties.status'], ['status_text']];
    expect(found(PATHS, 'status')).toEqual(['status_text', 'properties.status', 'properties.httpStatus']);
    expect(found([['America/New_York'], ['Europe/Berlin']], 'new york')).toEqual(['America/New_York']);
  });
});
