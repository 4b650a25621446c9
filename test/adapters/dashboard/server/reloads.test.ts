import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayReload, noteLoaded, type Notes } from '../../../../adapters/dashboard/pages/server/reloads.ts';

/** What a window stores, which survives that its pages are loaded again. */
function createNotes(): NonNullable<Notes> {
  const notes = new Map<string, string>();
  return {
    getItem: (key) => notes.get(key) ?? null,
    setItem: (key, value) => void notes.set(key, value),
    removeItem: (key) => void notes.delete(key),
  };
}

it('for want of a file the pages load again once, whatever else loads meanwhile', () => {
  const others = fc.array(fc.constantFrom('b', 'c'), { maxLength: 5 });
  fc.assert(
    fc.property(others, others, (before, after) => {
      const notes = createNotes();
      before.forEach((file) => noteLoaded(notes, file));
      expect(mayReload(notes, 'a')).toBe(true);
      after.forEach((file) => noteLoaded(notes, file));
      expect(mayReload(notes, 'a')).toBe(false);
      // The user may try it again, and so may a later version of the pages.
      expect(mayReload(notes, 'a')).toBe(true);
      noteLoaded(notes, 'a');
      expect(mayReload(notes, 'a')).toBe(true);
    }),
  );
});

it('where nothing can be noted, they do not load again by themselves', () => {
  expect(mayReload(undefined, 'a')).toBe(false);
  const broken = {
    ...createNotes(),
    getItem: () => {
      throw new Error('not allowed');
    },
  };
  expect(mayReload(broken, 'a')).toBe(false);
});
