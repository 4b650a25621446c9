import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAddress } from '../../../../adapters/dashboard/pages/address/address.ts';
import {
  keptAfter,
  linkKept,
  type KeptQuestions,
} from '../../../../adapters/dashboard/pages/address/kept.ts';
import { addresses, strangeTexts } from './addresses.ts';

const NONE: KeptQuestions = new Map();
const shown = (hash: string, kept = NONE) => keptAfter(kept, parseAddress(hash));
const parametersOf = (hash: string) => [...parseAddress(hash).parameters].sort();

it('whatever pages come between, the menu leads back to the question of the explorer', () => {
  const questions = fc.dictionary(fc.constantFrom('event', 'filter', 'range', 'by', 'columns'), strangeTexts);
  fc.assert(
    fc.property(questions, fc.array(addresses, { maxLength: 4 }), (question, between) => {
      const asked = `#/explore/shop?${new URLSearchParams(question).toString()}`;
      const others = between.filter((hash) => !['explore', 'live'].includes(parseAddress(hash).page));
      const kept = others.reduce((before, hash) => shown(hash, before), shown(asked));
      expect(parametersOf(linkKept(kept, 'explore', 'shop'))).toEqual(parametersOf(asked));
      // It is of this tenant alone, and no other page reads it.
      for (const link of [linkKept(kept, 'explore', 'outlet'), linkKept(kept, 'usage', 'shop')])
        expect(parametersOf(link)).toEqual([]);
    }),
  );
});

it('the table of users is kept beside it, and the page of a user leads to its question', () => {
  const explorer = shown('#/explore/shop?range=7d');
  const table = shown('#/users/shop?event=a&search=x&sort=last&range=30d&cursor=c&at=5', explorer);
  expect(linkKept(table, 'users', 'shop')).toBe('#/users/shop?event=a&search=x&sort=last&range=30d');
  expect(linkKept(table, 'explore', 'shop')).toBe('#/explore/shop?range=7d');
  expect(linkKept(table, 'users', 'outlet')).toBe('#/users/outlet');
  // A user who was found in rows says nothing about the table.
  for (const hash of [
    '#/person/shop?user=ada',
    '#/person/shop?user=ada&zone=Asia/Kolkata&order=oldest&offset=50',
    '#/person/shop?user=ada&at=2026-05-18T10:00:00.000Z',
  ])
    expect(shown(hash, table)).toBe(table);
  // A link to a user that somebody was given leads to its question.
  const given = shown('#/person/shop?user=ada&event=b&range=all&cursor=c&order=oldest', explorer);
  expect(linkKept(given, 'users', 'shop')).toBe('#/users/shop?event=b&range=all');
});

it('the live page has its events and columns, and gives back what it changed of them', () => {
  const kept = shown('#/explore/shop?event=a&range=7d&by=userId&columns=properties.a&cursor=c&at=5');
  expect(linkKept(kept, 'explore', 'shop')).toBe(
    '#/explore/shop?event=a&range=7d&by=userId&columns=properties.a',
  );
  expect(linkKept(kept, 'live', 'shop')).toBe('#/live/shop?event=a&columns=properties.a');
  const changed = shown('#/live/shop?event=b', kept);
  expect(parametersOf(linkKept(changed, 'explore', 'shop'))).toEqual([
    ['by', 'userId'],
    ['event', 'b'],
    ['range', '7d'],
  ]);
});
