import { describe, expect, it } from 'vitest';
import { createColumnIndexing } from '../../../../src/core/columns/ahead/column-indexing.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { aborted } from '../../../../src/core/base/errors.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { LogGoneError, type EventLog, type Pacer } from '../../../../src/store-kit.ts';
import { codesOf, columnOf, countingPacer, eventsWith, logOf, propertyPath } from '../fixtures.ts';
import { readElsewhere } from './elsewhere.ts';

const valueOf = (n: number) => [n, String(n), null, n > 4, [n % 2], { n }, `long ${n}`.repeat(20)][n % 7];

describe('rows that a question has to read', () => {
  const MANY = 131_072;
  const memory = logOf(eventsWith(Array.from({ length: MANY + 1 }, (_, i) => valueOf(i % 23))));
  const path = propertyPath('p');
  const MIB = 2 ** 20;
  /** Four answers of four mebibytes, and sixteen ranges of one that are read here. */
  const ON_THE_WAY = 32 * MIB;

  const aloneTo = async (size: number) => {
    const alone = columnOf(memory, path);
    await indexUpTo(alone, size, countingPacer());
    return alone;
  };

  /** Has a question index a column that has some rows: what it asked other threads, and what it booked. */
  async function ask(log: EventLog, began: number, size: number, bytesMax = 64 * MIB) {
    const reservation = createMemoryBudget({ bytesMax, ownerShare: 1 }).reservation('one');
    const column = columnOf(log, path);
    await indexUpTo(column, began, countingPacer());
    await createColumnIndexing()(log, [column], size, { pacer: countingPacer(), reservation });
    const alone = await aloneTo(size);
    expect(column.dictionary.values).toEqual(alone.dictionary.values);
    expect(codesOf(column, size)).toEqual(codesOf(alone, size));
    return reservation.bytes;
  }

  it.each([
    ['many', 0, MANY, true],
    ['few', 0, MANY - 1, false],
    ['many behind those that are known', 1, MANY + 1, true],
    ['few behind those that are known', 2, MANY + 1, false],
  ])('are read by other threads where they are many: %s', async (_, began, size, isElsewhere) => {
    const { log, asked } = readElsewhere(memory, () => 8192);
    const bytes = await ask(log, began, size);
    expect([asked.length > 4, bytes]).toEqual([isElsewhere, isElsewhere ? ON_THE_WAY : 0]);
    // The rest was read here meanwhile.
    const rows = asked.reduce((sum, [, from, to]) => sum + to - from, 0);
    expect(rows).toBeLessThan(size - began);
  });

  it('are read here where there is no room for what is on its way, or no other thread', async () => {
    const { log, asked } = readElsewhere(memory, () => 8192);
    expect([await ask(log, 0, MANY, ON_THE_WAY - 1), asked]).toEqual([0, []]);
    expect(await ask(memory, 0, MANY)).toBe(0);
  });

  it('are read here once a thread has failed', async () => {
    const { log, asked } = readElsewhere(memory, () => 8192);
    const failing: EventLog = {
      ...log,
      valuesAhead: async (paths, from, to) => {
        if (from === 16_384) throw new Error('The thread has ended.');
        return log.valuesAhead(paths, from, to);
      },
    };
    await ask(failing, 0, MANY);
    // Some were on their way, and no more are asked for.
    expect(asked.length).toBeLessThan(8);
  });

  it('are those of no log that was erased meanwhile', async () => {
    const { log } = readElsewhere(memory, () => 8192);
    let isErased = false;
    const erased: EventLog = {
      ...log,
      size: () => (isErased ? 0 : MANY),
      valuesAhead: async (paths, from, to) => {
        isErased ||= from > 32_768;
        return log.valuesAhead(paths, from, to);
      },
    };
    await expect(ask(erased, 0, MANY)).rejects.toThrow(LogGoneError);
  });

  it('are read once for all questions that come meanwhile, whichever of them is cancelled', async () => {
    const { log, asked } = readElsewhere(memory, () => 8192);
    const budget = createMemoryBudget({ bytesMax: 100 * MIB, ownerShare: 1 });
    const indexForQuestion = createColumnIndexing();
    const column = columnOf(log, path);
    const indexing = async (pacer: Pacer) => {
      await indexForQuestion(log, [column], MANY, { pacer, reservation: budget.reservation('one') });
    };
    const leaving = countingPacer();
    const first = indexing({
      ...leaving,
      yieldIfDue: () => {
        if (column.indexedRows > 50_000) throw aborted();
        return leaving.yieldIfDue();
      },
    });
    const others = [1, 2, 3].map(() => indexing(countingPacer()));
    await expect(first).rejects.toThrow();
    expect(budget.bytes).toBe(ON_THE_WAY);
    const begun = asked.length;
    await Promise.all(others);
    expect(codesOf(column, MANY)).toEqual(codesOf(await aloneTo(MANY), MANY));
    // One of them continued; the others come after its rows.
    const rowsOf = (some: typeof asked) => some.reduce((sum, [, from, to]) => sum + to - from, 0);
    expect(rowsOf(asked.slice(0, begun))).toBeLessThan(MANY);
    expect(rowsOf(asked.slice(begun))).toBeLessThan(MANY - 50_000);
    // A question that comes when none reads any more does not wait.
    const again = columnOf(log, path);
    await indexForQuestion(log, [again], MANY, {
      pacer: countingPacer(),
      reservation: budget.reservation('one'),
    });
    expect(again.indexedRows).toBe(MANY);
  });

  it('are read by each of two questions that would wait for each other', async () => {
    const keys = ['a', 'b'];
    const events = eventsWith(new Array<number>(MANY).fill(0)).map((event, i) => ({
      ...event,
      propertiesJson: JSON.stringify({ a: i % 3, b: i % 5 }),
    }));
    const { log } = readElsewhere(logOf(events), () => 8192);
    const reservation = createMemoryBudget({ bytesMax: 100 * MIB, ownerShare: 1 }).reservation('one');
    const [a, b, c, d] = [...keys, ...keys].map((key) => columnOf(log, propertyPath(key)));
    await indexUpTo(a!, 8192, countingPacer());
    await indexUpTo(d!, 8192, countingPacer());
    const indexForQuestion = createColumnIndexing();
    await Promise.all(
      [
        [a!, b!],
        [c!, d!],
      ].map(async (own) => indexForQuestion(log, own, MANY, { pacer: countingPacer(), reservation })),
    );
    expect([a, b, c, d].map((each) => each!.indexedRows)).toEqual([MANY, MANY, MANY, MANY]);
  });
});
