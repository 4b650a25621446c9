import { expect, it } from 'vitest';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { createColumnSource } from '../../../../src/core/columns/sources/column-source.ts';
import type { Leaf } from '../../../../src/core/columns/selection/selector.ts';
import type { Test } from '../../../../src/store-kit.ts';
import { columnOf, countingPacer, eventsWith, logOf, range, roomyKept } from '../fixtures.ts';

const PATH = { root: 'properties', segments: ['p'] } as const;
const test: Test = { kind: 'test', path: PATH, operator: 'EQUALS', operand: 1 };

it('tells how many rows pass only while the column has no others', async () => {
  const log = logOf(eventsWith([1, 2, 1]));
  const column = columnOf(log, PATH);
  const source = createColumnSource(log, column, [test], {
    reservation: roomyKept(),
    pacer: countingPacer(),
  });
  const leafOf = await source.open(3);
  const leaf = leafOf(test);
  expect(leaf.countAll!(leaf.mask, 3)).toBe(2);
  log.append(eventsWith([1, 1], 3));
  await indexUpTo(column, 5, countingPacer());
  expect(leaf.countAll!(leaf.mask, 3)).toBeUndefined();
});

/** A source over a column whose memory can run out, and what makes it run out. */
function openSource(values: readonly unknown[], onPause: (runOut: () => Promise<void>) => Promise<void>) {
  const log = logOf(eventsWith(values));
  const booked = roomyKept();
  let isFull = false;
  const entry = { ...booked, reserve: (bytes: number) => !isFull && booked.reserve(bytes) };
  const column = columnOf(log, PATH, undefined, entry);
  const indexMore = (more: readonly unknown[]) => {
    log.append(eventsWith(more, log.size()));
    return indexUpTo(column, log.size(), countingPacer());
  };
  const runOut = () => {
    isFull = true;
    return indexMore(range(0, 2000));
  };
  const yieldIfDue = () => onPause(runOut);
  const tools = { reservation: roomyKept(), pacer: { now: () => 0, yieldIfDue } };
  return { column, indexMore, runOut, source: createColumnSource(log, column, [test], tools) };
}

/** Which of the first three rows a leaf selects. */
const selectedOf = ({ codes, mask }: Leaf) => [0, 1, 2].filter((row) => mask[codes[0]![row]!] === 1);

it('what it has taken stays while others index more rows, and when they run out of memory', async () => {
  const { column, indexMore, runOut, source } = openSource([1, 2, 1], () => Promise.resolve());
  const leafOf = await source.open(3);
  // So many values need wider codes, and more room for the rows.
  await indexMore(range(0, 1000));
  expect(selectedOf(leafOf(test))).toEqual([0, 2]);
  await runOut();
  expect(column.disabled).toBe('no memory');
  expect(selectedOf(leafOf(test))).toEqual([0, 2]);
});

it('reads the log where the memory runs out while it looks at the values', async () => {
  // Texts that are so long that there is a pause after them.
  const long = ['a', 'b'].map((letter) => letter.repeat(600_000));
  let pauses = 0;
  const { column, source } = openSource([1, 2, 1, ...long], async (runOut) => {
    pauses += 1;
    if (column.indexedRows === 5 && column.disabled === undefined) await runOut();
  });
  const leafOf = await source.open(5);
  expect([column.disabled, pauses > 0]).toEqual(['no memory', true]);
  expect(selectedOf(leafOf(test))).toEqual([0, 2]);
});
