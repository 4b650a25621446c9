import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOccurrences } from '../../../../src/core/columns/column/occurrences.ts';
import { isErased, isGone } from '../../../../src/core/columns/log/erased-rows.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import type { Codes } from '../../../../src/core/columns/log/log.ts';
import type { StoredEvent } from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import {
  columnOf,
  countingLog,
  countingPacer,
  eventsWith,
  logOf,
  mapChunkStore,
  propertyPath,
  range,
  roomyKept,
  valuesOf,
  stepsWith,
} from '../fixtures.ts';

/** Segments have eight rows here. */
const SEGMENT = 8;
const PATH = propertyPath('p');
const SECRET = 'do-not-find-me';

const steps = stepsWith(fc.record({ do: fc.constant('settle' as const), pauses: fc.nat(6) }));

describe('how many rows have each code', () => {
  it('is what a recount says, whatever is added and erased while an erasure is settled', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(4), { minLength: 40, maxLength: 40 }), async (todo, codes) => {
        const log = logOf(eventsWith(range(0, 40)));
        const occurrences = createOccurrences(log);
        occurrences.grow(5);
        let indexedRows = 0;
        const counted = (): { codes: Codes[]; indexedRows: number } => ({
          codes: range(0, 5).map((segment) =>
            Uint8Array.from({ length: SEGMENT }, (_, local) =>
              segment * SEGMENT + local < indexedRows ? codes[segment * SEGMENT + local]! : 0,
            ),
          ),
          indexedRows,
        });
        const settling: Promise<unknown>[] = [];
        for (const step of todo) {
          if (step.do === 'add')
            for (let left = Math.min(step.rows, 40 - indexedRows); left > 0;) {
              const own = Math.min(left, SEGMENT - (indexedRows % SEGMENT));
              occurrences.add(Uint8Array.from(codes.slice(indexedRows, indexedRows + own)), indexedRows);
              indexedRows += own;
              left -= own;
            }
          const erased =
            step.do === 'erase'
              ? [...new Set(step.rows)]
              : step.do === 'erase segment'
                ? range(step.segment * SEGMENT, (step.segment + 1) * SEGMENT)
                : [];
          if (erased.length > 0) log.erase(erased);
          if (step.do !== 'settle') continue;
          settling.push(occurrences.settle(counted, countingPacer()));
          for (let i = 0; i < step.pauses; i++) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(settling);
        await occurrences.settle(counted, countingPacer());
        const expected = new Uint32Array(5);
        const erased = log.erased();
        for (let row = 0; row < indexedRows; row++) if (!isErased(erased, row)) expected[codes[row]!]! += 1;
        expect(occurrences.at(log.version)?.subarray(0, 5)).toEqual(expected);
        expect(occurrences.countUnused(5)).toBe(range(1, 5).filter((code) => expected[code] === 0).length);
      }),
      { numRuns: casesOf(2000) },
    );
  });

  it('is not known of a version until its erasure is settled', async () => {
    const log = logOf(eventsWith(range(0, 20)));
    const column = columnOf(log, PATH);
    await indexUpTo(column, 20, countingPacer());
    expect(column.occurrencesAt(0, 20)?.[1]).toBe(1);
    expect(column.occurrencesAt(0, 19)).toBeUndefined();
    log.erase([0]);
    expect(column.occurrencesAt(1, 20)).toBeUndefined();
    await column.settle(countingPacer());
    expect([column.occurrencesAt(0, 20), column.occurrencesAt(1, 20)?.[1]]).toEqual([undefined, 0]);
  });

  it('is not known of the version before while an erasure is settled', async () => {
    const log = logOf(eventsWith(range(0, 20)));
    const column = columnOf(log, PATH);
    await indexUpTo(column, 20, countingPacer());
    log.erase([0, SEGMENT]);
    const seen: unknown[] = [];
    const look = () => [0, 1].map((version) => column.occurrencesAt(version, 20));
    await column.settle({ now: () => 0, yieldIfDue: () => Promise.resolve(void seen.push(...look())) });
    expect(seen).toEqual(seen.map(() => undefined));
    expect(seen.length).toBeGreaterThan(2);
  });

  it('is known at last of the version whose erasure came while another was settled', async () => {
    const log = logOf(eventsWith(range(0, 20)));
    const column = columnOf(log, PATH);
    await indexUpTo(column, 20, countingPacer());
    log.erase([0, SEGMENT]);
    let settled: Promise<number> | undefined;
    const pause = () => {
      if (settled === undefined) {
        log.erase([1, SEGMENT + 1]);
        settled = column.settle(countingPacer());
      }
      return settled.then(() => undefined);
    };
    await column.settle({ now: () => 0, yieldIfDue: pause });
    expect([column.occurrencesAt(1, 20), column.occurrencesAt(2, 20)?.[2]]).toEqual([undefined, 0]);
    expect(
      column
        .occurrencesAt(2, 20)
        ?.subarray(1, 21)
        .reduce((sum, each) => sum + each),
    ).toBe(16);
  });
});

describe('a column of a log of which rows are erased', () => {
  it('has the values of all that are left, however it was indexed and stored', async () => {
    const values = fc.array(fc.constantFrom('a', 'b', 'c', 1, true, null, ['x']), {
      minLength: 40,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, values, fc.boolean(), async (todo, all, restarts) => {
        const chunks = mapChunkStore();
        const entry = roomyKept();
        const log = logOf(eventsWith(all), () => ({ chunks }));
        let column = columnOf(log, PATH, undefined, entry);
        let [done, version] = [0, 0];
        for (const step of todo) {
          if (step.do === 'add') {
            done = Math.min(40, done + step.rows);
            await indexUpTo(column, done, countingPacer());
          }
          if (step.do === 'erase') log.erase([...new Set(step.rows)]);
          if (step.do === 'erase segment')
            log.erase(range(step.segment * SEGMENT, (step.segment + 1) * SEGMENT));
          // A store drops the chunks of older versions.
          if (version !== log.version) chunks.kept.clear();
          version = log.version;
          if (step.do !== 'settle') continue;
          await column.settle(countingPacer());
          await column.save(countingPacer(), true);
          if (!restarts || step.pauses % 2 === 0) continue;
          column.entry.discard();
          column = columnOf(log, PATH, undefined, roomyKept());
          await indexUpTo(column, done, countingPacer());
        }
        await indexUpTo(column, 40, countingPacer());
        await column.settle(countingPacer());
        const erased = log.erased();
        for (const row of range(0, 40)) {
          const segment = Math.floor(row / SEGMENT);
          if (isGone(erased, segment)) expect(column.codes[segment]).toBeUndefined();
          if (isErased(erased, row)) continue;
          const code = column.codes[segment]![row % SEGMENT]!;
          expect(column.dictionary.values[code] ?? null).toEqual(all[row]);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it('has them in two processes that share the stored chunks', async () => {
    const value = fc.constantFrom(...range(0, 9), 'a', 'b', 'c', true, false, {}, ['x']);
    const values = fc.array(value, { minLength: 40, maxLength: 40 });
    const stepsOfTwo = fc.array(
      fc.record({
        process: fc.nat(1),
        do: fc.constantFrom('add', 'add', 'add', 'save', 'save', 'save', 'load', 'restart', 'erase value'),
        rows: fc.integer({ min: 4, max: 10 }),
        of: fc.nat(15),
      }),
      { minLength: 8, maxLength: 24, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(stepsOfTwo, values, async (todo, all) => {
        const chunks = mapChunkStore();
        const log = logOf(eventsWith(all), () => ({ chunks }));
        const columns = [columnOf(log, PATH), columnOf(log, PATH)];
        for (const step of todo) {
          const column = columns[step.process]!;
          if (step.do === 'add')
            await indexUpTo(column, Math.min(40, column.indexedRows + step.rows), countingPacer());
          if (step.do === 'load' && column.indexedRows < 40) column.loadStep();
          if (step.do === 'erase value') {
            // Rows that are not indexed yet bring the value back.
            const text = JSON.stringify(all[step.of]);
            log.erase(range(0, column.indexedRows).filter((row) => JSON.stringify(all[row]) === text));
            chunks.kept.clear();
          }
          if (step.do === 'save') {
            await column.settle(countingPacer());
            await column.save(countingPacer(), true);
          }
          if (step.do === 'restart') columns[step.process] = columnOf(log, PATH);
        }
        columns.push(columnOf(log, PATH));
        const erased = log.erased();
        for (const column of columns) {
          await indexUpTo(column, 40, countingPacer());
          const isLeft = (_: unknown, row: number) => !isErased(erased, row);
          expect(valuesOf(column, 40).filter(isLeft)).toEqual(all.filter(isLeft));
        }
      }),
      { numRuns: casesOf(3000) },
    );
  });

  it('has a value that comes back after all its rows were erased and their chunk was stored', async () => {
    const chunks = mapChunkStore();
    const all = Array.from('xabxabxaxcabxcbaabcabcab');
    const log = logOf(eventsWith(all), () => ({ chunks }));
    const column = columnOf(log, PATH);
    await indexUpTo(column, SEGMENT, countingPacer());
    log.erase([0, 3, 6]);
    await column.settle(countingPacer());
    expect(await column.save(countingPacer(), true)).toBe(true);
    expect(chunks.kept.get('properties.p 0')!.entries).toBe('[0,1,null,"a","b"]');
    await indexUpTo(column, 2 * SEGMENT, countingPacer());
    await column.save(countingPacer(), true);
    const later = columnOf(log, PATH);
    await indexUpTo(later, all.length, countingPacer());
    expect(valuesOf(later, all.length).slice(7)).toEqual(all.slice(7));
    expect(chunks.kept.get('properties.p 0')!.entries).toBe('[0,1,"x","a","b"]');
  });

  it('has the values of a segment whose chunk another process stored with other codes', async () => {
    const chunks = mapChunkStore();
    const all = Array.from('xabxabxaxcdexcdacabcabcab');
    const log = logOf(eventsWith(all), () => ({ chunks }));
    const column = columnOf(log, PATH);
    await indexUpTo(column, SEGMENT, countingPacer());
    log.erase([0, 3, 6]);
    await column.settle(countingPacer());
    await column.save(countingPacer(), true);
    // It does not know the value that was erased, and stores a new code for it.
    const other = columnOf(log, PATH);
    await indexUpTo(other, 2 * SEGMENT, countingPacer());
    await other.save(countingPacer(), true);
    expect(chunks.kept.get('properties.p 1')!.entries).toMatch(/,4,"x","c","d","e"\]$/);
    await indexUpTo(column, all.length, countingPacer());
    for (const each of [column, other, columnOf(log, PATH)]) {
      await indexUpTo(each, all.length, countingPacer());
      expect(valuesOf(each, all.length).slice(7)).toEqual(all.slice(7));
    }
  });

  it('frees a segment that is erased as a whole, and reads nothing of it', async () => {
    const log = countingLog(eventsWith(range(0, 4 * SEGMENT)));
    const entry = roomyKept();
    const column = columnOf(log, PATH, undefined, entry);
    await indexUpTo(column, 2 * SEGMENT, countingPacer());
    const before = entry.bytes;
    log.erase(range(0, SEGMENT));
    expect(await column.settle(countingPacer())).toBe(SEGMENT);
    expect([column.codes[0], before - entry.bytes]).toEqual([undefined, SEGMENT]);
    log.erase(range(2 * SEGMENT, 3 * SEGMENT));
    await indexUpTo(column, 4 * SEGMENT, countingPacer());
    expect([log.rowsRead, column.codes[2]]).toEqual([3 * SEGMENT, undefined]);
    expect(valuesOf(column, 4 * SEGMENT)).toEqual([
      ...range(SEGMENT, 2 * SEGMENT),
      ...range(3 * SEGMENT, 4 * SEGMENT),
    ]);
  });
});

/** The chunks of a column as a process stores them that begins with the log as it is. */
async function chunksOf(events: readonly StoredEvent[], erased: readonly number[], known: boolean) {
  const chunks = mapChunkStore();
  const log = countingLog(events, chunks);
  const column = columnOf(log, PATH);
  // A process that knew the log before the erasure has numbered the erased values too.
  if (known) await indexUpTo(column, log.size(), countingPacer());
  log.erase(erased);
  await column.settle(countingPacer());
  await indexUpTo(column, log.size(), countingPacer());
  chunks.kept.clear();
  expect(await column.save(countingPacer(), true)).toBe(true);
  return { log, chunks, column };
}

const load = async (log: Awaited<ReturnType<typeof chunksOf>>['log']) => {
  log.rowsRead = 0;
  const column = columnOf(log, PATH);
  await indexUpTo(column, log.size(), countingPacer());
  return column;
};

describe('stored chunks of a log of which rows are erased', () => {
  const letters = Array.from('xaybxaybcxacxacbbcabcabc');
  const events = eventsWith(letters);
  const isX = (row: number) => letters[row] === 'x' || letters[row] === 'y';
  const erased = range(0, letters.length).filter(isX);

  it.each([
    // Each process knows another number of values.
    ['xaybxaybcxacxacbbcabcabc', 'xy'],
    // Both know as many, in another order: that of rows before the first was erased, and without it.
    ['bababababcabcabccabdabcd', ''],
  ])('of two processes that number values differently are not mixed: %s', async (text, gone) => {
    const own = Array.from(text);
    const isErased = (row: number) => (gone === '' ? row === 0 : gone.includes(own[row]!));
    const rows = range(0, own.length).filter(isErased);
    const processes = [
      await chunksOf(eventsWith(own), rows, true),
      await chunksOf(eventsWith(own), rows, false),
    ];
    const keyOf = (segment: number) => `properties.p ${segment}`;
    const [known, fresh] = processes.map(({ chunks }) => chunks.kept.get(keyOf(0))!.entries);
    expect(known).not.toBe(fresh);
    for (const first of [0, 1]) {
      for (const mixed of [[0], [1], [2], [0, 1], [1, 2]]) {
        const chunks = mapChunkStore();
        for (const segment of range(0, 3)) {
          const { kept } = processes[mixed.includes(segment) ? 1 - first : first]!.chunks;
          chunks.kept.set(keyOf(segment), kept.get(keyOf(segment))!);
        }
        const log = countingLog(eventsWith(own), chunks);
        log.erase(rows);
        const column = await load(log);
        const isLeft = (_: unknown, row: number) => !isErased(row);
        expect(valuesOf(column, own.length).filter(isLeft)).toEqual(own.filter(isLeft));
        // The first is trusted, and the one of the other process is not, nor what follows it.
        const trusted = range(0, 3).findIndex((segment) => mixed.includes(segment) !== mixed.includes(0));
        expect(log.rowsRead).toBe(own.length - trusted * SEGMENT);
        // What was read is stored, and the next process reads nothing.
        expect(await column.save(countingPacer(), true)).toBe(true);
        await load(log);
        expect(log.rowsRead).toBe(0);
      }
    }
  });

  it('spare a new process all whole segments, also those that are erased as a whole', async () => {
    const { log, chunks } = await chunksOf(events, [...erased, ...range(8, 16)], true);
    expect([...chunks.kept.keys()]).toEqual(range(0, 3).map((segment) => `properties.p ${segment}`));
    const column = await load(log);
    expect(log.rowsRead).toBe(0);
    expect(column.codes[1]).toBeUndefined();
  });

  it.each([true, false])('have no value and no code of an erased row: known before %s', async (known) => {
    const texts = range(0, 24).map((row) => (row % 5 === 0 ? `${SECRET}-${row}` : `text ${row % 3}`));
    const secret = range(0, 24).filter((row) => row % 5 === 0);
    const { chunks, column } = await chunksOf(eventsWith(texts), secret, known);
    expect(JSON.stringify(column.dictionary.values).includes(SECRET)).toBe(known);
    for (const [segment, { entries, codes }] of [...chunks.kept.values()].entries()) {
      expect(entries).not.toContain(SECRET);
      for (const row of secret)
        if (Math.floor(row / SEGMENT) === segment) expect(codes[row % SEGMENT]).toBe(0);
    }
  });

  it.each([
    [0, []],
    [2, [...erased, 1]],
  ])('are not used in version %i of the log', async (version, gone) => {
    const { chunks } = await chunksOf(events, erased, true);
    const log = countingLog(events, chunks);
    for (let i = 0; i < version; i++) log.erase(i === 0 ? erased : gone);
    const column = await load(log);
    expect([log.version, log.rowsRead]).toEqual([version, letters.length]);
    const isLeft = (row: number) => !gone.includes(row);
    expect(valuesOf(column, letters.length).filter((_, row) => isLeft(row))).toEqual(
      letters.filter((_, row) => isLeft(row)),
    );
  });

  it('are not stored before the erasure is settled', async () => {
    const chunks = mapChunkStore();
    const log = logOf(events, () => ({ chunks }));
    const column = columnOf(log, PATH);
    await indexUpTo(column, log.size(), countingPacer());
    log.erase([0]);
    expect([await column.save(countingPacer(), true), chunks.kept.size]).toEqual([false, 0]);
    await column.settle(countingPacer());
    expect([await column.save(countingPacer(), true), chunks.kept.size]).toEqual([true, 3]);
  });
});
