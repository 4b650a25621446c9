import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENT_METER, type Meter } from '../../../src/core/base/metrics.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';

describe('a memory budget', () => {
  it('books what fits, refuses the rest and takes back', () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    const reservation = memory.reservation('a');
    expect(reservation.reserve(60)).toBe(true);
    expect(reservation.reserve(41)).toBe(false);
    expect(reservation.reserve(40)).toBe(true);
    reservation.release(30);
    expect([reservation.bytes, memory.bytes]).toEqual([70, 70]);
    reservation.release();
    expect([reservation.bytes, memory.bytes]).toEqual([0, 0]);
  });

  it('gives one owner no more than its share, over all of its accounts', () => {
    const memory = createMemoryBudget({ bytesMax: 100 });
    const [first, second] = [memory.reservation('a'), memory.reservation('a')];
    expect(first.reserve(30)).toBe(true);
    expect(second.reserve(21)).toBe(false);
    expect(second.reserve(20)).toBe(true);
    first.release();
    expect(second.reserve(30)).toBe(true);
    memory.reservation('a').release();
    expect(memory.reservation('a').reserve(1)).toBe(false);
  });

  it('leaves room for who comes new, however many want all', () => {
    const memory = createMemoryBudget({ bytesMax: 1_000_000 });
    const greedy = Array.from({ length: 15 }, (_, i) => memory.reservation(`greedy ${i}`));
    while (greedy.filter((reservation) => reservation.reserve(100)).length > 0);
    expect(memory.reservation('modest').reserve(30_000)).toBe(true);
  });

  it('lets go of what was not used for longest, by its last use and not by its first', () => {
    const memory = createMemoryBudget({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const keep = (name: string) => {
      const entry = memory.cacheEntry('a', () => evicted.push(name));
      expect(entry.reserve(10)).toBe(true);
      entry.unpin();
      return entry;
    };
    const first = keep('first');
    keep('second');
    keep('third');
    first.pin();
    first.unpin();
    expect(memory.reservation('a').reserve(10)).toBe(true);
    expect(evicted).toEqual(['second']);
    expect(memory.reservation('a').reserve(20)).toBe(true);
    expect(evicted).toEqual(['second', 'third', 'first']);
  });

  it('takes equal shares of those who have something now', () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    for (let i = 0; i < 10; i++) {
      const gone = memory.reservation(`gone ${i}`);
      gone.reserve(1);
      gone.release();
    }
    const evicted: string[] = [];
    for (const name of ['a', 'b']) {
      const entry = memory.cacheEntry(name, () => evicted.push(name));
      entry.reserve(40);
      entry.unpin();
    }
    // Less than an equal share of two is no reason to let go of its own first.
    expect(memory.reservation('b').reserve(30)).toBe(true);
    expect(evicted).toEqual(['a']);
  });

  it('never lets go of what is used, until as many have left as came', () => {
    const memory = createMemoryBudget({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const entry = memory.cacheEntry('a', () => evicted.push('kept'));
    entry.reserve(20);
    entry.pin();
    const other = memory.reservation('a');
    expect(other.reserve(20)).toBe(false);
    entry.unpin();
    expect(other.reserve(20)).toBe(false);
    expect(evicted).toEqual([]);
    entry.unpin();
    expect(other.reserve(20)).toBe(true);
    expect([evicted, entry.bytes, memory.bytes]).toEqual([['kept'], 0, 20]);
  });

  it('takes for used again what was left and is used again', () => {
    const memory = createMemoryBudget({ bytesMax: 30, ownerShare: 1 });
    const entry = memory.cacheEntry('a', () => undefined);
    entry.reserve(20);
    entry.unpin();
    entry.pin();
    expect([memory.reservation('a').reserve(11), memory.reservation('b').reserve(10), memory.bytes]).toEqual([
      false,
      true,
      30,
    ]);
  });

  it('has less while some is withheld: what is spare goes for it, what is used stays', () => {
    const memory = createMemoryBudget({ bytesMax: 100 });
    const evicted: string[] = [];
    const [used, spare] = ['used', 'spare'].map((name) => memory.cacheEntry('a', () => evicted.push(name)));
    expect([used!.reserve(20), spare!.reserve(20)]).toEqual([true, true]);
    spare!.unpin();
    memory.withhold(40);
    expect(memory.reservation('a').reserve(11)).toBe(false);
    expect([evicted, memory.bytesMax]).toEqual([[], 100]);
    expect(memory.reservation('a').reserve(10)).toBe(true);
    expect(evicted).toEqual(['spare']);
    memory.withhold(95);
    expect([memory.reservation('b').reserve(1), used!.bytes]).toEqual([false, 20]);
    memory.withhold(0);
    expect(memory.reservation('a').reserve(20)).toBe(true);
  });

  it('says whether there is room, and lets go of nothing for that', () => {
    const memory = createMemoryBudget({ bytesMax: 100 });
    const evicted: string[] = [];
    const entry = memory.cacheEntry('a', () => evicted.push('spare'));
    entry.reserve(40);
    expect([memory.hasRoom('a', 10), memory.hasRoom('a', 11), memory.hasRoom('b', 31)]).toEqual([
      true,
      false,
      false,
    ]);
    entry.unpin();
    expect([memory.hasRoom('a', 50), memory.hasRoom('a', 51), memory.hasRoom('b', 50)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([evicted, memory.bytes]).toEqual([[], 40]);
    expect([memory.reservation('a').reserve(50), evicted]).toEqual([true, ['spare']]);
  });

  it('lets go of nothing for what does not fit anyhow', () => {
    const memory = createMemoryBudget({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const entry = memory.cacheEntry('a', () => evicted.push('kept'));
    entry.reserve(10);
    entry.unpin();
    expect(memory.reservation('a').reserve(31)).toBe(false);
    expect(evicted).toEqual([]);
  });

  it('takes from an owner of more than an equal share before it takes from others', () => {
    // Each may have all, so that nothing but the equal share decides.
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    const evicted: string[] = [];
    const keep = (owner: string, name: string, bytes: number) => {
      const entry = memory.cacheEntry(owner, () => evicted.push(name));
      expect(entry.reserve(bytes)).toBe(true);
      entry.unpin();
    };
    keep('small', 'small', 20);
    keep('large', 'large 1', 25);
    keep('large', 'large 2', 25);
    keep('other', 'other', 30);
    keep('large', 'large 3', 10);
    expect(evicted).toEqual(['large 1']);
    keep('other', 'other 2', 20);
    expect(evicted).toEqual(['large 1', 'small']);
  });

  it('forgets what was given up when its last user leaves, without saying so', () => {
    const memory = createMemoryBudget({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const entry = memory.cacheEntry('a', () => evicted.push('kept'));
    entry.reserve(10);
    entry.discard();
    expect(memory.bytes).toBe(10);
    entry.unpin();
    expect(memory.bytes).toBe(0);
    const spare = memory.cacheEntry('a', () => evicted.push('spare'));
    spare.reserve(10);
    spare.unpin();
    spare.discard();
    expect([memory.bytes, evicted]).toEqual([0, []]);
    // Nor is it there any more to make room for others.
    expect([memory.reservation('a').reserve(25), memory.reservation('a').reserve(10), evicted]).toEqual([
      true,
      false,
      [],
    ]);
  });

  it('counts what an entry gives back while nobody uses it', () => {
    const memory = createMemoryBudget({ bytesMax: 1000, ownerShare: 0.9 });
    for (let i = 0; i < 3; i++) {
      const entry = memory.cacheEntry('a', () => undefined);
      entry.reserve(400);
      entry.unpin();
      entry.release(300);
      expect(memory.bytes).toBe(100);
      entry.pin();
      entry.discard();
      entry.unpin();
    }
    expect(memory.reservation('b').reserve(800)).toBe(true);
    expect(memory.reservation('c').reserve(700)).toBe(false);
    expect(memory.bytes).toBe(800);
  });

  it('lets go at once of what has no memory to give', () => {
    const evicted: string[] = [];
    createMemoryBudget({ bytesMax: 30 })
      .cacheEntry('a', () => evicted.push('kept'))
      .unpin();
    expect(evicted).toEqual(['kept']);
  });

  it('tells its meter what is booked, what of it caches hold, and what it let go of', () => {
    const gauges = new Map<string, () => number | undefined>();
    const counted: string[] = [];
    const meter: Meter = {
      ...SILENT_METER,
      gauge: (name, _labels, read) => void gauges.set(name, read),
      count: (name) => void counted.push(name),
    };
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1, meter });
    const told = () => Object.fromEntries([...gauges].map(([name, read]) => [name, read()]));
    const figures = (booked: number, cached: number, limit: number, cacheLimit: number) => ({
      event_query_memory_booked_bytes: booked,
      event_query_memory_limit_bytes: limit,
      event_query_column_cache_bytes: cached,
      event_query_column_cache_limit_bytes: cacheLimit,
    });
    expect(told()).toEqual(figures(0, 0, 100, 100));
    const question = memory.reservation('a');
    question.reserve(30);
    const entry = memory.cacheEntry('a', () => undefined);
    entry.reserve(50);
    entry.release(10);
    expect(told()).toEqual(figures(70, 40, 100, 70));
    entry.unpin();
    memory.withhold(20);
    expect(told()).toEqual(figures(70, 40, 80, 50));
    expect(counted).toEqual([]);
    question.reserve(30);
    expect(told()).toEqual(figures(60, 0, 80, 20));
    expect(counted).toEqual(['event_query_column_cache_evictions_total']);
    memory.withhold(60);
    expect(told()).toEqual(figures(60, 0, 40, 0));
  });

  it('keeps its bounds and its sums whatever is booked, used and left', () => {
    const owner = fc.constantFrom('a', 'b', 'c');
    const steps = fc.array(
      fc.record({ owner, part: fc.nat({ max: 9 }), bytes: fc.nat({ max: 40 }), act: fc.nat({ max: 4 }) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const memory = createMemoryBudget({ bytesMax: 100 });
        const parts = new Map<
          string,
          { entry: ReturnType<typeof memory.cacheEntry>; users: number; owner: string }
        >();
        for (const step of list) {
          const name = `${step.owner} ${step.part}`;
          let part = parts.get(name);
          if (part === undefined) {
            part = {
              entry: memory.cacheEntry(step.owner, () => parts.delete(name)),
              users: 1,
              owner: step.owner,
            };
            parts.set(name, part);
          } else if (step.act === 0) {
            part.entry.pin();
            part.users += 1;
          }
          if (part.users > 0 && step.act < 3) part.entry.reserve(step.bytes);
          else if (part.users > 0) {
            part.users -= 1;
            part.entry.unpin();
          }
          const all = [...parts.values()];
          const sum = (of: typeof all) => of.reduce((bytes, { entry }) => bytes + entry.bytes, 0);
          expect(memory.bytes).toBe(sum(all));
          expect(memory.bytes).toBeLessThanOrEqual(100);
          for (const name of ['a', 'b', 'c']) {
            expect(sum(all.filter(({ owner }) => owner === name))).toBeLessThanOrEqual(50);
          }
        }
      }),
    );
  });

  it('books as fast with a hundred thousand parts as with a few', () => {
    const memory = createMemoryBudget({ bytesMax: 100_000_000, ownerShare: 1 });
    const add = () => {
      const entry = memory.cacheEntry('a', () => undefined);
      entry.reserve(1000);
      entry.unpin();
    };
    const time = () => {
      const began = performance.now();
      for (let i = 0; i < 50_000; i++) add();
      return performance.now() - began;
    };
    for (let i = 0; i < 100_000; i++) add();
    // Each of these lets another go; a walk over all parts would take minutes on any machine.
    expect(time()).toBeLessThan(30_000);
    expect(memory.bytes).toBe(100_000_000);
  });
});
