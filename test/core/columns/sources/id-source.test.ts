import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  compilePredicate,
  createColumnIndex,
  parseCountBody,
  toEventView,
  type EventLog,
} from '../../../../src/store-kit.ts';
import { createKeyedHash } from '../../../../src/core/base/keyed-hash.ts';
import { createIdHashes } from '../../../../src/core/columns/order/id-hashes.ts';
import { createIdSource } from '../../../../src/core/columns/sources/id-source.ts';
import { countingLog, countingPacer, eventsWith, logOf, nodeScheduler, SEED } from '../fixtures.ts';

const questionsOver = (log: EventLog, bytesMax = 1e9) =>
  createColumnIndex({
    open: () => log,
    memory: createMemoryBudget({ bytesMax, ownerShare: 1 }),
    scheduler: nodeScheduler(),
    seed: SEED,
  });

/** Events with these ids; several may have the same one, each at a time of its own. */
const eventsOf = (ids: readonly string[]) =>
  eventsWith(ids.map((_, i) => i)).map((event, i) => ({ ...event, insertId: ids[i]! }));

const filterOf = (comparison: string, value: unknown) =>
  ({ property: 'insertId', comparison, value }) as never;

describe('questions about insertId', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'A', '1', '\u{1f600}', 'a'.repeat(200));
  const filters = fc.oneof(
    fc.tuple(fc.constantFrom('EQUALS', 'NOT_EQUALS', 'CONTAINS', 'LESS_THAN'), ids),
    fc.tuple(fc.constantFrom('IN', 'NOT_IN'), fc.array(fc.oneof(ids, fc.constant(1)), { minLength: 1 })),
  );

  it('are answered as from the events themselves, several at once, also when more have come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ids),
        fc.array(ids, { minLength: 1 }),
        fc.array(filters, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (first, more, asked, all) => {
          const events = eventsOf([...first, ...more]);
          const log = logOf(events.slice(0, first.length));
          const index = questionsOver(log);
          const parts = asked.map(([comparison, value]) => filterOf(comparison, value));
          const query = parseCountBody({ filterSet: all ? parts : [{ anyOf: parts }] });
          const passes = compilePredicate(query);
          for (const count of [first.length, events.length]) {
            log.append(events.slice(log.size(), count));
            const expected = events.slice(0, count).filter((event) => passes(toEventView(event)));
            expect(await index.count('t', query)).toBe(expected.length);
            const page = await collect(await index.query('t', query, { offset: 0, size: 1000 }));
            expect(page).toEqual(expected.reverse());
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  const unique = Array.from({ length: 20_000 }, (_, i) => `id-${i}`);
  const some = parseCountBody({ filterSet: [filterOf('IN', ['id-7', 'id-19999', 'nobody'])] });

  it('read the ids once, and then only those that may be meant', async () => {
    const log = countingLog(eventsOf(unique));
    const index = questionsOver(log);
    for (let i = 0; i < 3; i++) expect(await index.count('t', some)).toBe(2);
    expect(log.rowsRead).toBe(20_000);
  });

  it('are answered from the log where there is no memory for hashes', async () => {
    const index = questionsOver(logOf(eventsOf(unique)), 60_000);
    expect(await index.count('t', some)).toBe(2);
  });

  it('read the log where so many events have one id that looking them up would take longer', async () => {
    let looks = 0;
    const source = logOf(eventsOf(new Array<string>(20_000).fill('same')));
    const log: EventLog = { ...source, insertIdAt: (row) => ((looks += 1), source.insertIdAt(row)) };
    const query = parseCountBody({ filterSet: [filterOf('EQUALS', 'same')] });
    expect(await questionsOver(log).count('t', query)).toBe(20_000);
    expect(looks).toBeLessThan(6000);
  });

  it('are answered whole when another question finds no room for more hashes meanwhile', async () => {
    const events = eventsOf(Array.from({ length: 1500 }, (_, i) => `id-${i}`));
    const log = logOf(events.slice(0, 1000));
    let isFull = false;
    const booked = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 }).cacheEntry('t', () => undefined);
    const kept = { ...booked, reserve: (bytes: number) => !isFull && booked.reserve(bytes) };
    const ids = createIdHashes(log, createKeyedHash(SEED), kept);
    let pauses = 0;
    const pause = () => {
      pauses += 1;
      if (pauses !== 3) return Promise.resolve();
      log.append(events.slice(1000));
      isFull = true;
      ids.indexStep(log.size());
      return Promise.resolve();
    };
    const operand = Array.from({ length: 1000 }, (_, i) => `id-${i}`);
    const test = { kind: 'test', path: { root: 'insertId', segments: [] }, operator: 'IN', operand } as const;
    const source = createIdSource(log, ids, [test], {
      reservation: booked,
      pacer: { ...countingPacer(), yieldIfDue: pause },
    });
    const leafOf = await source.open(1000);
    expect(ids.disabled).toBe(true);
    const { codes, mask } = leafOf(test);
    const found = Array.from({ length: 1000 }, (_, row) => mask[codes[0]![row]!]!);
    expect(found.filter((passes) => passes === 1)).toHaveLength(1000);
  });

  it('leave nothing booked of hashes that were disabled', () => {
    const events = eventsOf(Array.from({ length: 100 }, (_, i) => `id-${i}`));
    const log = logOf(events.slice(0, 10));
    const memory = createMemoryBudget({ bytesMax: 200, ownerShare: 1 });
    const ids = createIdHashes(
      log,
      createKeyedHash(SEED),
      memory.cacheEntry('t', () => undefined),
    );
    ids.indexStep(10);
    expect(memory.bytes).toBeGreaterThan(0);
    log.append(events.slice(10));
    ids.indexStep(100);
    expect([ids.disabled, ids.indexedRows, memory.bytes]).toEqual([true, 100, 0]);
  });
});
