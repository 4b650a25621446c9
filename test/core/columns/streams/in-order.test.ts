import { expect, it } from 'vitest';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';
import { putInOrder } from '../../../../src/core/columns/streams/in-order.ts';
import { createStreamBlocks } from '../../../../src/core/columns/streams/stream-list.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { emptyLog } from '../fixtures.ts';

/** A row of a stream: its segment, its instant and the id of its event. */
type Row = readonly [segment: number, instant: number, id: string];

/** The ids of the rows of a stream in order, and what was booked before that and behind it. */
async function inOrder(rows: readonly Row[]) {
  const ids = new Map(rows.map(([segment, , id], i) => [segment * SEGMENT_ROWS + i, id]));
  const log = { ...emptyLog(), insertIdAt: (row: number) => ids.get(row)! };
  const room = createMemoryBudget({ bytesMax: 1e9 }).reservation('tenant');
  const found = createStreamBlocks({ same: true, group: true }, room);
  rows.forEach(([segment, instant], i) => {
    found.add(segment * SEGMENT_ROWS + i, instant, 1, 1, 0, 0);
  });
  const list = found.blocks[0]!;
  const { bytes } = room;
  let pauses = 0;
  const pacer = { now: () => 0, yieldIfDue: () => void (pauses += 1) };
  const sorting = putInOrder(list, [0, rows.length], { log, room, pacer });
  const isMerged = sorting !== undefined;
  await sorting;
  return {
    ids: Array.from(list.row.subarray(0, rows.length), (row) => ids.get(row)!),
    isMerged,
    left: room.bytes - bytes,
    pauses,
  };
}

it('rows of one instant in two segments are in the order of their ids', async () => {
  const rows: Row[] = [
    [0, 1, 'a'],
    [0, 5, 'm'],
    [1, 5, 'c'],
    [1, 5, 'z'],
    [2, 5, 'b'],
    [2, 9, 'q'],
  ];
  expect(await inOrder(rows)).toEqual({
    ids: ['a', 'b', 'c', 'm', 'z', 'q'],
    isMerged: true,
    left: 0,
    // One behind each of the five columns.
    pauses: 5,
  });
});

it('late rows of several segments are merged, and the room for that is given back', async () => {
  const rows = [0, 1, 2, 3, 4].flatMap((segment): Row[] =>
    [0, 1, 2].map((k) => [segment, k * 10 + ((segment * 3) % 5), `${segment}${k}`]),
  );
  const wanted = [...rows].sort((a, b) => a[1] - b[1]).map(([, , id]) => id);
  expect(await inOrder(rows)).toEqual({ ids: wanted, isMerged: true, left: 0, pauses: 5 });
});

it('rows that are in order are not merged', async () => {
  const rows: Row[] = [
    [0, 1, 'b'],
    [0, 1, 'c'],
    [1, 2, 'a'],
  ];
  expect(await inOrder(rows)).toEqual({ ids: ['b', 'c', 'a'], isMerged: false, left: 0, pauses: 0 });
});
