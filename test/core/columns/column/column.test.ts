import { describe, expect, it } from 'vitest';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import {
  codesOf,
  columnOf,
  countingLog,
  countingPacer,
  eventsWith,
  logOf,
  mapChunkStore,
  propertyPath,
  valuesOf,
} from '../fixtures.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

const PATH = propertyPath('p');
const manyValues = (count: number, distinct: number) => Array.from({ length: count }, (_, i) => i % distinct);

describe('a column', () => {
  it.each([
    [255, Uint8Array],
    [256, Uint16Array],
    [65_535, Uint16Array],
    [65_536, Uint32Array],
  ])('of %i distinct values is as wide as their codes need', async (distinct, kind) => {
    const log = logOf(eventsWith(manyValues(distinct, distinct)));
    const column = columnOf(log, PATH);
    await indexUpTo(column, distinct, countingPacer());
    expect(column.codes.at(-1)).toBeInstanceOf(kind);
    // A segment is no wider than the values that there were when it was read.
    expect(column.codes[0]!.BYTES_PER_ELEMENT).toBe(distinct < 256 ? 1 : 2);
    expect(valuesOf(column, distinct)).toEqual(manyValues(distinct, distinct));
  });

  it('reads only the rows that are new', async () => {
    const log = countingLog(eventsWith(manyValues(1000, 10)));
    const column = columnOf(log, PATH);
    await indexUpTo(column, 1000, countingPacer());
    log.append(eventsWith(['new'], 1000));
    column.indexStep(log.size());
    expect(log.rowsRead).toBe(1001);
    expect(valuesOf(column, 1001).at(-1)).toBe('new');
  });

  it('is read once when several queries ask for it at the same time, with pauses', async () => {
    const log = countingLog(eventsWith(manyValues(50_000, 10)));
    const column = columnOf(log, PATH);
    const pacer = countingPacer();
    await Promise.all(Array.from({ length: 5 }, () => indexUpTo(column, 50_000, pacer)));
    expect(log.rowsRead).toBe(50_000);
    expect(pacer.pauses).toBeGreaterThan(0);
  });

  it.each([
    ['distinct values', { distinctMax: 500, bytesMax: 1e9 }],
    ['bytes', { distinctMax: 1e6, bytesMax: 40_000 }],
  ])('is disabled when it has too many %s', async (_, limits) => {
    const chunks = mapChunkStore();
    const log = countingLog(eventsWith(manyValues(40_000, 2000)), chunks);
    const column = columnOf(log, PATH, limits);
    await indexUpTo(column, 40_000, countingPacer());
    expect(column.disabled).toBe('too large');
    expect(column.entry.bytes).toBe(0);
    await column.save(countingPacer());
    expect(chunks.kept.size).toBe(0);
  });
});

it('gives back what it has outgrown: a column that is disabled after growing has nothing booked', () => {
  const log = logOf([]);
  const column = columnOf(log, PATH, { distinctMax: 2500, bytesMax: 1e9 });
  for (let size = 100; size <= 2400; size += 100) {
    log.append(eventsWith(manyValues(size, size).slice(-100), size - 100));
    column.indexStep(size);
  }
  expect([column.indexedRows, column.disabled]).toEqual([2400, undefined]);
  log.append(eventsWith(manyValues(3000, 3000).slice(2400), 2400));
  column.indexStep(3000);
  expect([column.disabled, column.entry.bytes]).toEqual(['too large', 0]);
});

describe('the chunks of a column', () => {
  const values = [
    ...manyValues(SEGMENT_ROWS, 300),
    ...manyValues(SEGMENT_ROWS, 400),
    'tail',
    ['a'],
    { a: 1 },
    null,
  ];

  async function keep(kept = values) {
    const chunks = mapChunkStore();
    const log = countingLog(eventsWith(kept), chunks);
    const column = columnOf(log, PATH);
    await indexUpTo(column, kept.length, countingPacer());
    await column.save(countingPacer());
    return { log, chunks, column };
  }

  async function loadStep({ log }: Awaited<ReturnType<typeof keep>>) {
    log.rowsRead = 0;
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    return column;
  }

  it('spare a new process all rows but those of the last, unfinished one', async () => {
    const kept = await keep();
    const column = await loadStep(kept);
    expect(kept.chunks.kept.size).toBe(2);
    expect(kept.log.rowsRead).toBe(4);
    expect(column.dictionary.values).toEqual(kept.column.dictionary.values);
    expect(codesOf(column, values.length)).toEqual(codesOf(kept.column, values.length));
  });

  it.each([
    ['a byte of codes', (saved: { codes: Uint8Array }) => (saved.codes[77]! ^= 1)],
    ['a value', (saved: { entries: string }) => (saved.entries = saved.entries.replace('299', '298'))],
    ['the checksum', (saved: { checksum: number }) => (saved.checksum += 1)],
    ['the length', (saved: { codes: Uint8Array }) => (saved.codes = saved.codes.slice(0, 100))],
  ])('are read again from the log when %s is damaged, and stored anew', async (_, damage) => {
    const kept = await keep();
    damage(kept.chunks.kept.get('properties.p 0') as never);
    const column = await loadStep(kept);
    expect(kept.log.rowsRead).toBe(values.length);
    expect(column.dictionary.values).toEqual(kept.column.dictionary.values);
    await column.save(countingPacer());
    await loadStep(kept);
    expect(kept.log.rowsRead).toBe(4);
  });

  it('are not trusted in another place: another segment, path or log', async () => {
    const kept = await keep(manyValues(SEGMENT_ROWS * 2, 10));
    const first = kept.chunks.kept.get('properties.p 0')!;
    kept.chunks.kept.set('properties.p 1', first);
    kept.chunks.kept.set('properties.q 0', first);
    await loadStep(kept);
    expect(kept.log.rowsRead).toBe(SEGMENT_ROWS);
    const other = columnOf(kept.log, propertyPath('q'));
    await indexUpTo(other, SEGMENT_ROWS, countingPacer());
    expect(other.dictionary.values).toEqual([undefined]);
  });

  it('are stale when the rows are not those that they were made from', async () => {
    const kept = await keep(manyValues(SEGMENT_ROWS, 10));
    const moved = eventsWith(manyValues(SEGMENT_ROWS, 20)).map((event) => ({
      ...event,
      insertId: `x${event.insertId}`,
    }));
    const column = await loadStep({ ...kept, log: countingLog(moved, kept.chunks) });
    expect(column.dictionary.values).toHaveLength(21);
  });

  it('are offered again after a refusal only when there are more rows', async () => {
    const { log, chunks } = await keep(manyValues(SEGMENT_ROWS - 1, 10));
    let offered = 0;
    chunks.save = () => ((offered += 1), false);
    log.append(eventsWith(manyValues(2, 1), SEGMENT_ROWS));
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    await column.save(countingPacer());
    await column.save(countingPacer());
    expect(offered).toBe(1);
    log.append(eventsWith(['more'], SEGMENT_ROWS + 9));
    column.indexStep(log.size());
    await column.save(countingPacer());
    expect(offered).toBe(2);
  });

  it('are not stored for a path that no event has', async () => {
    const { chunks } = await keep(Array.from({ length: SEGMENT_ROWS }, () => null));
    expect(chunks.kept.size).toBe(0);
  });
});
