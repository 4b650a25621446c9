import { expect, it } from 'vitest';
import { createLiveDocs } from '../../../../src/core/columns/log/live-docs.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';
import type { EventLog } from '../../../../src/store-kit.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { countingPacer, eventsWith, logOf, range, roomyKept } from '../fixtures.ts';

const SIZE = 3 * SEGMENT_ROWS + 5;
const EVENTS = eventsWith(new Array(SIZE).fill(1));
/** The rows that a segment's live docs leave out. */
const leftOut = (codes: Uint8Array | undefined) =>
  codes && range(0, codes.length).filter((local) => codes[local] === 0);

function copiesOf(view: EventLog): Partial<EventLog> {
  const { count, bitmaps } = view.erased();
  const copies = { count, bitmaps: Array.from(bitmaps, (bitmap) => bitmap?.slice()) };
  return { erased: () => copies };
}

it('have a byte for each row of the segments that have erased rows, and of no other', async () => {
  const log = logOf(EVENTS);
  const entry = roomyKept();
  const live = createLiveDocs(log, entry);
  await live.build(countingPacer());
  expect(live.codes).toEqual([]);
  log.erase([3, SEGMENT_ROWS - 1, ...range(SEGMENT_ROWS, 2 * SEGMENT_ROWS), SIZE - 1]);
  await live.build(countingPacer());
  // A question passes over a segment that is erased as a whole.
  expect([0, 1, 2, 3].map((segment) => leftOut(live.codes[segment]))).toEqual([
    [3, SEGMENT_ROWS - 1],
    undefined,
    undefined,
    [4],
  ]);
  expect(entry.bytes).toBe(2 * SEGMENT_ROWS);
});

it.each([
  ['keeps the bitmaps that stay', () => ({})],
  ['makes all bitmaps again', copiesOf],
])('are made anew only where more was erased, of a store that %s', async (_name, more) => {
  const log = logOf(EVENTS, more);
  const entry = roomyKept();
  const live = createLiveDocs(log, entry);
  log.erase([3, SIZE - 1]);
  await live.build(countingPacer());
  const before = live.codes;
  log.erase([4]);
  await live.build(countingPacer());
  expect(live.codes[3]).toBe(before[3]);
  expect([leftOut(before[0]), leftOut(live.codes[0])]).toEqual([[3], [3, 4]]);
  expect(entry.bytes).toBe(2 * SEGMENT_ROWS);
  log.erase(range(0, SEGMENT_ROWS).filter((row) => row !== 3 && row !== 4));
  await live.build(countingPacer());
  expect([live.codes[0], entry.bytes]).toEqual([undefined, SEGMENT_ROWS]);
});

it('are those of the newest version, in whichever order two builds end', async () => {
  const log = logOf(EVENTS);
  const entry = roomyKept();
  const live = createLiveDocs(log, entry);
  log.erase([3, SIZE - 1]);
  let goOn!: () => void;
  const rest = new Promise<void>((resolve) => (goOn = resolve));
  const older = live.build({ now: () => 0, yieldIfDue: () => rest });
  log.erase([4]);
  const same = [live.build(countingPacer()), live.build(countingPacer())];
  await Promise.all(same);
  goOn();
  await older;
  expect(leftOut(live.codes[0])).toEqual([3, 4]);
  expect(entry.bytes).toBe(2 * SEGMENT_ROWS);
});

it('are built once by questions that wait at the same time, and booked once', async () => {
  const segments = 8;
  const log = logOf(eventsWith(new Array(segments * SEGMENT_ROWS).fill(1)));
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const entry = memory.cacheEntry('t', () => undefined);
  const live = createLiveDocs(log, entry);
  for (let round = 0; round < 4; round++) {
    let most = 0;
    const builds: Promise<void>[] = [];
    for (let question = 0; question < 5; question++) {
      // Some questions wait longer at each pause, and the log loses more rows while they wait.
      const yieldIfDue = async () => {
        most = Math.max(most, entry.bytes);
        for (let i = 0; i <= question * question; i++) await Promise.resolve();
      };
      if (question % 2 === 0)
        log.erase(range(0, segments).map((segment) => segment * SEGMENT_ROWS + round * 10 + question));
      builds.push(live.build({ now: () => 0, yieldIfDue }));
      await Promise.resolve();
    }
    await Promise.all(builds);
    expect(entry.bytes).toBe(segments * SEGMENT_ROWS);
    // No more than the version before and the one that is built.
    expect(most).toBeLessThanOrEqual(2 * segments * SEGMENT_ROWS);
  }
});

it('leave nothing booked where memory runs out on the way', async () => {
  const log = logOf(EVENTS);
  log.erase([3, SIZE - 1]);
  const memory = createMemoryBudget({ bytesMax: SEGMENT_ROWS + 10, ownerShare: 1 });
  const live = createLiveDocs(
    log,
    memory.cacheEntry('t', () => undefined),
  );
  await expect(live.build(countingPacer())).rejects.toMatchObject({ code: 'overloaded' });
  expect([memory.bytes, live.codes]).toEqual([0, []]);
});

it('are built on by the next question where one has ended', async () => {
  const log = logOf(EVENTS);
  log.erase([3, SIZE - 1]);
  const entry = roomyKept();
  const live = createLiveDocs(log, entry);
  const pacer = { now: () => 0, yieldIfDue: () => Promise.reject(new Error('cancelled')) };
  await expect(live.build(pacer)).rejects.toThrow('cancelled');
  expect([live.codes, entry.bytes]).toEqual([[], SEGMENT_ROWS]);
  await live.build(countingPacer());
  expect([leftOut(live.codes[0]), entry.bytes]).toEqual([[3], 2 * SEGMENT_ROWS]);
});
