import { expect, it } from 'vitest';
import { copyWithout } from '../../../adapters/memory/erasure.ts';
import { createMemoryLog, type MemoryLog } from '../../../adapters/memory/event-log.ts';
import { createKeyedHash } from '../../../src/core/columns/keyed-hash.ts';
import { eventsWith } from '../../core/columns/fixtures.ts';

it('what comes while events are copied is in the log that takes the place of the old one', async () => {
  const hash = createKeyedHash([1, 2]);
  const before = createMemoryLog(1, hash);
  const events = eventsWith(new Array(2000).fill(1));
  before.append(events.slice(0, 1500));
  let after: MemoryLog | undefined;
  let came = 1500;
  const rows = Uint32Array.of(0, 700, 701);
  const isReplaced = await copyWithout(
    { log: before, rows, arrivals: rows, end: 1500, names: [] },
    {
      create: (survivors) => createMemoryLog(2, hash, survivors),
      replace: (log) => {
        after = log;
        return true;
      },
    },
    {
      now: () => 0,
      pause: () => {
        before.append(events.slice(came, (came += 100)));
        return Promise.resolve();
      },
    },
  );
  expect([isReplaced, before.size(), after?.size(), after?.survivors?.()?.ranges]).toEqual([
    true,
    2000,
    1997,
    [
      { from: 0, to: 1 },
      { from: 700, to: 702 },
    ],
  ]);
  expect(after!.append(events).duplicates).toHaveLength(1997);
});
