import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createEngine, type ApiError, type EventInput, type Scheduler } from '../../../src/index.ts';
import { createMemoryBudget, createScheduler } from '../../../src/transport-kit.ts';
import { parseJsonLine } from '../../../src/internal.ts';
import { testResources } from '../../support/resources.ts';

const NOW = Date.parse('2024-05-18T10:00:00.000Z');

function setUp() {
  const resources = testResources({ runtime: { now: () => NOW } });
  return createEngine({ events: memoryEventStore({ resources: testResources() }), resources });
}

const event = (i: number): EventInput => ({
  eventName: 'e',
  userId: 'u',
  eventTs: NOW - i,
  insertId: `id-${i}`,
  properties: { i },
});

describe('query', () => {
  it('answers the spec’s event objects, newest first', async () => {
    const engine = setUp();
    await engine.tenant('t').append([event(1), event(0)]);
    const { events } = await engine.tenant('t').query({});
    expect(events).toEqual([
      {
        eventName: 'e',
        userId: 'u',
        eventTs: '2024-05-18T10:00:00.000Z',
        properties: { i: 0 },
        eventDate: '2024-05-18',
        insertId: 'id-0',
      },
      expect.objectContaining({ eventTs: '2024-05-18T09:59:59.999Z', properties: { i: 1 } }),
    ]);
  });

  it('a full page has a cursor, a short one none', async () => {
    const engine = setUp();
    await engine.tenant('t').append([event(0), event(1), event(2)]);
    const page = (size: number, cursor?: string) =>
      engine.tenant('t').query({ pagination: cursor === undefined ? { size } : { size, cursor } });
    expect((await page(4)).nextCursor).toBeUndefined();
    expect((await page(3)).nextCursor).toMatch(/./);
    expect((await page(3, (await page(3)).nextCursor)).events).toEqual([]);
    const rest = await page(3, (await page(2)).nextCursor);
    expect(rest.events.map(({ insertId }) => insertId)).toEqual(['id-2']);
    expect(rest.nextCursor).toBeUndefined();
  });

  it('rejects a body that it does not understand', async () => {
    const engine = setUp();
    await expect(engine.tenant('t').query({ pagination: { size: 0 } })).rejects.toMatchObject({
      status: 400,
    });
    await expect(engine.tenant('t').count({ pagination: {} } as never)).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('append', () => {
  it('stores the good events of a batch and says what became of each', async () => {
    const engine = setUp();
    const report = await engine
      .tenant('t')
      .append([
        event(0),
        { ...event(1), userId: 5 as never },
        event(0),
        parseJsonLine('{"eventName":') as ApiError,
        { eventName: 'e', userId: 'u' },
      ]);
    expect(report).toEqual({
      accepted: 2,
      duplicates: 1,
      rejected: [
        { index: 1, error: 'userId: takes a string of 1 to 256 characters, got the number 5' },
        { index: 3, error: 'event: its line is not valid JSON' },
      ],
    });
    expect(await engine.tenant('t').count({})).toBe(2);
    expect(await engine.tenant('t').append([event(0)])).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    expect(await engine.tenant('t').append([])).toEqual({ accepted: 0, duplicates: 0, rejected: [] });
  });

  it('events without a time come back in the order in which they were sent, last first', async () => {
    const engine = setUp();
    const bare = (i: number) => ({ eventName: 'e', userId: 'u', properties: { i } });
    const ten = Array.from({ length: 10 }, (_, i) => bare(i));
    // Several batches within one millisecond of the clock, as well.
    await engine.tenant('t').append(ten);
    await engine.tenant('t').append([bare(10), bare(11)]);
    await engine.tenant('other').append([bare(99)]);
    await engine.tenant('t').append([bare(12)]);
    const { events } = await engine.tenant('t').query({});
    expect(events.map(({ properties }) => properties.i)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('an event of another user is refused by itself', async () => {
    const engine = setUp();
    const report = await engine.tenant('t').append([event(0), { ...event(1), userId: 'v' }], { userId: 'v' });
    const error = 'userId: must equal the sub claim of the access token';
    expect(report).toEqual({ accepted: 1, duplicates: 0, rejected: [{ index: 0, error }] });
  });

  it('a name too many is told by its place in the batch, between what else was refused', async () => {
    const resources = testResources();
    const engine = createEngine({
      events: memoryEventStore({ resources: testResources() }),
      resources,
      eventNamesMax: 1,
    });
    const bad = { ...event(1), userId: 5 as never };
    const report = await engine
      .tenant('t')
      .append([bad, event(2), { ...event(3), eventName: 'one more' }, bad]);
    expect(report).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(report.rejected.map(({ index }) => index)).toEqual([0, 2, 3]);
    expect(report.rejected[1]!.error).toContain('at most 1 distinct event names');
  });

  it('gives back the memory of a batch, whether it was stored or not', async () => {
    const memory = createMemoryBudget({ bytesMax: 10_000, ownerShare: 1 });
    const events = memoryEventStore({ resources: testResources() });
    const resources = testResources({ memory });
    await createEngine({ events, resources })
      .tenant('t')
      .append([event(0)]);
    expect(memory.bytes).toBe(0);
    const broken = { ...events, append: () => Promise.reject(new Error('disk')) };
    const failing = createEngine({ events: broken, resources }).tenant('t');
    await expect(failing.append([event(1)])).rejects.toThrow('disk');
    const large = { ...event(2), properties: { text: 'x'.repeat(20_000) } };
    await expect(failing.append([large])).rejects.toMatchObject({ code: 'overloaded' });
    expect(memory.bytes).toBe(0);
  });

  it('stores nothing of a batch whose client leaves while the batch waits for its next turn', async () => {
    let ms = 0;
    const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const scheduler = createScheduler({ now: () => ms, nextTurn });
    const events = memoryEventStore({ resources: testResources() });
    const memory = createMemoryBudget({ bytesMax: 10_000 });
    const shop = createEngine({ events, resources: testResources({ scheduler, memory }) }).tenant('t');
    const signal = { aborted: false };
    function* batch() {
      yield event(0);
      // The slice is over, so the batch waits when it takes the next event; its client leaves meanwhile.
      ms += 1_000;
      queueMicrotask(() => {
        signal.aborted = true;
      });
      yield event(1);
    }
    await expect(shop.append(batch(), { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect([await shop.count({}), memory.bytes]).toEqual([0, 0]);
  });

  it('to wait for the disk is no turn of the tenant', async () => {
    let [open, openWhileStoring] = [0, -1];
    const scheduler: Scheduler = {
      run: async (_owner, _signal, job) => {
        open += 1;
        const answer = await job({ now: () => 0, yieldIfDue: () => undefined });
        open -= 1;
        return answer;
      },
    };
    const events = memoryEventStore({ resources: testResources() });
    const append: typeof events.append = (...batch) => {
      openWhileStoring = open;
      return events.append(...batch);
    };
    const engine = createEngine({ events: { ...events, append }, resources: testResources({ scheduler }) });
    expect(await engine.tenant('t').append([event(0)])).toMatchObject({ accepted: 1 });
    expect(openWhileStoring).toBe(0);
  });

  it('tenants have their own events and names', async () => {
    const engine = setUp();
    await engine.tenant('a').append([event(0)]);
    await engine.tenant('b').append([{ ...event(0), eventName: 'z' }]);
    expect([await engine.tenant('a').eventNames(), await engine.tenant('b').eventNames()]).toEqual([
      ['e'],
      ['z'],
    ]);
    expect([await engine.tenant('a').count({}), await engine.tenant('c').count({})]).toEqual([1, 0]);
  });
});
