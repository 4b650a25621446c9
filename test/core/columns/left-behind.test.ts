import { expect, it } from 'vitest';
import type { Scheduler } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { createColumnIndex, parseCountBody } from '../../../src/store-kit.ts';
import { eventsWith, logOf, SEED } from './fixtures.ts';

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
  const log = logOf(eventsWith(Array.from({ length: ROWS }, (_, i) => i)));
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
  const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
  return { index, memory, priorities, log, goOn: () => goOn?.() };
}

it.each(Array.from({ length: 12 }, (_, i) => i + 1))(
  'a question during which a row is erased while it rests at pause %i answers without it, and leaves nothing',
  async (restsAt) => {
    const { index, memory, log, goOn } = openIndex({ question: 1, at: restsAt });
    const asked = index.count(T, QUERY);
    await nextTurn();
    log.erase([5]);
    expect(await index.count(T, EVERYTHING)).toBe(ROWS - 1);
    await nextTurn();
    goOn();
    // If it has not rested, it was answered before the erasure.
    expect([0, 1]).toContain(await asked);
    expect(await index.count(T, QUERY)).toBe(0);
    index.forget(T);
    expect(memory.bytes).toBe(0);
  },
);

it.each(Array.from({ length: 8 }, (_, i) => i + 1))(
  'what a question makes of a log that is gone while it rests at pause %i goes with the question',
  async (restsAt) => {
    const { index, memory, goOn } = openIndex({ question: 1, at: restsAt });
    const asked = index.count(T, QUERY);
    await nextTurn();
    index.forget(T);
    goOn();
    expect(await asked).toBe(1);
    index.forget(T);
    expect(memory.bytes).toBe(0);
  },
);

it('frees what an erasure leaves as a batch job, which no question waits for', async () => {
  const { index, log, priorities } = openIndex({ question: 2, at: Infinity });
  await index.count(T, QUERY);
  log.erase([7]);
  expect(await index.count(T, QUERY)).toBe(1);
  expect(priorities).toEqual([undefined, undefined, 'batch']);
  // Only an erasure has one.
  expect(await index.count(T, QUERY)).toBe(1);
  expect(priorities).toHaveLength(4);
});
