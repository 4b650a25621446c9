import { describe, expect, it } from 'vitest';
import { copyWithout } from '../../../adapters/memory/erasure.ts';
import { createMemoryLog, type MemoryLog } from '../../../adapters/memory/event-log.ts';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createKeyedHash } from '../../../src/core/base/keyed-hash.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { eventsWith } from '../../core/columns/fixtures.ts';
import { testResources } from '../../support/resources.ts';

it('events that arrive during the copy are in the new log', async () => {
  const hash = createKeyedHash([1, 2]);
  const before = createMemoryLog(1, hash);
  const events = eventsWith(new Array(2000).fill(1));
  before.append(events.slice(0, 1500));
  let after: MemoryLog | undefined;
  let came = 1500;
  const rows = Uint32Array.of(0, 700, 701);
  const isReplaced = await copyWithout(
    { log: before, rows, sequences: rows, end: 1500, names: [] },
    {
      create: (liveRows) => createMemoryLog(2, hash, liveRows),
      replace: (log) => {
        after = log;
        return true;
      },
    },
    {
      now: () => 0,
      yieldIfDue: () => {
        before.append(events.slice(came, (came += 100)));
        return Promise.resolve();
      },
    },
  );
  expect([isReplaced, before.size(), after?.size(), after?.liveRows?.()?.ranges]).toEqual([
    true,
    2000,
    1997,
    { starts: Float64Array.of(0, 700), ends: Float64Array.of(1, 702) },
  ]);
  expect(after!.append(events).duplicates).toHaveLength(1997);
});

describe('a page that is being read while events are erased', () => {
  async function begin() {
    const store = memoryEventStore({ resources: testResources() });
    const propertiesJson = JSON.stringify({ text: 'x'.repeat(700_000) });
    const events = eventsWith([1, 2, 3, 4]).map((event) => ({ ...event, propertiesJson }));
    await store.append('t', events);
    const pieces = (await store.query('t', parseCountBody({}), { offset: 0, size: 3 })).pieces();
    const read = pieces[Symbol.asyncIterator]();
    const first = await read.next();
    const left = async () => {
      const found = [];
      for (let step = await read.next(); step.done !== true; step = await read.next())
        found.push(...step.value);
      return found;
    };
    const idsOf = (from: number, to?: number) => events.slice(from, to).map(({ insertId }) => insertId);
    const erase = (insertIds: readonly string[]) => {
      const filterSet = [{ property: 'insertId', comparison: 'IN', value: insertIds }];
      return store.erase('t', parseCountBody({ filterSet }));
    };
    return { store, first: first.value as readonly object[], left, idsOf, erase };
  }

  it('no longer returns the erased events', async () => {
    const { store, first, left, idsOf, erase } = await begin();
    expect([first.length, await erase(idsOf(1, 2))]).toEqual([1, 1]);
    await expect(left()).rejects.toMatchObject({ code: 'unavailable' });
    const other = await begin();
    await other.store.erase('t');
    await expect(other.left()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.count('t', parseCountBody({}))).toBe(3);
  });

  it('continues when other events are erased', async () => {
    const { left, idsOf, erase } = await begin();
    expect(await erase(idsOf(0, 1))).toBe(1);
    expect(await left()).toHaveLength(2);
  });
});
