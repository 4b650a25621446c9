import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Scheduler } from '../../../../src/index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  createColumnIndex,
  parseCountBody,
  type Pacer,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import { compareNewestFirst } from '../../../conformance/expected.ts';
import { countingPacer, eventsWith, logOf, nodeScheduler, range, SEED } from '../fixtures.ts';

const T = 'tenant';
const EVERYTHING = parseCountBody({});

/** Events of few instants in any order, so that segments overlap and instants are equal across them. */
const lists = fc
  .array(fc.record({ at: fc.oneof(fc.nat(3), fc.nat(1000)), id: fc.nat(50), p: fc.nat(2) }), {
    minLength: 1,
    maxLength: 240,
  })
  .map((rows) => rows.map(({ at, id, p }, i) => toEvent(at, `${id}-${i}`, p)));
const toEvent = (eventTs: number, insertId: string, p: number): StoredEvent => ({
  ...{ eventName: 'n', userId: 'u', eventTs, insertId, propertiesJson: JSON.stringify({ p }) },
});
const pages = fc.record({
  offset: fc.oneof(fc.nat(10), fc.nat(130)),
  size: fc.integer({ min: 1, max: 130 }),
});
const positions = fc.oneof(
  fc.record({ row: fc.nat(239) }),
  fc.record({ eventTs: fc.nat(4), insertId: fc.nat(50).map((id) => `${id}-`) }),
);

function openIndex(events: readonly StoredEvent[], erased: readonly number[] = []) {
  const log = logOf(events);
  if (erased.length > 0) log.erase(erased);
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  return createColumnIndex({ open: () => log.view(), memory, scheduler: nodeScheduler(), seed: SEED });
}

it('any page is that of all events sorted, however they came and whatever was erased', async () => {
  const erasures = fc.array(fc.nat(239), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      lists,
      erasures,
      fc.array(pages, { minLength: 1, maxLength: 4 }),
      positions,
      async (events, some, asked, at) => {
        const erased = [...new Set(some)].filter((row) => row < events.length);
        const index = openIndex(events, erased);
        const left = events.filter((_, row) => !erased.includes(row)).toSorted(compareNewestFirst);
        const passing = left.filter(({ propertiesJson }) => propertiesJson === '{"p":1}');
        const filterSet = [{ property: 'properties.p', comparison: 'EQUALS', value: 1 }];
        const after = 'row' in at ? events[at.row % events.length]! : at;
        for (const page of asked) {
          for (const [query, expected] of [
            [EVERYTHING, left],
            [parseCountBody({ filterSet }), passing],
            [{ ...EVERYTHING, from: 1, until: 4 }, left.filter(({ eventTs }) => eventTs >= 1 && eventTs < 4)],
          ] as const) {
            const { offset, size } = page;
            const found = await collect(await index.query(T, query, page));
            expect(found).toEqual(expected.slice(offset, offset + size));
            // The event of a cursor may be erased since.
            const later = expected.filter((event) => compareNewestFirst(event, after) > 0);
            const next = await collect(await index.query(T, query, { ...page, after }));
            expect(next).toEqual(later.slice(offset, offset + size));
          }
        }
      },
    ),
    { numRuns: casesOf(1000) },
  );
});

it('a deep page is that of all events sorted, however many are passed over together', async () => {
  const many = fc.array(fc.tuple(fc.oneof(fc.nat(3), fc.nat(1000)), fc.nat(50)), {
    ...{ minLength: 400, maxLength: 600, size: 'max' as const },
  });
  const offsets = fc.array(fc.integer({ min: 257, max: 620 }), { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(many, offsets, fc.constantFrom(0, 3, 300), async (rows, asked, spread) => {
      // Without a spread, events come in order, and segments are passed over as a whole.
      const events = rows.map(([at, id], i) =>
        toEvent(i + (at % (spread + 1)) * spread, `${id}-${i}`, i % 3),
      );
      const index = openIndex(events, range(100, 120));
      const left = events.filter((_, row) => row < 100 || row >= 120).toSorted(compareNewestFirst);
      const query = parseCountBody({
        filterSet: [{ property: 'properties.p', comparison: 'NOT_EQUALS', value: 0 }],
      });
      const passing = left.filter(({ propertiesJson }) => propertiesJson !== '{"p":0}');
      for (const offset of asked) {
        const all = await collect(await index.query(T, EVERYTHING, { offset, size: 20 }));
        expect(all).toEqual(left.slice(offset, offset + 20));
        const some = await collect(await index.query(T, query, { offset, size: 20 }));
        expect(some).toEqual(passing.slice(offset, offset + 20));
        const within = { ...EVERYTHING, from: 5 };
        const recent = await collect(await index.query(T, within, { offset, size: 20 }));
        expect(recent).toEqual(left.filter(({ eventTs }) => eventTs >= 5).slice(offset, offset + 20));
      }
    }),
    { numRuns: casesOf(150) },
  );
});

it('a deep page passes over events of one instant by their ids, across segments', async () => {
  const events = range(0, 600).map((i) => toEvent(i < 500 ? 5 : 4, `${(i * 79) % 601}`, 1));
  const index = openIndex(events);
  const expected = events.toSorted(compareNewestFirst);
  for (const offset of [257, 300, 495, 500, 505]) {
    const page = await collect(await index.query(T, EVERYTHING, { offset, size: 30 }));
    expect(page).toEqual(expected.slice(offset, offset + 30));
  }
});

it('pages that follow each other have each event once, however many have one instant', async () => {
  const events = eventsWith(range(0, 200)).map((event, i) => ({
    ...event,
    eventTs: i % 3 === 0 ? 5 : i % 2,
    insertId: `id-${(i * 79) % 211}`,
  }));
  const index = openIndex(events, range(40, 60));
  const expected = events.filter((_, row) => row < 40 || row >= 60).toSorted(compareNewestFirst);
  const found: StoredEvent[] = [];
  for (let after: StoredEvent | undefined; ; after = found.at(-1)) {
    const page = { offset: 0, size: 7, ...(after && { after }) };
    const next = await collect(await index.query(T, EVERYTHING, page));
    if (next.length === 0) break;
    found.push(...next);
  }
  expect(found).toEqual(expected);
});

it('a walk over many equal instants lets others have their turn', async () => {
  const events = range(0, 4000).map((i) => toEvent(5, `id-${(i * 79) % 4001}`, 1));
  const log = logOf(events);
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const pacer = countingPacer();
  const scheduler = {
    run: (_owner: string, _signal: unknown, job: (own: Pacer) => unknown) => Promise.resolve(job(pacer)),
  } as Scheduler;
  const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
  await index.query(T, EVERYTHING, { offset: 0, size: 1 });
  const before = pacer.pauses;
  const page = await collect(await index.query(T, EVERYTHING, { offset: 0, size: 1000 }));
  expect(page).toEqual(events.toSorted(compareNewestFirst).slice(0, 1000));
  expect(pacer.pauses - before).toBeGreaterThan(100);
});
