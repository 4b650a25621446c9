import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import {
  createColumnIndex,
  NO_ERASED_ROWS,
  parseBreakdownBody,
  parseCountBody,
  type EventLog,
  type Path,
} from '../../../src/store-kit.ts';
import { nodeScheduler, SEED } from './fixtures.ts';

const BYTES_MAX = 6_291_456;
/** How many distinct values each path has: codes of one byte, of two, and of a row each. */
const PATHS = [3, 200, 300, 5000, 60_000].flatMap((distinct) =>
  ['a', 'b', 'c', 'd'].map((letter) => ({ name: `${letter}${distinct}`, distinct, isLast: letter === 'd' })),
);
const DAY_MS = 86_400_000;

const valueAt = (path: Path, row: number) => {
  if (path.root === 'eventTs') return row * 1000;
  if (path.root !== 'properties') return `${path.root}-${row % 50}`;
  return (row * 7919) % Number(path.segments[0]!.slice(1));
};

/** A log that takes no memory of its own, however many rows it has. */
function endlessLog(size: number): EventLog {
  const eventAt = (row: number) => ({
    ...{ eventName: 'e', userId: 'u', eventTs: row * 1000, insertId: `id-${row}`, propertiesJson: '{}' },
  });
  return {
    id: 1,
    version: 0,
    size: () => size,
    erased: () => NO_ERASED_ROWS,
    values: (paths, from, to) =>
      paths.map((path) => Array.from({ length: to - from }, (_, i) => valueAt(path, from + i))),
    valuesAt: (paths, rows) => paths.map((path) => rows.map((row) => valueAt(path, row))),
    insertIdAt: (row) => `id-${row}`,
    events: (rows) => rows.map(eventAt),
    bytesOf: (rows) => rows.length * 100,
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many bytes of arrays live. */
function bytesOfArrays(): number {
  collectGarbage();
  // The arrays of the first are freed by another thread; this waits for that.
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

it.each([10_000, 200_000])(
  'what is known of %d events lives within its memory, and is made again when it is asked for',
  async (size) => {
    const memory = createMemoryBudget({ bytesMax: BYTES_MAX, ownerShare: 1 });
    const index = createColumnIndex({
      ...{ open: () => endlessLog(size), memory, scheduler: nodeScheduler(), seed: SEED },
    });
    const before = bytesOfArrays();
    let most = 0;
    const look = () => {
      expect(memory.bytes).toBeLessThanOrEqual(BYTES_MAX);
      most = Math.max(most, bytesOfArrays() - before);
    };
    for (const { name, distinct, isLast } of PATHS) {
      const filter = { property: `properties.${name}`, comparison: 'LESS_THAN', value: 1 };
      const zeros = Math.ceil(size / distinct);
      expect(await index.count('shop', parseCountBody({ filterSet: [filter] }))).toBe(zeros);
      const dated = parseCountBody({ after: '1970-01-01', before: '1970-01-01', filterSet: [filter] });
      const onDay = Math.ceil(Math.min(size, DAY_MS / 1000) / distinct);
      expect(await index.count('shop', dated)).toBe(onDay);
      const { query, grouping } = parseBreakdownBody({ by: `properties.${name}`, size: 1 });
      const { groupsTotal } = await index.breakdown('shop', query, grouping);
      expect(groupsTotal).toBe(Math.min(size, distinct));
      if (isLast) look();
    }
    const [newest] = await collect(await index.query('shop', parseCountBody({}), { offset: 0, size: 1 }));
    expect(newest?.insertId).toBe(`id-${size - 1}`);
    look();
    // Pages, arrays of a few bytes and what the runtime rounds up come on top.
    expect(most).toBeLessThan(BYTES_MAX + 262_144);
    expect(most).toBeGreaterThan(BYTES_MAX / 8);
    index.forget('shop');
    expect(memory.bytes).toBe(0);
  },
  60_000,
);

it('what tenants leave behind after one question is booked, and evicted for others', async () => {
  const memory = createMemoryBudget({ bytesMax: 1_000_000 });
  const logs = new Map<string, WeakRef<EventLog>>();
  const open = (tenantId: string) => {
    const log = { ...endlessLog(3), id: Number(tenantId) };
    if (!logs.has(tenantId)) logs.set(tenantId, new WeakRef(log));
    return log;
  };
  const index = createColumnIndex({ open, memory, scheduler: nodeScheduler(), seed: SEED });
  for (let i = 1; i <= 500; i++) {
    await index.since(String(i), parseCountBody({}), undefined, 10);
    expect(memory.bytes).toBeLessThanOrEqual(1_000_000);
  }
  expect(memory.bytes).toBeGreaterThan(500_000);
  // What was made or looked at in a turn of the event loop lives until it ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const alive = [...logs.values()].filter((log) => log.deref() !== undefined).length;
  expect(alive).toBeLessThan(150);
  expect(await index.count('1', parseCountBody({}))).toBe(3);
});
