import { describe, expect, it } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createKeyedHash } from '../../../src/core/base/keyed-hash.ts';
import { LogGoneError, parseCountBody, SEGMENT_ROWS } from '../../../src/store-kit.ts';
import { bitmapsOf, countingPacer, eventsWith, propertyPath, range } from '../../core/columns/fixtures.ts';
import { testResources } from '../../support/resources.ts';

const NOTHING = parseCountBody({ event: 'no event has this name' });
const EVENTS = eventsWith(range(0, SEGMENT_ROWS + 10));

function openLog() {
  const log = createMemoryLog(1, createKeyedHash([1, 2]));
  log.append(EVENTS);
  const choose = (rows: readonly number[]) => {
    const own = log.view();
    const [names, kept] = [new Set<string>(), new Set<string>()];
    return { log: own, count: rows.length, bitmaps: bitmapsOf(rows), end: own.size(), names, kept };
  };
  const erase = (rows: readonly number[]) => log.erase(choose(rows), NOTHING);
  return { log, choose, erase };
}

describe('a log of which rows are erased', () => {
  it('keeps the numbers of the others, and has no value of an erased row', async () => {
    const { log, erase } = openLog();
    expect([erase([3, 5]), erase([4])]).toEqual([2, 1]);
    for (let times = 0; times < 2; times++) {
      const view = log.view();
      expect([view.version, view.size(), view.erased().count]).toEqual([2, EVENTS.length, 3]);
      const paths = [
        propertyPath('p'),
        { root: 'insertId', segments: [] },
        { root: 'eventTs', segments: [] },
      ];
      const left = [2, undefined, undefined, undefined, 6];
      expect(view.values(paths as never, 2, 7)).toEqual([
        left,
        left.map((row) => row && `id-${row}`),
        left.map((row) => row && row * 1000),
      ]);
      expect(view.events([6])).toEqual([expect.objectContaining(EVENTS[6]!)]);
      await log.free(countingPacer());
    }
  });

  it('is of one version: what was chosen from an older one is not erased', () => {
    const { log, choose, erase } = openLog();
    const before = log.view();
    erase([3]);
    expect(() => before.size()).toThrow(LogGoneError);
    expect(() => before.values([propertyPath('p')], 0, 1)).toThrow(LogGoneError);
    expect(() => before.insertIdAt(0)).toThrow(LogGoneError);
    const chosen = { ...choose([4]), log: before };
    expect([log.erase(chosen, NOTHING), log.view().erased().count]).toEqual([undefined, 1]);
    // The events of a page are still read, unless one of them was erased.
    expect(before.events([4])).toHaveLength(1);
    expect(() => before.events([3])).toThrow(LogGoneError);
  });

  it('takes an erased event again, in a row of its own, and no other', async () => {
    const { log, erase } = openLog();
    erase([7]);
    expect(log.append([EVENTS[7]!, EVENTS[8]!]).duplicates).toEqual([1]);
    await log.free(countingPacer());
    expect(log.append([EVENTS[7]!, EVENTS[8]!]).duplicates).toEqual([0, 1]);
    const view = log.view();
    expect([view.size(), view.insertIdAt(EVENTS.length)]).toEqual([EVENTS.length + 1, 'id-7']);
  });

  it('frees a segment that is erased as a whole, whatever arrives meanwhile', async () => {
    const { log, erase } = openLog();
    erase(range(0, SEGMENT_ROWS));
    const later = eventsWith([1], EVENTS.length);
    let came = 0;
    const pause = () => {
      if (came++ === 0) log.append(later);
      return Promise.resolve();
    };
    await log.free({ now: () => 0, yieldIfDue: pause });
    const view = log.view();
    expect([came, view.size() - view.erased().count]).toEqual([1, 11]);
    expect(view.values([propertyPath('p')], 0, 2)).toEqual([[undefined, undefined]]);
    expect(view.insertIdAt(EVENTS.length)).toBe(later[0]!.insertId);
    expect(log.append(EVENTS).duplicates).toHaveLength(10);
    expect(log.end()).toBe(SEGMENT_ROWS + 11);
  });

  it('takes what matches of the events that came after the rows were chosen, and keeps the others', () => {
    const { log, choose } = openLog();
    const chosen = { ...choose([0]), names: new Set(['name-0', 'name-1']), kept: new Set(['name-2']) };
    const later = ['name-0', 'new', 'name-2', 'stays'].map((eventName, i) => ({
      ...EVENTS[0]!,
      ...{ eventName, eventTs: 5, insertId: `later-${i}`, userId: eventName === 'name-0' ? 'other' : 'gone' },
    }));
    log.append([...later, { ...later[3]!, insertId: 'later-4', userId: 'other' }]);
    const filterSet = [{ property: 'userId', comparison: 'EQUALS', value: 'gone' }];
    expect(log.erase(chosen, parseCountBody({ filterSet }))).toBe(4);
    expect(log.names()).toEqual(['name-0', 'name-2', 'stays']);
    const view = log.view();
    expect(view.erased().count).toBe(4);
    expect(view.events([EVENTS.length, EVENTS.length + 4])).toMatchObject([
      later[0]!,
      { insertId: 'later-4' },
    ]);
  });
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
