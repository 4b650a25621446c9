import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryLog, type MemoryLog } from '../../../../adapters/memory/event-log.ts';
import { findErased } from '../../../../src/core/columns/log/live-rows.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  createColumnIndex,
  createLiveRows,
  parseCountBody,
  type Pacer,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import { countingLog, eventsWith, HASH, mapChunkStore, nodeScheduler, SEED } from '../fixtures.ts';

const BYTES_MAX = 1e9;
const ROWS = 40_000;
const DAY = parseCountBody({ after: '1970-01-01', before: '1970-01-01' });
const ofValue = (value: number | string) =>
  parseCountBody({ filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value }] });

/** An index of a log that can be replaced by another version of it; a log counts what is read of it. */
function openVersions(events: readonly StoredEvent[], scheduler = nodeScheduler()) {
  const memory = createMemoryBudget({ bytesMax: BYTES_MAX, ownerShare: 1 });
  const chunks = mapChunkStore();
  const versionOf = (log: MemoryLog) => countingLog(log, { ...chunks, load: () => undefined });
  const first = createMemoryLog(1, HASH);
  first.append(events);
  let log = versionOf(first);
  let living = [...events.entries()];
  const replaceBy = (next: MemoryLog) => {
    log.erase();
    log = versionOf(next);
  };
  const index = createColumnIndex({ open: () => log, memory, scheduler, seed: SEED });
  return {
    index,
    memory,
    scheduler,
    replaceBy,
    log: () => log,
    living: () => living.map(([, event]) => event),
    /** Another version begins, without these rows, and with more after them. */
    erase: (rows: readonly number[], more: readonly StoredEvent[] = []): void => {
      const sequences = rows.map((row) => living[row]![0]);
      const liveRows = createLiveRows(1, sequences, log.liveRows?.());
      const gone = new Set(rows);
      const arrived = living.length + liveRows.erased - rows.length;
      living = living.filter((_, row) => !gone.has(row));
      living.push(...[...more.entries()].map(([i, event]) => [arrived + i, event] as [number, StoredEvent]));
      const next = createMemoryLog(log.id + 1, HASH, liveRows);
      next.append(living.map(([, event]) => event));
      replaceBy(next);
    },
  };
}

/** Rests until what goes on in the background has ended. */
async function settle(versions: ReturnType<typeof openVersions>): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await versions.scheduler.run('tenant', undefined, () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('an index of what is left of an erased log', () => {
  it('carries over columns and the order, and reads nothing of them again', async () => {
    const events = eventsWith(Array.from({ length: ROWS }, (_, row) => row % 1000));
    const versions = openVersions(events);
    const { index, erase } = versions;
    expect(await index.count('tenant', ofValue(7))).toBe(40);
    expect(await index.count('tenant', DAY)).toBe(ROWS);
    erase(Array.from({ length: 5000 }, (_, i) => i * 7));
    const left = versions.living();
    const page = await index.query('tenant', ofValue(7), { offset: 0, size: 1000 });
    expect((await collect(page)).map(({ insertId }) => insertId)).toEqual(
      left
        .filter(({ propertiesJson }) => propertiesJson === '{"p":7}')
        .map(({ insertId }) => insertId)
        .reverse(),
    );
    expect(await index.count('tenant', DAY)).toBe(35_000);
    expect(versions.log().rowsRead).toBe(0);
    await settle(versions);
    const bytes = versions.memory.bytes;
    expect(bytes).toBeGreaterThan(0);
    index.forget('tenant');
    expect(versions.memory.bytes).toBe(0);
  });

  it('reads what came since, and no more', async () => {
    const versions = openVersions(eventsWith(Array.from({ length: ROWS }, (_, row) => row % 10)));
    await versions.index.count('tenant', ofValue(3));
    versions.erase([0, 1, 2, 3], eventsWith([3, 3, 'new'], ROWS));
    expect(await versions.index.count('tenant', ofValue(3))).toBe(4001);
    expect(await versions.index.count('tenant', ofValue('new'))).toBe(1);
    // A question and the job that carries over may each read the three that came since.
    expect(versions.log().rowsRead).toBeLessThanOrEqual(6);
  });

  it('reads nothing that no question needs', async () => {
    const versions = openVersions(eventsWith(Array.from({ length: ROWS }, (_, row) => row % 10)));
    await versions.index.count('tenant', ofValue(3));
    await versions.index.count('tenant', DAY);
    versions.erase([0, 1, 2, 3], eventsWith(Array.from({ length: 100 }).fill('new'), ROWS));
    expect(await versions.index.count('tenant', parseCountBody({}))).toBe(ROWS + 96);
    await settle(versions);
    expect(versions.log().rowsRead).toBe(0);
    expect(await versions.index.count('tenant', ofValue('new'))).toBe(100);
    expect(versions.log().rowsRead).toBe(100);
  });

  it('carries over the parts that no question needs when the first one has been answered', async () => {
    const scheduler = nodeScheduler();
    const steps: string[] = [];
    let jobs = 0;
    const versions = openVersions(eventsWith(Array.from({ length: ROWS }, (_, row) => row)), {
      run(owner, signal, job, priority) {
        const name = `job ${jobs++}`;
        const noting = (pacer: Pacer) =>
          job({
            now: () => pacer.now(),
            yieldIfDue: () => (steps.push(name), pacer.yieldIfDue()),
          });
        return scheduler.run(owner, signal, noting, priority);
      },
    });
    await versions.index.count('tenant', ofValue(7));
    await versions.index.count('tenant', DAY);
    versions.erase([5]);
    [steps.length, jobs] = [0, 0];
    expect(await versions.index.count('tenant', ofValue(7))).toBe(1);
    await settle(versions);
    const [last, first] = [steps.lastIndexOf('job 0'), steps.indexOf('job 1')];
    expect(last).toBeGreaterThan(ROWS / 4096);
    expect(first).toBeGreaterThan(last);
  });

  it('leaves a column with less than half of the rows to the question that needs it', async () => {
    for (const [more, isTaken] of [
      [96, true],
      [98, true],
      [99, false],
    ] as const) {
      const versions = openVersions(eventsWith(new Array(100).fill(3)));
      await versions.index.count('tenant', ofValue(3));
      versions.erase([0, 1], eventsWith(new Array(more + 4).fill(4), 100));
      expect(await versions.index.count('tenant', parseCountBody({}))).toBe(102 + more);
      await settle(versions);
      expect(await versions.index.count('tenant', ofValue(4))).toBe(more + 4);
      expect([more, versions.log().rowsRead]).toEqual([more, isTaken ? more + 4 : 102 + more]);
    }
  });

  it('continues without parts that are evicted, and when no question waits any more', async () => {
    const versions = openVersions(eventsWith(Array.from({ length: ROWS }, (_, row) => row)));
    const { index, memory, erase } = versions;
    await index.count('tenant', ofValue(39_999));
    erase([5]);
    const signal = { aborted: false };
    const left = index.count('tenant', ofValue(39_999), signal);
    signal.aborted = true;
    await left.catch(() => undefined);
    expect(await index.count('tenant', ofValue(39_999))).toBe(1);
    await settle(versions);
    erase([6]);
    const other = memory.reservation('other');
    expect(other.reserve(BYTES_MAX)).toBe(true);
    other.release();
    expect(await index.count('tenant', ofValue(39_999))).toBe(1);
    expect(versions.log().rowsRead).toBe(ROWS - 2);
    await settle(versions);
    index.forget('tenant');
    expect(memory.bytes).toBe(0);
  });

  it('takes for a log of few events no more room than these need', async () => {
    const versions = openVersions(eventsWith(Array.from({ length: 100 }, (_, row) => row % 10)));
    await versions.index.count('tenant', ofValue(3));
    const other = versions.memory.reservation('other');
    expect(other.reserve(BYTES_MAX - versions.memory.bytes - 33_000)).toBe(true);
    versions.erase([5]);
    expect(await versions.index.count('tenant', ofValue(3))).toBe(10);
    expect(versions.log().rowsRead).toBe(0);
  });

  it('carries over nothing from another log', async () => {
    const versions = openVersions(eventsWith([1, 2, 3]));
    await versions.index.count('tenant', ofValue(1));
    const other = createMemoryLog(9, HASH, createLiveRows(8, [0]));
    other.append(eventsWith([2, 2]));
    versions.replaceBy(other);
    expect(await versions.index.count('tenant', ofValue(2))).toBe(2);
    expect(versions.log().rowsRead).toBe(2);
  });

  it('carries over although a running question has to be asked again', async () => {
    const versions = openVersions(eventsWith(Array.from({ length: ROWS }, (_, row) => row % 10)));
    await versions.index.count('tenant', ofValue(3));
    const byUser = { by: { root: 'userId', segments: [] }, size: 10 } as const;
    const asked = versions.index.breakdown('tenant', parseCountBody({}), byUser);
    versions.erase([0, 1, 2, 3]);
    expect((await asked).total).toBe(ROWS - 4);
    const { rowsRead } = versions.log();
    expect(await versions.index.count('tenant', ofValue(3))).toBe(3999);
    expect(versions.log().rowsRead).toBe(rowsRead);
  });

  it('answers as one that knew nothing, whatever is erased', async () => {
    const rowsAndValues = fc.record({
      values: fc.array(fc.constantFrom(undefined, 'a', 'b', 1, true, [1], {}), {
        minLength: 1,
        maxLength: 60,
      }),
      erased: fc.array(fc.array(fc.nat(59), { maxLength: 30 }), { minLength: 1, maxLength: 3 }),
      times: fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(rowsAndValues, async ({ values, erased, times }) => {
        const events = eventsWith(values).map((event, i) => ({ ...event, eventTs: times[i]! }));
        const versions = openVersions(events);
        const ask = async () => {
          const left = versions.living();
          const expected = left.filter(({ propertiesJson }) => propertiesJson === '{"p":"a"}');
          expect(await versions.index.count('tenant', ofValue('a'))).toBe(expected.length);
          const page = await versions.index.query('tenant', ofValue('a'), { offset: 0, size: 1000 });
          const ids = (await collect(page)).map(({ insertId }) => insertId);
          const newest = (a: StoredEvent, b: StoredEvent) =>
            b.eventTs - a.eventTs || (b.insertId > a.insertId ? 1 : -1);
          expect(ids).toEqual(expected.sort(newest).map(({ insertId }) => insertId));
          const by = { by: { root: 'properties', segments: ['p'] }, size: 100 } as const;
          const groups = await versions.index.breakdown('tenant', parseCountBody({}), by);
          expect(groups.total).toBe(left.length);
        };
        await ask();
        for (const rows of erased) {
          const own = [...new Set(rows)].filter((row) => row < versions.living().length);
          versions.erase(own.sort((a, b) => a - b));
          await ask();
        }
        expect(versions.log().rowsRead).toBe(0);
      }),
      { numRuns: casesOf(40) },
    );
  });
});

it('finds the rows that a later version has erased, and that another log is no later version', () => {
  const rows = fc.uniqueArray(fc.nat(40), { maxLength: 30 });
  const ascending = (all: Iterable<number>) => [...all].sort((a, b) => a - b);
  fc.assert(
    fc.property(rows, rows, (some, more) => {
      const then = createLiveRows(1, ascending(some));
      const now = createLiveRows(1, ascending(new Set([...some, ...more])));
      const others = ascending(more.filter((sequence) => !some.includes(sequence)));
      const expected = others.map((sequence) => then.rowAt(sequence));
      expect([...findErased(then, now)!]).toEqual(expected);
      expect(findErased(undefined, now)).toEqual(Uint32Array.from(ascending([...some, ...others])));
      if (others.length > 0) expect(findErased(now, then)).toBeUndefined();
    }),
  );
});
