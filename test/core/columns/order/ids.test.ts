import { expect, it } from 'vitest';
import { createIds } from '../../../../src/core/columns/order/ids.ts';
import type { EventLog } from '../../../../src/core/columns/log/log.ts';
import { emptyLog, roomyKept } from '../fixtures.ts';

const ROWS = 2048 * 600;

it('remembers a bounded number of blocks, and gives all of them back', () => {
  const log: EventLog = {
    ...emptyLog(),
    size: () => ROWS,
    values: (_paths, from, to) => [Array.from({ length: to - from }, (_, i) => `id-${from + i}`)],
  };
  const entry = roomyKept();
  const ids = createIds(log, entry);
  let bytesMax = 0;
  for (let row = 0; row < ROWS; row += 2048) {
    expect(ids.of(row + 1)).toBe(`id-${row + 1}`);
    bytesMax = Math.max(bytesMax, entry.bytes);
  }
  // A block of such ids takes some 84 KB; those of half a million rows would take twice as much.
  expect(bytesMax).toBeLessThan(512 * 2048 * 43);
  ids.clear();
  expect(entry.bytes).toBe(0);
});
