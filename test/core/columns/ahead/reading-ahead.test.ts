import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { indexAhead, readAhead } from '../../../../src/core/columns/ahead/reading-ahead.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { indexColumns, type ReadRows } from '../../../../src/core/columns/column/index-columns.ts';
import { LogGoneError, type EventLog, type FoundValue } from '../../../../src/store-kit.ts';
import { reader, readElsewhere } from './elsewhere.ts';
import { casesOf } from '../../../support/cases.ts';
import {
  codesOf,
  columnOf,
  countingPacer,
  eventsOf,
  eventsWith,
  indexedAlone,
  logOf,
  mapChunkStore,
  orderOf,
  propertyPath,
  rowsOf,
} from '../fixtures.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

/** What a path finds with codes, where the log is read list by list. */
function toCodedRows(lists: readonly (readonly FoundValue[])[]) {
  const left = [...lists];
  const log = { ...logOf([]), values: () => [left.shift()!] };
  return reader.values(log, [propertyPath('p')], 0, lists.flat().length)[0]!;
}

const valueOf = (n: number) => [n, String(n), null, n > 4, [n % 2], { n }, `long ${n}`.repeat(20)][n % 7];

describe('rows with codes', () => {
  it('are the rows, each value once, over as many lists as there are', () => {
    const value = fc.oneof(
      fc.constantFrom<FoundValue>(undefined, null, 0, 1, '1', true, false, '', 'é', ['1', 1], {}),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 1 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (lists) => {
          const { values, codes } = toCodedRows(lists);
          const found = Array.from(codes, (code) => values[code]);
          expect(found).toEqual(lists.flat().map((each) => each ?? undefined));
          expect(new Set(values.map((each) => JSON.stringify(each))).size).toBe(values.length);
        },
      ),
      { numRuns: casesOf(300) },
    );
  });

  it('come of a few readings of the log, which may be large ones', () => {
    const log = logOf(eventsWith(Array.from({ length: 100 }, (_, i) => i)));
    const values: EventLog['values'] = (paths, from, to) => log.values(paths, from, Math.min(to, from + 7));
    const [found] = reader.values({ ...log, values }, [propertyPath('p')], 10, 100);
    expect(found!.values.slice(1)).toEqual(Array.from({ length: 28 }, (_, i) => 10 + i));
  });

  it.each([255, 256, 65_535, 65_536])('have codes as wide as %i values need', (count) => {
    const many = Array.from({ length: count }, (_, i) => i);
    expect(Array.from(toCodedRows([many]).codes)).toEqual(many.map((i) => i + 1));
  });

  it('have codes as narrow as they may', () => {
    const many = Array.from({ length: 300 }, (_, i) => i);
    expect(toCodedRows([many.slice(0, 255)]).codes).toBeInstanceOf(Uint8Array);
    expect(toCodedRows([many.slice(0, 150), many]).codes).toEqual(
      Uint16Array.from([...many.slice(0, 150), ...many], (i) => i + 1),
    );
  });
});

describe('columns that are read ahead', () => {
  it('are those that are indexed alone, wherever each began and however many rows come at once', async () => {
    const keys = ['a', 'b', 'c'];
    const size = SEGMENT_ROWS + 700;
    const own = logOf(eventsOf(keys, size, valueOf, 17));
    const { cases, chunksOf, begun, expectSame } = await indexedAlone(own, keys, size);
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 400, max: 40_000 }), async ({ begins, kept }, atOnce) => {
        const chunks = chunksOf(kept);
        const { log } = readElsewhere({ ...own, chunks }, (from) => atOnce + (from % 300));
        const columns = await begun(log, begins);
        await indexColumns(log, columns, size, countingPacer(), readAhead(log, size));
        expectSame(columns);
      }),
      { numRuns: casesOf(8) },
    );
  });

  it('are read while the previous rows are indexed, each row once', async () => {
    const { log, asked } = readElsewhere(logOf(eventsOf(['a', 'b'], 1000, valueOf, 17)), () => 300);
    const columns = ['a', 'b'].map((key) => columnOf(log, propertyPath(key)));
    const indexedRows: number[] = [];
    const own = countingPacer();
    const pacer = {
      now: () => 0,
      yieldIfDue() {
        indexedRows.push(asked.length, columns[1]!.indexedRows);
        return own.yieldIfDue();
      },
    };
    await indexColumns(log, columns, 1000, pacer, readAhead(log, 1000));
    expect(asked.map(([paths, from]) => [paths.length, from])).toEqual(
      [0, 300, 600, 900].map((from) => [2, from]),
    );
    // When the first column has its first rows the next are asked for already.
    expect(indexedRows.slice(0, 2)).toEqual([2, 0]);
  });

  it.each([
    [['b'], 3],
    [['b', 'c'], 3],
    [['a', 'b', 'c'], 100],
  ])(
    'are read anew where others went on with %s, and one may have %i values',
    async (others, distinctMax) => {
      const keys = ['a', 'b', 'c'];
      const { log } = readElsewhere(logOf(eventsOf(keys, 1000, valueOf, 17)), () => 300);
      const columns = keys.map((key) =>
        columnOf(log, propertyPath(key), { distinctMax: key === 'a' ? distinctMax : 100, bytesMax: 1e9 }),
      );
      const own = countingPacer();
      const pacer = {
        now: () => 0,
        yieldIfDue: async () => {
          await own.yieldIfDue();
          // Each of the three has its first rows, or was disabled, and the next are being read.
          if (own.pauses !== 3) return;
          for (const key of others) await indexUpTo(columns[keys.indexOf(key)]!, 450, countingPacer());
        },
      };
      await indexColumns(log, columns, 1000, pacer, readAhead(log, 1000));
      expect(columns[0]!.disabled).toBe(distinctMax === 3 ? 'too large' : undefined);
      for (const key of keys.slice(distinctMax === 3 ? 1 : 0)) {
        const column = columns[keys.indexOf(key)]!;
        const alone = columnOf(log, propertyPath(key));
        await indexUpTo(alone, 1000, countingPacer());
        expect([column.indexedRows, column.dictionary.values]).toEqual([1000, alone.dictionary.values]);
        expect(codesOf(column, 1000)).toEqual(codesOf(alone, 1000));
      }
    },
  );

  it.each([['a'], ['b']])(
    'are their own where another goes on with %s while they are read',
    async (other) => {
      const keys = ['a', 'b', 'c'];
      const log = logOf(eventsOf(keys, 1000, valueOf, 17));
      const columns = keys.map((key) => columnOf(log, propertyPath(key)));
      const read: ReadRows = async (paths, from, to) => {
        const lists = log.values(paths, from, Math.min(to, from + 300));
        if (from === 300) await indexUpTo(columns[keys.indexOf(other)]!, 450, countingPacer());
        return lists.map((values) => ({ values }));
      };
      await indexColumns(log, columns, 1000, countingPacer(), read);
      for (const [i, key] of keys.entries()) {
        const alone = columnOf(log, propertyPath(key));
        await indexUpTo(alone, 1000, countingPacer());
        expect(columns[i]!.dictionary.values).toEqual(alone.dictionary.values);
        expect(codesOf(columns[i]!, 1000)).toEqual(codesOf(alone, 1000));
      }
    },
  );

  it('take no memory when they were disabled while they were read', async () => {
    const values = Array.from({ length: 1000 }, (_, i) => Math.max(0, i - 299));
    const { log: own } = readElsewhere(logOf(eventsWith(values)), () => 300);
    const valuesAhead: typeof own.valuesAhead = async (paths, from, to) => {
      const found = await own.valuesAhead(paths, from, to);
      if (from === 300) await indexColumns(own, [column], 1000, countingPacer());
      return found;
    };
    const log = { ...own, valuesAhead };
    const column = columnOf(log, propertyPath('p'), { distinctMax: 50, bytesMax: 1e9 });
    await indexColumns(log, [column], 1000, countingPacer(), readAhead(log, 1000));
    expect([column.disabled, column.entry.bytes]).toEqual(['too large', 0]);
  });

  it('are of no log that was erased meanwhile', async () => {
    const memory = logOf(eventsOf(['a'], 1000, valueOf, 17));
    const { log } = readElsewhere(memory, () => 300);
    const sizes = [1000, 1000, 200];
    const erased = { ...log, size: () => sizes.shift() ?? 200 };
    const columns = [columnOf(erased, propertyPath('a'))];
    await expect(
      indexColumns(erased, columns, 1000, countingPacer(), readAhead(erased, 1000)),
    ).rejects.toThrow(LogGoneError);
    const empty = { ...log, valuesAhead: () => Promise.resolve([toCodedRows([[]])]) };
    const read = readAhead(empty, 1000)!;
    await expect(read([propertyPath('a')], 0, 1000)).rejects.toThrow(LogGoneError);
  });

  it('tell the caller that waits for them what failed, and no other', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { log } = readElsewhere(logOf(eventsOf(['a'], 1000, valueOf, 17)), () => 300);
    const failing: EventLog = {
      ...log,
      valuesAhead: async (paths, from, to) => {
        if (from > 0) throw new Error('The thread has ended.');
        return log.valuesAhead(paths, from, to);
      },
    };
    const paths = [propertyPath('a')];
    const read = readAhead(failing, 1000)!;
    expect((await read(paths, 0, 1000))[0]!.codes).toHaveLength(300);
    // No request asks for the rows after them.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).not.toHaveBeenCalled();
    await expect(read(paths, 300, 1000)).rejects.toThrow('The thread has ended.');
    process.off('unhandledRejection', unhandled);
    expect(readAhead(logOf([]), 0)).toBeUndefined();
  });
});

describe('an order that is read ahead', () => {
  const SIZE = 2 * SEGMENT_ROWS + 900;
  const memory = logOf(
    eventsWith(new Array<number>(SIZE).fill(0)).map((event, i) => ({
      ...event,
      eventTs: (i * 7919) % 20_011,
      insertId: `id ${(i * 31) % SIZE} ${i}`,
    })),
  );
  const wholeOrder = async () => {
    const whole = orderOf({ ...memory, chunks: all });
    await indexUpTo(whole, SIZE, countingPacer());
    await whole.save(countingPacer());
    return rowsOf(whole);
  };
  const all = mapChunkStore();
  const sorted = wholeOrder();

  /** The log as another thread reads it: what is done meanwhile, and how much was read. */
  function sortElsewhere(kept: readonly number[], meanwhile: (row: number) => Promise<unknown> | undefined) {
    const chunks = mapChunkStore();
    for (const chunk of kept) chunks.kept.set(`eventTs ${chunk}`, all.kept.get(`eventTs ${chunk}`)!);
    const read: number[] = [];
    const sortedAhead = async (from: number, to: number) => {
      read.push(from);
      await meanwhile(from);
      return structuredClone(reader.sorted(memory, from, to));
    };
    return { read, log: { ...memory, chunks, sortedAhead } };
  }

  it('is that of the rows, wherever it began, and whatever chunks were stored', async () => {
    const place = fc.integer({ min: 0, max: SIZE });
    const ahead = fc.array(place, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(place, fc.subarray([0, 1]), ahead, async (begin, kept, others) => {
        const left = [...others];
        const { log } = sortElsewhere(kept, () => indexUpTo(order, left.shift() ?? 0, countingPacer()));
        const order = orderOf(log);
        await indexUpTo(order, begin, countingPacer());
        await indexAhead(log, order, SIZE, countingPacer());
        expect(rowsOf(order)).toEqual(await sorted);
      }),
      { numRuns: casesOf(12) },
    );
  });

  it.each([0, 500, SEGMENT_ROWS - 1, SEGMENT_ROWS, SEGMENT_ROWS + 1, 2 * SEGMENT_ROWS, SIZE - 1])(
    'gives a question about the first %i rows exactly these',
    async (size) => {
      const { log } = sortElsewhere([], () => undefined);
      const order = orderOf(log);
      await indexAhead(log, order, SIZE, countingPacer());
      const { segments } = order.snapshotAt(size);
      const found = segments.map((own) => Array.from(own!.local, (local) => own!.first + local));
      const expected = (await sorted).map((own) => own.filter((row) => row < size));
      expect(found).toEqual(expected.filter((own) => own.length > 0));
    },
  );

  it('takes no rows twice, and loads the stored chunk that follows a segment it has loaded', async () => {
    await sorted;
    const { log } = sortElsewhere([0, 1], () => undefined);
    const order = orderOf(log);
    expect([order.loadStep(), order.indexedRows]).toEqual([true, SEGMENT_ROWS]);
    order.addRows(reader.sorted(memory, 0, SEGMENT_ROWS));
    expect(order.indexedRows).toBe(SEGMENT_ROWS);
    expect([order.loadStep(), order.indexedRows]).toEqual([true, 2 * SEGMENT_ROWS]);
    await indexUpTo(order, SIZE, countingPacer());
    expect(rowsOf(order)).toEqual(await sorted);
  });

  it('is sorted from where others have left it', async () => {
    const others = 2 * SEGMENT_ROWS + 10;
    const { log, read } = sortElsewhere([], (row) => {
      while (row === SEGMENT_ROWS && order.indexedRows < others) order.indexStep(others);
      return undefined;
    });
    const order = orderOf(log);
    await indexAhead(log, order, SIZE, countingPacer());
    expect(read).toEqual([0, SEGMENT_ROWS, 2 * SEGMENT_ROWS, others]);
    expect(rowsOf(order)).toEqual(await sorted);
  });

  it('reads what is kept from there, and keeps what was read', async () => {
    const { log, read } = sortElsewhere([0], () => undefined);
    const order = orderOf(log);
    const before: (readonly [reads: number, indexedRows: number])[] = [];
    const own = countingPacer();
    const pause = () => {
      before.push([read.length, order.indexedRows]);
      return own.yieldIfDue();
    };
    await indexAhead(log, order, SIZE, { now: () => 0, yieldIfDue: pause });
    expect(read).toEqual([SEGMENT_ROWS, 2 * SEGMENT_ROWS]);
    // When a chunk is added the next is asked for already.
    expect(before).toEqual([
      [0, SEGMENT_ROWS],
      [2, 2 * SEGMENT_ROWS],
      [2, SIZE],
    ]);
    await order.save(countingPacer());
    expect(log.chunks.kept).toEqual(all.kept);
  });

  it('is none of a log that was erased meanwhile', async () => {
    const { log } = sortElsewhere([], () => undefined);
    const erased = { ...log, size: () => 5 };
    await expect(indexAhead(erased, orderOf(log), SIZE, countingPacer())).rejects.toThrow(LogGoneError);
  });
});
