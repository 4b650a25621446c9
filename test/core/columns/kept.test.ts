import { describe, expect, it } from 'vitest';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { indexUpTo } from '../../../src/core/columns/log/index-up-to.ts';
import type { MemoryBudget } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import {
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type ChunkStore,
  type EventLog,
} from '../../../src/store-kit.ts';
import {
  codesOf,
  columnOf,
  countingPacer,
  eventsWith,
  logOf,
  mapChunkStore,
  nodeScheduler,
  orderOf,
  propertyPath,
  roomyKept,
  rowsOf,
  SEED,
} from './fixtures.ts';
import { SEGMENT_ROWS } from '../../../src/core/columns/log/sizes.ts';

const PATH = propertyPath('p');
const values = (count: number, distinct: number) => Array.from({ length: count }, (_, i) => i % distinct);

/** Chunks in a Map, with a note of each that is saved; refused where `refuse` says so. */
function notingChunks(refuse = () => false): ReturnType<typeof mapChunkStore> & { readonly saved: string[] } {
  const chunks = mapChunkStore();
  const saved: string[] = [];
  const save: ChunkStore['save'] = (path, chunk, content) => {
    saved.push(`${path} ${chunk}`);
    return !refuse() && chunks.save(path, chunk, content);
  };
  return { ...chunks, saved, save };
}

function questionsOver(log: EventLog, memory: MemoryBudget = createMemoryBudget({ bytesMax: 1e9 })) {
  return createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED });
}

const filter = (comparison: string, value: unknown, property = 'properties.p') =>
  parseCountBody({ filterSet: [{ property, comparison, value }] });

describe('the stored chunks of a column', () => {
  it('are not written again by a process that has read them', async () => {
    const chunks = notingChunks();
    const log = { ...logOf(eventsWith(values(SEGMENT_ROWS * 2, 7))), chunks };
    for (let process = 0; process < 2; process++) {
      const column = columnOf(log, PATH);
      await indexUpTo(column, log.size(), countingPacer());
      await column.save(countingPacer());
    }
    expect(chunks.saved).toEqual(['properties.p 0', 'properties.p 1']);
  });

  it('are removed when the column is too large for any, and stay when memory is short', async () => {
    const chunks = notingChunks();
    const log = { ...logOf(eventsWith(values(SEGMENT_ROWS, 2000))), chunks };
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    await column.save(countingPacer());
    const poor = createMemoryBudget({ bytesMax: 50_000 }).cacheEntry('tenant', () => undefined);
    const unbooked = columnOf(log, PATH, undefined, poor);
    await indexUpTo(unbooked, log.size(), countingPacer());
    expect([unbooked.disabled, poor.bytes, chunks.kept.size]).toEqual(['no memory', 0, 1]);
    const small = columnOf(log, PATH, { distinctMax: 500, bytesMax: 1e9 });
    await indexUpTo(small, log.size(), countingPacer());
    expect([small.disabled, chunks.kept.size]).toEqual(['too large', 0]);
  });

  it.each([
    [255, 1],
    [256, 2],
  ])('with a largest code of %i take %i bytes a row', async (largest, width) => {
    const chunks = notingChunks();
    const log = { ...logOf(eventsWith(values(SEGMENT_ROWS, largest))), chunks };
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    await column.save(countingPacer());
    expect(chunks.kept.get('properties.p 0')!.codes).toHaveLength(SEGMENT_ROWS * width);
    const restored = columnOf(log, PATH);
    await indexUpTo(restored, log.size(), countingPacer());
    expect(codesOf(restored, SEGMENT_ROWS)).toEqual(codesOf(column, SEGMENT_ROWS));
  });

  it('of another log are not trusted', async () => {
    const chunks = notingChunks();
    const log = { ...logOf(eventsWith(values(SEGMENT_ROWS, 7))), chunks };
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    await column.save(countingPacer());
    const other = { ...logOf(eventsWith(values(SEGMENT_ROWS, 9))), chunks, id: 2 };
    const found = columnOf(other, PATH);
    await indexUpTo(found, other.size(), countingPacer());
    expect(found.dictionary.values).toHaveLength(10);
  });
});

describe('the stored chunks of the order', () => {
  it('are offered again after a refusal only when there are more rows', async () => {
    const chunks = notingChunks(() => true);
    const log = logOf(eventsWith(values(SEGMENT_ROWS, 7)), () => ({ chunks }));
    const order = orderOf(log);
    await indexUpTo(order, log.size(), countingPacer());
    for (let i = 0; i < 2; i++) await order.save(countingPacer());
    expect(chunks.saved).toEqual(['eventTs 0']);
    log.append(eventsWith(['more'], SEGMENT_ROWS));
    order.indexStep(log.size());
    await order.save(countingPacer());
    expect(chunks.saved).toEqual(['eventTs 0', 'eventTs 0']);
  });
});

describe('a question', () => {
  it.each([
    ['a test of a property', filter('EQUALS', 3), ['properties.p 0']],
    ['a test of a field', filter('EQUALS', 'user-1', 'userId'), ['userId 0']],
    ['a range of time', parseCountBody({ after: '1970-01-01', before: '1970-01-02' }), ['eventTs 0']],
  ])('stores the whole segments that it has indexed, for %s', async (_, query, saved) => {
    const chunks = notingChunks();
    const index = questionsOver({ ...logOf(eventsWith(values(SEGMENT_ROWS + 1, 7))), chunks });
    for (let i = 0; i < 2; i++) await index.count('t', query);
    expect(chunks.saved).toEqual(saved);
  });

  it('stores the whole segments of a path that it groups by', async () => {
    const chunks = notingChunks();
    const index = questionsOver({ ...logOf(eventsWith(values(SEGMENT_ROWS + 1, 7))), chunks });
    const { query, grouping } = parseBreakdownBody({ by: 'properties.p' });
    for (let i = 0; i < 2; i++) await index.breakdown('t', query, grouping);
    expect(chunks.saved).toEqual(['properties.p 0']);
  });

  it('is about the rows that were there when it began, also while they become more', async () => {
    const source = logOf(eventsWith(values(20_000, 4)));
    let added = 20_000;
    const growing: EventLog = {
      ...source,
      values: (paths, from, to) => {
        // A fast import: rows come in at each step.
        source.append(eventsWith(new Array(50).fill(3), added));
        added += 50;
        return source.values(paths, from, to);
      },
    };
    const index = questionsOver(growing);
    expect(await index.count('t', filter('EQUALS', 3))).toBe(5000);
    expect(added).toBeGreaterThan(20_000);
  });

  it('leaves nothing in use: all of its memory can be taken for something else', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e8, ownerShare: 1 });
    const index = questionsOver(logOf(eventsWith(values(3000, 50))), memory);
    const body = parseCountBody({
      after: '1970-01-01',
      filterSet: [
        { property: 'properties.p', comparison: 'EQUALS', value: 3 },
        { property: 'properties.p', comparison: 'GREATER_THAN', value: 1 },
        { property: 'insertId', comparison: 'NOT_EQUALS', value: 'id-1' },
      ],
    });
    for (let i = 0; i < 3; i++) await index.query('t', body, { offset: 0, size: 10 });
    expect(memory.bytes).toBeGreaterThan(0);
    expect(memory.reservation('t').reserve(1e8)).toBe(true);
  });

  it('takes no more memory when it is asked again', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e8, ownerShare: 1 });
    const index = questionsOver(logOf(eventsWith(values(3000, 50))), memory);
    const bytes: number[] = [];
    for (let i = 0; i < 3; i++) {
      expect(await index.count('t', filter('GREATER_THAN', 24))).toBe(1500);
      bytes.push(memory.bytes);
    }
    expect(bytes).toEqual([bytes[0], bytes[0], bytes[0]]);
  });

  it('is refused where there is no memory for it, and costs none then', async () => {
    const memory = createMemoryBudget({ bytesMax: 10_000 });
    const index = questionsOver(logOf(eventsWith(values(3000, 50))), memory);
    await expect(index.query('t', filter('EQUALS', 3), { offset: 0, size: 10 })).rejects.toMatchObject({
      status: 503,
    });
    expect(memory.reservation('other').reserve(5000)).toBe(true);
  });

  it('reads the log where no column may take so much of the memory', async () => {
    const memory = createMemoryBudget({ bytesMax: 400_000, ownerShare: 1 });
    const texts = Array.from({ length: 2000 }, (_, i) => `value ${i}`);
    const index = questionsOver(logOf(eventsWith(texts)), memory);
    expect(await index.count('t', filter('ENDS_WITH', '9'))).toBe(200);
    expect(memory.bytes).toBeLessThan(24_000);
  });

  it('finds nothing in a range that ends before it begins', async () => {
    const index = questionsOver(logOf(eventsWith(values(3000, 4))));
    const query = { ...parseCountBody({}), from: 2_000_000, until: 1_000_000 };
    expect(await index.count('t', query)).toBe(0);
    expect(await index.query('t', query, { offset: 0, size: 10 })).toMatchObject({ length: 0 });
  });

  it('ends when no question waits for it any more', async () => {
    const log = logOf(eventsWith(values(60_000, 4)));
    const signal = { aborted: false };
    const index = questionsOver(log);
    const answer = index.count('t', filter('EQUALS', 3), signal);
    signal.aborted = true;
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('finds that rows are missing: an erased log is not read as if it were whole', () => {
    const source = logOf(eventsWith(values(3000, 4)));
    const column = columnOf({ ...source, values: () => [[]] }, PATH, undefined, roomyKept());
    expect(() => column.indexStep(100)).toThrow(expect.objectContaining({ name: 'LogGoneError' }));
    const swept = columnOf({ ...source, size: () => 50 }, PATH);
    expect(() => swept.indexStep(100)).toThrow(expect.objectContaining({ name: 'LogGoneError' }));
  });
});

it('numbers that collide in V8 are told apart as fast as others', async () => {
  const { collidingNumbers } = await import('../../attack/live/colliding-numbers.ts');
  const count = async (numbers: readonly number[]) => {
    const index = questionsOver(logOf(eventsWith(numbers)));
    expect(await index.count('t', filter('GREATER_THAN_OR_EQUALS', -1e300))).toBe(65_536);
  };
  const others = await cpuMsOf(() => count(Array.from({ length: 65_536 }, (_, i) => i + 0.5)));
  // In a Map they take more than thirty times as long.
  expect(await cpuMsOf(() => count(collidingNumbers(65_536)))).toBeLessThan(8 * others + 500);
});

it('events of one instant are ordered with ids that are read together', async () => {
  const events = eventsWith(values(20_000, 4)).map((event, i) => ({
    ...event,
    eventTs: 5,
    insertId: `id-${String((i * 7919) % 20_011).padStart(6, '0')}`,
  }));
  let looks = 0;
  const log = logOf(events, (view) => ({ insertIdAt: (row) => ((looks += 1), view.insertIdAt(row)) }));
  const order = orderOf(log);
  await indexUpTo(order, 20_000, countingPacer());
  const ids = rowsOf(order)
    .flat()
    .map((row) => events[row]!.insertId);
  expect(ids).toEqual([...ids].sort());
  expect(looks).toBe(0);
});
