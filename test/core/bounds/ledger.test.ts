import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLedger } from '../../../src/transport-kit.ts';

describe('a ledger', () => {
  it('books what fits, refuses the rest and takes back', () => {
    const ledger = createLedger({ bytesMax: 100, ownerShare: 1 });
    const account = ledger.account('a');
    expect(account.book(60)).toBe(true);
    expect(account.book(41)).toBe(false);
    expect(account.book(40)).toBe(true);
    account.release(30);
    expect([account.bytes, ledger.bytes]).toEqual([70, 70]);
    account.release();
    expect([account.bytes, ledger.bytes]).toEqual([0, 0]);
  });

  it('gives one owner no more than its share, over all of its accounts', () => {
    const ledger = createLedger({ bytesMax: 100 });
    const [first, second] = [ledger.account('a'), ledger.account('a')];
    expect(first.book(30)).toBe(true);
    expect(second.book(21)).toBe(false);
    expect(second.book(20)).toBe(true);
    first.release();
    expect(second.book(30)).toBe(true);
    ledger.account('a').release();
    expect(ledger.account('a').book(1)).toBe(false);
  });

  it('leaves room for who comes new, however many want all', () => {
    const ledger = createLedger({ bytesMax: 1_000_000 });
    const greedy = Array.from({ length: 15 }, (_, i) => ledger.account(`greedy ${i}`));
    while (greedy.filter((account) => account.book(100)).length > 0);
    expect(ledger.account('modest').book(30_000)).toBe(true);
  });

  it('lets go of what was not used for longest, by its last use and not by its first', () => {
    const ledger = createLedger({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const keep = (name: string) => {
      const kept = ledger.keep('a', () => evicted.push(name));
      expect(kept.book(10)).toBe(true);
      kept.leave();
      return kept;
    };
    const first = keep('first');
    keep('second');
    keep('third');
    first.use();
    first.leave();
    expect(ledger.account('a').book(10)).toBe(true);
    expect(evicted).toEqual(['second']);
    expect(ledger.account('a').book(20)).toBe(true);
    expect(evicted).toEqual(['second', 'third', 'first']);
  });

  it('takes equal shares of those who have something now', () => {
    const ledger = createLedger({ bytesMax: 100, ownerShare: 1 });
    for (let i = 0; i < 10; i++) {
      const gone = ledger.account(`gone ${i}`);
      gone.book(1);
      gone.release();
    }
    const evicted: string[] = [];
    for (const name of ['a', 'b']) {
      const kept = ledger.keep(name, () => evicted.push(name));
      kept.book(40);
      kept.leave();
    }
    // Less than an equal share of two is no reason to let go of its own first.
    expect(ledger.account('b').book(30)).toBe(true);
    expect(evicted).toEqual(['a']);
  });

  it('never lets go of what is used, until as many have left as came', () => {
    const ledger = createLedger({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const kept = ledger.keep('a', () => evicted.push('kept'));
    kept.book(20);
    kept.use();
    const other = ledger.account('a');
    expect(other.book(20)).toBe(false);
    kept.leave();
    expect(other.book(20)).toBe(false);
    expect(evicted).toEqual([]);
    kept.leave();
    expect(other.book(20)).toBe(true);
    expect([evicted, kept.bytes, ledger.bytes]).toEqual([['kept'], 0, 20]);
  });

  it('takes for used again what was left and is used again', () => {
    const ledger = createLedger({ bytesMax: 30, ownerShare: 1 });
    const kept = ledger.keep('a', () => undefined);
    kept.book(20);
    kept.leave();
    kept.use();
    expect([ledger.account('a').book(11), ledger.account('b').book(10), ledger.bytes]).toEqual([
      false,
      true,
      30,
    ]);
  });

  it('has less while some is withheld: what is spare goes for it, what is used stays', () => {
    const ledger = createLedger({ bytesMax: 100 });
    const evicted: string[] = [];
    const [used, spare] = ['used', 'spare'].map((name) => ledger.keep('a', () => evicted.push(name)));
    expect([used!.book(20), spare!.book(20)]).toEqual([true, true]);
    spare!.leave();
    ledger.withhold(40);
    expect(ledger.account('a').book(11)).toBe(false);
    expect([evicted, ledger.bytesMax]).toEqual([[], 100]);
    expect(ledger.account('a').book(10)).toBe(true);
    expect(evicted).toEqual(['spare']);
    ledger.withhold(95);
    expect([ledger.account('b').book(1), used!.bytes]).toEqual([false, 20]);
    ledger.withhold(0);
    expect(ledger.account('a').book(20)).toBe(true);
  });

  it('lets go of nothing for what does not fit anyhow', () => {
    const ledger = createLedger({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const kept = ledger.keep('a', () => evicted.push('kept'));
    kept.book(10);
    kept.leave();
    expect(ledger.account('a').book(31)).toBe(false);
    expect(evicted).toEqual([]);
  });

  it('takes from an owner of more than an equal share before it takes from others', () => {
    // Each may have all, so that nothing but the equal share decides.
    const ledger = createLedger({ bytesMax: 100, ownerShare: 1 });
    const evicted: string[] = [];
    const keep = (owner: string, name: string, bytes: number) => {
      const kept = ledger.keep(owner, () => evicted.push(name));
      expect(kept.book(bytes)).toBe(true);
      kept.leave();
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
    const ledger = createLedger({ bytesMax: 30, ownerShare: 1 });
    const evicted: string[] = [];
    const kept = ledger.keep('a', () => evicted.push('kept'));
    kept.book(10);
    kept.retire();
    expect(ledger.bytes).toBe(10);
    kept.leave();
    expect(ledger.bytes).toBe(0);
    const spare = ledger.keep('a', () => evicted.push('spare'));
    spare.book(10);
    spare.leave();
    spare.retire();
    expect([ledger.bytes, evicted]).toEqual([0, []]);
    // Nor is it there any more to make room for others.
    expect([ledger.account('a').book(25), ledger.account('a').book(10), evicted]).toEqual([true, false, []]);
  });

  it('lets go at once of what has no memory to give', () => {
    const evicted: string[] = [];
    createLedger({ bytesMax: 30 })
      .keep('a', () => evicted.push('kept'))
      .leave();
    expect(evicted).toEqual(['kept']);
  });

  it('keeps its bounds and its sums whatever is booked, used and left', () => {
    const owner = fc.constantFrom('a', 'b', 'c');
    const steps = fc.array(
      fc.record({ owner, part: fc.nat({ max: 9 }), bytes: fc.nat({ max: 40 }), act: fc.nat({ max: 4 }) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const ledger = createLedger({ bytesMax: 100 });
        const parts = new Map<
          string,
          { kept: ReturnType<typeof ledger.keep>; users: number; owner: string }
        >();
        for (const step of list) {
          const name = `${step.owner} ${step.part}`;
          let part = parts.get(name);
          if (part === undefined) {
            part = { kept: ledger.keep(step.owner, () => parts.delete(name)), users: 1, owner: step.owner };
            parts.set(name, part);
          } else if (step.act === 0) {
            part.kept.use();
            part.users += 1;
          }
          if (part.users > 0 && step.act < 3) part.kept.book(step.bytes);
          else if (part.users > 0) {
            part.users -= 1;
            part.kept.leave();
          }
          const all = [...parts.values()];
          const sum = (of: typeof all) => of.reduce((bytes, { kept }) => bytes + kept.bytes, 0);
          expect(ledger.bytes).toBe(sum(all));
          expect(ledger.bytes).toBeLessThanOrEqual(100);
          for (const name of ['a', 'b', 'c']) {
            expect(sum(all.filter(({ owner }) => owner === name))).toBeLessThanOrEqual(50);
          }
        }
      }),
    );
  });

  it('books as fast with a hundred thousand parts as with a few', () => {
    const ledger = createLedger({ bytesMax: 100_000_000, ownerShare: 1 });
    const add = () => {
      const kept = ledger.keep('a', () => undefined);
      kept.book(1000);
      kept.leave();
    };
    const time = () => {
      const began = performance.now();
      for (let i = 0; i < 50_000; i++) add();
      return performance.now() - began;
    };
    for (let i = 0; i < 100_000; i++) add();
    // Each of these lets another go; a walk over all parts would take minutes on any machine.
    expect(time()).toBeLessThan(30_000);
    expect(ledger.bytes).toBe(100_000_000);
  });
});
