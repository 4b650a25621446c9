import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isErased, isGone } from '../../../../src/core/columns/log/erased-rows.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { createIdHashes } from '../../../../src/core/columns/order/id-hashes.ts';
import { placeOf } from '../../../../src/core/columns/order/order.ts';
import { compareNewestFirst } from '../../../conformance/expected.ts';
import type { StoredEvent } from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import {
  countingLog,
  countingPacer,
  eventsWith,
  HASH,
  logOf,
  mapChunkStore,
  orderOf,
  range,
  roomyKept,
  rowsOf,
  stepsWith,
} from '../fixtures.ts';

/** Segments have eight rows here. */
const SEGMENT = 8;
const ROWS = 40;
const instants = fc.array(fc.nat(5), { minLength: ROWS, maxLength: ROWS });
const steps = stepsWith(
  fc.record({ do: fc.constantFrom('settle' as const, 'save' as const, 'restart' as const) }),
);

const eventsAt = (at: readonly number[]) =>
  eventsWith(at).map((event, row) => ({ ...event, eventTs: at[row]!, insertId: `id-${(row * 7) % 41}` }));

/** The rows of each segment that are left, oldest first. */
function sortedRows(events: readonly StoredEvent[], isLeft: (row: number) => boolean): number[][] {
  const rows = range(0, events.length).sort((a, b) => compareNewestFirst(events[b]!, events[a]!));
  return range(0, ROWS / SEGMENT).map((segment) =>
    rows.filter((row) => Math.floor(row / SEGMENT) === segment && isLeft(row)),
  );
}

describe('the order of a log of which rows are erased', () => {
  it('is that of the rows that are left, segment by segment, however it was indexed and stored', async () => {
    await fc.assert(
      fc.asyncProperty(instants, steps, async (at, todo) => {
        const chunks = mapChunkStore();
        const events = eventsAt(at);
        const log = logOf(events, () => ({ chunks }));
        let order = orderOf(log);
        let [done, version] = [0, 0];
        for (const step of todo) {
          if (step.do === 'add')
            await indexUpTo(order, (done = Math.min(ROWS, done + step.rows)), countingPacer());
          if (step.do === 'erase') log.erase([...new Set(step.rows)]);
          if (step.do === 'erase segment')
            log.erase(range(step.segment * SEGMENT, (step.segment + 1) * SEGMENT));
          // A store drops the chunks of older versions.
          if (version !== log.version) chunks.kept.clear();
          version = log.version;
          if (step.do === 'settle') order.settle();
          if (step.do === 'save') expect(await order.save(countingPacer(), true)).toBe(true);
          if (step.do === 'restart') order = orderOf(log);
        }
        await indexUpTo(order, ROWS, countingPacer());
        order.settle();
        const erased = log.erased();
        const isLeft = (row: number) => !isErased(erased, row);
        const found = rowsOf(order);
        expect(found.map((own) => own.filter(isLeft))).toEqual(
          sortedRows(events, isLeft).slice(0, found.length),
        );
        for (const segment of range(0, ROWS / SEGMENT)) {
          const sorted = order.snapshotAt(ROWS).segments[segment];
          if (isGone(erased, segment)) expect(sorted).toBeUndefined();
          else {
            const places = Array.from(sorted!.local).sort((a, b) => a - b);
            expect(places).toEqual(range(0, SEGMENT));
            const rows = found[segment]!.filter(isLeft);
            const position = events[rows[Math.floor(rows.length / 2)]!]!;
            const place = placeOf(log, sorted!, position);
            const before = Array.from(sorted!.local.subarray(0, place), (local) => segment * SEGMENT + local);
            expect(before.filter(isLeft)).toEqual(rows.slice(0, Math.floor(rows.length / 2)));
          }
        }
        const bytes = order
          .snapshotAt(ROWS)
          .segments.map((own) => (own ? own.instants.byteLength + own.local.byteLength : 0));
        expect(order.entry.bytes).toBe(bytes.reduce((sum, own) => sum + own, 0));
      }),
      { numRuns: casesOf(2000) },
    );
  });

  it('can be stored when a segment was erased as a whole while a part of it was indexed', async () => {
    const chunks = mapChunkStore();
    const log = countingLog(eventsWith(range(0, SEGMENT + 3)), chunks);
    const order = orderOf(log);
    await indexUpTo(order, 5, countingPacer());
    log.erase(range(0, SEGMENT));
    order.settle();
    await indexUpTo(order, SEGMENT + 3, countingPacer());
    expect(await order.save(countingPacer(), true)).toBe(true);
    log.rowsRead = 0;
    const loaded = orderOf(log);
    await indexUpTo(loaded, SEGMENT + 3, countingPacer());
    expect([rowsOf(loaded), log.rowsRead]).toEqual([[[], [8, 9, 10]], 3]);
  });

  it('has each row once, also where all rows that are read together are erased', async () => {
    const log = logOf(eventsWith(range(0, SEGMENT + 3)));
    log.erase(range(SEGMENT, SEGMENT + 3));
    const order = orderOf(log);
    await indexUpTo(order, SEGMENT + 3, countingPacer());
    expect(
      rowsOf(order)
        .flat()
        .sort((a, b) => a - b),
    ).toEqual(range(0, SEGMENT + 3));
  });

  it('frees a segment that is erased as a whole, and reads nothing of it', async () => {
    const log = countingLog(eventsWith(range(0, 4 * SEGMENT)));
    const order = orderOf(log);
    await indexUpTo(order, 2 * SEGMENT, countingPacer());
    const before = order.entry.bytes;
    log.erase(range(0, SEGMENT));
    order.settle();
    expect(before - order.entry.bytes).toBe(SEGMENT * 10);
    log.erase(range(2 * SEGMENT, 3 * SEGMENT));
    log.rowsRead = 0;
    await indexUpTo(order, 4 * SEGMENT, countingPacer());
    expect(log.rowsRead).toBe(SEGMENT);
    expect(rowsOf(order)).toEqual([[], range(8, 16), [], range(24, 32)]);
  });

  it('a new process loads chunks that have no instant of an erased row', async () => {
    const secret = 1_234_567_890_123;
    const events = eventsWith(range(0, 3 * SEGMENT)).map((event, row) =>
      row % 5 === 0 ? { ...event, eventTs: secret + row } : event,
    );
    const isLeft = (row: number) => row % 5 !== 0 && row >= SEGMENT;
    const chunks = mapChunkStore();
    const log = countingLog(events, chunks);
    const order = orderOf(log);
    await indexUpTo(order, log.size(), countingPacer());
    log.erase(range(0, log.size()).filter((row) => !isLeft(row)));
    order.settle();
    expect(await order.save(countingPacer(), true)).toBe(true);
    expect(chunks.kept.get('eventTs 0')!.codes).toHaveLength(0);
    for (const segment of [1, 2]) {
      const { codes } = chunks.kept.get(`eventTs ${segment}`)!;
      const stored = new Float64Array(codes.slice().buffer, 0, SEGMENT);
      expect([...stored].filter((instant) => instant >= secret)).toEqual([]);
    }
    log.rowsRead = 0;
    const loaded = orderOf(log);
    await indexUpTo(loaded, log.size(), countingPacer());
    expect(log.rowsRead).toBe(0);
    const left = (each: readonly number[][]) => each.map((own) => own.filter(isLeft));
    expect(left(rowsOf(loaded))).toEqual(left(rowsOf(order)));
  });

  it('has chunks that any process can load, whatever it knew before the erasure', async () => {
    const events = eventsAt([5, 4, 3, 2, 1, 0, 6, 7, ...range(0, 8)]);
    const stored = async (indexedBefore: number) => {
      const chunks = mapChunkStore();
      const log = countingLog(events, chunks);
      const order = orderOf(log);
      await indexUpTo(order, indexedBefore, countingPacer());
      log.erase([2, 9]);
      await indexUpTo(order, log.size(), countingPacer());
      chunks.kept.clear();
      await order.save(countingPacer(), true);
      return { log, chunks, order };
    };
    const [one, other] = [await stored(16), await stored(0)];
    // The instants of erased rows are not stored, so both have the same chunks.
    expect(one.chunks.kept).toEqual(other.chunks.kept);
    const log = countingLog(events, other.chunks);
    log.erase([2, 9]);
    const loaded = orderOf(log);
    await indexUpTo(loaded, 16, countingPacer());
    expect(log.rowsRead).toBe(0);
  });
});

describe('id hashes of a log of which rows are erased', () => {
  it('give back what they took, and no more, where memory runs out after an erasure', async () => {
    const log = logOf(eventsWith(range(0, 2 * SEGMENT)));
    const entry = roomyKept();
    let isFull = false;
    const kept = { ...entry, reserve: (bytes: number) => !isFull && entry.reserve(bytes) };
    const ids = createIdHashes(log, HASH, kept);
    await indexUpTo(ids, 2 * SEGMENT, countingPacer());
    log.erase(range(0, SEGMENT));
    ids.settle();
    expect(entry.bytes).toBe(SEGMENT * 4);
    isFull = true;
    log.append(eventsWith(['more'], 2 * SEGMENT));
    ids.indexStep(log.size());
    expect([ids.disabled, entry.bytes]).toEqual([true, 0]);
  });

  it('find each row that is left by its id, and free what is gone', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const events = eventsWith(range(0, ROWS)).map((event, row) => ({
          ...event,
          insertId: `id-${row % 9}`,
        }));
        const log = logOf(events);
        const entry = roomyKept();
        const ids = createIdHashes(log, HASH, entry);
        let done = 0;
        for (const step of todo) {
          if (step.do === 'add')
            await indexUpTo(ids, (done = Math.min(ROWS, done + step.rows)), countingPacer());
          if (step.do === 'erase') log.erase([...new Set(step.rows)]);
          if (step.do === 'erase segment')
            log.erase(range(step.segment * SEGMENT, (step.segment + 1) * SEGMENT));
          if (step.do === 'settle') ids.settle();
        }
        await indexUpTo(ids, ROWS, countingPacer());
        ids.settle();
        const erased = log.erased();
        for (const id of range(0, 9)) {
          const sought = ids.seek([`id-${id}`]);
          const found = ids.find(sought, 0, ROWS, ROWS).filter((row) => !isErased(erased, row));
          const rows = range(0, ROWS).filter((row) => row % 9 === id && !isErased(erased, row));
          expect(found).toEqual(rows);
          expect(ids.find(sought, 5, 30, 1).length).toBeLessThanOrEqual(1);
        }
        const left = range(0, ROWS / SEGMENT).filter((segment) => !isGone(erased, segment)).length;
        expect(entry.bytes).toBe(left * SEGMENT * 4);
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
