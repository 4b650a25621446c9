import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import type { Scheduler } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { createColumnIndex, createLiveRows, parseCountBody } from '../../../src/store-kit.ts';
import { eventsWith, HASH, SEED } from './fixtures.ts';

const T = 'tenant';
const ROWS = 1000;
const QUERY = parseCountBody({
  after: '1970-01-01',
  filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value: 5 }],
});
const EVERYTHING = parseCountBody({});
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** One tenant's index. Its questions go on at each pause, but one rests at one of them until `goOn`. */
function openIndex(rests: { readonly question: number; readonly at: number }) {
  let log = createMemoryLog(1, HASH);
  const events = eventsWith(Array.from({ length: ROWS }, (_, i) => i));
  log.append(events);
  const priorities: (string | undefined)[] = [];
  let pauses = 0;
  let goOn: (() => void) | undefined;
  const scheduler: Scheduler = {
    run: async (_owner, _signal, job, priority) => {
      const mayRest = priorities.push(priority) === rests.question;
      const pause = () =>
        mayRest && ++pauses === rests.at
          ? new Promise<void>((resolve) => (goOn = resolve))
          : Promise.resolve();
      return job({ now: () => 0, yieldIfDue: pause });
    },
  };
  const memory = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 });
  const index = createColumnIndex({ open: () => log, memory, scheduler, seed: SEED });
  return {
    index,
    memory,
    priorities,
    erase: (row: number) => {
      const next = createMemoryLog(log.id + 1, HASH, createLiveRows(1, [row]));
      next.append(events.filter((_, i) => i !== row));
      log.erase(Uint32Array.of(row));
      log = next;
    },
    goOn: () => goOn?.(),
  };
}

it.each(Array.from({ length: 8 }, (_, i) => i + 1))(
  'what a question makes of a log that was let go of while it rested at pause %i goes with the question',
  async (restsAt) => {
    const { index, memory, erase, goOn } = openIndex({ question: 1, at: restsAt });
    const asked = index.count(T, QUERY);
    await nextTurn();
    erase(7);
    expect(await index.count(T, EVERYTHING)).toBe(ROWS - 1);
    await nextTurn();
    goOn();
    expect(await asked).toBe(1);
    await nextTurn();
    index.forget(T);
    expect(memory.bytes).toBe(0);
  },
);

it('carries over last of all what no question needs, after the first question was answered', async () => {
  const { index, priorities, erase, goOn } = openIndex({ question: 2, at: 1 });
  await index.count(T, QUERY);
  erase(7);
  const asked = index.count(T, QUERY);
  await nextTurn();
  expect(priorities).toEqual([undefined, undefined]);
  goOn();
  expect(await asked).toBe(1);
  expect(priorities).toEqual([undefined, undefined, 'batch']);
});
