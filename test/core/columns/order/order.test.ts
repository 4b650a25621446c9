import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { placeOf, placeOfInstant } from '../../../../src/core/columns/order/order.ts';
import { compareCodePoints } from '../../../../src/core/event/text.ts';
import type { StoredEvent } from '../../../../src/store-kit.ts';
import {
  countingLog,
  countingPacer,
  eventsWith,
  logOf,
  mapChunkStore,
  orderOf,
  rowsOf,
} from '../fixtures.ts';
import { FEW_IDS, SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

/** Few instants, so that many are equal, and ids whose order by UTF-16 unit would differ. */
const batches = fc.array(
  fc.array(
    fc.record({
      eventTs: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(4e12, 4_102_444_799_999)),
      insertId: fc.oneof(fc.string({ minLength: 1, maxLength: 2 }), fc.constantFrom('\uff5e', '😀')),
    }),
    { maxLength: 12 },
  ),
  { maxLength: 6 },
);

const toEvent = (position: { eventTs: number; insertId: string }): StoredEvent => ({
  eventName: 'n',
  userId: 'u',
  propertiesJson: '{}',
  ...position,
});

/** The rows of a log as sorting them all at once orders them. */
function sortedRows(log: ReturnType<typeof logOf>): number[] {
  const events = log.events(Array.from({ length: log.size() }, (_, row) => row));
  return [...events.keys()].sort((a, b) => {
    const [left, right] = [events[a]!, events[b]!];
    return left.eventTs - right.eventTs || compareCodePoints(left.insertId, right.insertId);
  });
}

/** The same, segment by segment. */
function sortedBySegment(log: ReturnType<typeof logOf>): number[][] {
  const rows = sortedRows(log);
  const segments = Array.from({ length: Math.ceil(rows.length / SEGMENT_ROWS) }, (_, segment) => segment);
  return segments.map((segment) => rows.filter((row) => Math.floor(row / SEGMENT_ROWS) === segment));
}

describe('the order', () => {
  it('is as it was when an id cannot be read while rows are merged in', () => {
    const at = (eventTs: number, insertId: string) => toEvent({ eventTs, insertId });
    const log = logOf(Array.from({ length: 100 }, (_, i) => at(1000 + i, `m${i}`)));
    let reads = Infinity;
    const insertIdAt = (row: number) => {
      reads -= 1;
      if (reads === 0) throw new Error('the disk');
      return log.insertIdAt(row);
    };
    const order = orderOf({ ...log, insertIdAt });
    while (order.indexedRows < log.size()) order.indexStep(log.size());
    log.append([at(1010, 'a'), at(1040, 'z'), at(1090, 'm')]);
    for (let failing = 1; ; failing++) {
      reads = failing;
      try {
        order.indexStep(log.size());
        break;
      } catch {
        expect(rowsOf(order)).toEqual([Array.from({ length: 100 }, (_, row) => row)]);
      }
    }
    reads = Infinity;
    expect(rowsOf(order)).toEqual(sortedBySegment(log));
  });

  it('is that of all rows sorted, however they came and whenever it was indexed', () => {
    fc.assert(
      fc.property(batches, (lists) => {
        const log = logOf([]);
        const order = orderOf(log);
        for (const list of lists) {
          log.append(list.map(toEvent));
          while (order.indexedRows < log.size()) order.indexStep(log.size());
          expect(rowsOf(order)).toEqual(sortedBySegment(log));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is that of many events of one instant, also of those that came while it was indexed', () => {
    const some = (from: number) =>
      Array.from({ length: 40 }, (_, i) => toEvent({ eventTs: 5, insertId: `${((from + i) * 79) % 211}` }));
    const log = logOf(some(0));
    const order = orderOf(log);
    for (const size of [20, 40]) order.indexStep(size);
    log.append(some(40));
    order.indexStep(80);
    expect(rowsOf(order)).toEqual(sortedBySegment(log));
  });

  /** A log of which few instants are shared by all events, and how often a single id was read. */
  function crowdedLog(count: number) {
    const reads = { single: 0 };
    const events = Array.from({ length: count }, (_, i) =>
      toEvent({ eventTs: (i * 31) % 50, insertId: `${(i * 7919) % 100_003}` }),
    );
    const log = logOf(events, (view) => ({
      insertIdAt: (row) => {
        reads.single += 1;
        return view.insertIdAt(row);
      },
    }));
    return { log, reads };
  }

  it('reads the ids of equal instants together, however small its steps are', () => {
    const { log, reads } = crowdedLog(SEGMENT_ROWS + 5000);
    const order = orderOf(log);
    while (order.indexedRows < log.size())
      order.indexStep(Math.min(log.size(), order.indexedRows + 700), log.size());
    expect(reads.single).toBe(0);
    expect(rowsOf(order)).toEqual(sortedBySegment(log));
  });

  it('reads few ids one by one when many more events of its instants come', () => {
    const { log, reads } = crowdedLog(4000);
    const order = orderOf(log);
    order.indexStep(2000);
    order.indexStep(4000);
    expect(reads.single).toBeLessThan(FEW_IDS);
    expect(rowsOf(order)).toEqual(sortedBySegment(log));
  });

  it('begins again with a segment of which rows are erased before all are read', () => {
    const { log } = crowdedLog(200);
    const order = orderOf(log);
    order.indexStep(100, 200);
    expect(order.indexedRows).toBe(0);
    const erased = [3, 53, 103, 153];
    const expected = sortedRows(log).filter((row) => !erased.includes(row));
    log.erase(erased);
    while (order.indexedRows < 200) order.indexStep(200);
    expect(rowsOf(order)[0]).toEqual([...erased, ...expected]);
  });

  it('finds the places of instants and positions in each segment', () => {
    fc.assert(
      fc.property(
        batches,
        toEventTs,
        fc.string({ minLength: 1, maxLength: 2 }),
        (lists, eventTs, insertId) => {
          const log = logOf(lists.flat().map(toEvent));
          const order = orderOf(log);
          while (order.indexedRows < log.size()) order.indexStep(log.size());
          const events = log.events(sortedRows(log));
          const before = events.filter((event) => event.eventTs < eventTs).length;
          const [sorted] = order.snapshotAt(log.size()).segments;
          if (sorted === undefined) return;
          expect(placeOfInstant(sorted, eventTs)).toBe(before);
          const ofEqual = events.filter(
            (event) => event.eventTs === eventTs && compareCodePoints(event.insertId, insertId) < 0,
          );
          expect(placeOf(log, sorted, { eventTs, insertId })).toBe(before + ofEqual.length);
          expect(placeOfInstant(sorted, -Infinity)).toBe(0);
          expect(placeOfInstant(sorted, Infinity)).toBe(events.length);
        },
      ),
    );
  });

  it('leaves a snapshot as it was, while late events come', () => {
    const log = logOf(eventsWith([1, 2, 3]));
    const order = orderOf(log);
    order.indexStep(3);
    const [before] = order.snapshotAt(3).segments;
    log.append([toEvent({ eventTs: 500, insertId: 'late' })]);
    order.indexStep(4);
    expect(Array.from(before!.local)).toEqual([0, 1, 2]);
    expect(rowsOf(order)).toEqual([[0, 3, 1, 2]]);
    // A question that is about the first rows only does not see the late one.
    const [again] = order.snapshotAt(3).segments;
    expect([Array.from(again!.local), again!.min, again!.max]).toEqual([[0, 1, 2], 0, 2000]);
  });

  it('is booked, and gives back what it has outgrown', () => {
    const log = logOf([]);
    const order = orderOf(log);
    let bytesMax = 0;
    for (let size = 100; size <= 3000; size += 100) {
      log.append(eventsWith(new Array(100).fill(1), size - 100));
      order.indexStep(size);
      bytesMax = Math.max(bytesMax, order.entry.bytes);
    }
    // Eight bytes for an instant, with room for half as many more, and two for a place.
    expect(order.entry.bytes).toBeGreaterThanOrEqual(3000 * 10);
    expect(bytesMax).toBeLessThanOrEqual(3000 * 14);
  });

  it('is restored from its chunks without a row of theirs being read, unless they are damaged', async () => {
    const chunks = mapChunkStore();
    const shuffled = eventsWith(new Array(SEGMENT_ROWS * 2 + 5).fill(1)).map((event, i) => ({
      ...event,
      eventTs: (i * 7919) % 65_543,
    }));
    const log = countingLog(shuffled, chunks);
    const build = async () => {
      log.rowsRead = 0;
      const order = orderOf(log);
      await indexUpTo(order, log.size(), countingPacer());
      await order.save(countingPacer());
      return rowsOf(order);
    };
    const rows = await build();
    expect(rows).toEqual(sortedBySegment(log));
    expect(chunks.kept.size).toBe(2);
    expect(await build()).toEqual(rows);
    expect(log.rowsRead).toBe(5);
    chunks.kept.get('eventTs 1')!.codes[12]! ^= 255;
    expect(await build()).toEqual(rows);
    expect(log.rowsRead).toBeGreaterThan(SEGMENT_ROWS);
  });
});

const toEventTs = fc.integer({ min: -1, max: 6 });
