import { expect, it } from 'vitest';
import { createPageWriter } from '../../../src/core/http/page-text.ts';
import { toEvent, type StoredEvent } from '../../../src/index.ts';

const eventOf = (i: number): StoredEvent => ({
  eventName: 'visit',
  userId: `user "${i}"`,
  eventTs: i,
  insertId: `id-${i}`,
  propertiesJson: `{"i":${i}}`,
});

it('writes what the events are, whatever it wrote before', () => {
  const writePage = createPageWriter();
  const events = Array.from({ length: 20 }, (_, i) => eventOf(i));
  const expected = (page: readonly StoredEvent[]) => JSON.parse(JSON.stringify(page.map(toEvent))) as unknown;
  for (let round = 0; round < 3; round++) {
    for (let from = 0; from < 20; from++) {
      for (const length of [0, 1, 2, 5]) {
        const page = events.slice(from, from + length);
        expect(JSON.parse(writePage(page))).toEqual(expected(page));
      }
    }
  }
  const twin = [...events.slice(0, 4), eventOf(99)];
  expect(JSON.parse(writePage(events.slice(0, 5)))).toEqual(expected(events.slice(0, 5)));
  expect(JSON.parse(writePage(twin))).toEqual(expected(twin));
});

it('refuses a page that no string could hold, and says how many events one can', () => {
  const writePage = createPageWriter();
  const propertiesJson = JSON.stringify({ text: 'x'.repeat(1_000_000) });
  const events = Array.from({ length: 400 }, (_, i) => ({ ...eventOf(i), propertiesJson }));
  expect(() => writePage(events)).toThrow(
    'pagination.size: these events are too large for one answer; ask for at most 268',
  );
  expect(JSON.parse(writePage(events.slice(0, 3)))).toHaveLength(3);
});
