import { describe, expect, it } from 'vitest';
import { createPageWriter } from '../../../src/core/http/page-text.ts';
import { toEvent } from '../../../src/core/event/event.ts';
import type { Scheduler } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { pageOf, type StoredEvent, type StoredPage } from '../../../src/store-kit.ts';
import { AT_ONCE } from '../../support/resources.ts';

const eventOf = (i: number): StoredEvent => ({
  eventName: 'visit',
  userId: `user "${i}"`,
  eventTs: i,
  insertId: `id-${i}`,
  propertiesJson: `{"i":${i}}`,
});

const signal = { aborted: false };
const largeText = JSON.stringify({ text: 'x'.repeat(1_000_000) });
const largeEvents = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...eventOf(i), propertiesJson: largeText }));

/** A writer with a memory budget of its own; `pieces` are what it wrote. */
function setUp() {
  const memory = createMemoryBudget({ bytesMax: 10_000_000, ownerShare: 1 });
  const write = createPageWriter({ scheduler: AT_ONCE, memory });
  const piecesOf = async (page: StoredPage) => {
    const body = await write('t', page, [], signal);
    if (typeof body === 'string') return [body];
    const pieces: string[] = [];
    for await (const piece of body) pieces.push(piece);
    return pieces;
  };
  const textOf = async (events: readonly StoredEvent[]) => (await piecesOf(pageOf(events))).join('');
  return { memory, piecesOf, textOf };
}

const expected = (page: readonly StoredEvent[]) =>
  JSON.parse(JSON.stringify(page.map((event) => toEvent(event)))) as unknown;

describe('a small page', () => {
  it('is what the events are, whatever was written before', async () => {
    const { textOf } = setUp();
    const events = Array.from({ length: 20 }, (_, i) => eventOf(i));
    for (let round = 0; round < 3; round++) {
      for (let from = 0; from < 20; from++) {
        for (const length of [0, 1, 2, 5]) {
          const page = events.slice(from, from + length);
          expect(JSON.parse(await textOf(page))).toEqual(expected(page));
        }
      }
    }
  });

  it.each([
    ['first', 0],
    ['middle', 2],
    ['last', 4],
  ])('that differs in the %s event alone is another page', async (_name, place) => {
    const { textOf } = setUp();
    const events = Array.from({ length: 5 }, (_, i) => eventOf(i));
    expect(JSON.parse(await textOf(events))).toEqual(expected(events));
    const twin = events.with(place, eventOf(99));
    expect(JSON.parse(await textOf(twin))).toEqual(expected(twin));
  });

  it('is one piece that ends with its line; an empty one is not remembered', async () => {
    const { memory, piecesOf } = setUp();
    expect(await piecesOf(pageOf([]))).toEqual(['[]\n']);
    expect(memory.bytes).toBe(0);
  });

  it('is put together at once: whoever waited for a turn would hold its events meanwhile', async () => {
    const memory = createMemoryBudget({ bytesMax: 10_000_000, ownerShare: 1 });
    const scheduler: Scheduler = { run: () => new Promise(() => undefined) };
    const write = createPageWriter({ scheduler, memory });
    expect(JSON.parse((await write('t', pageOf([eventOf(1)]), [], signal)) as string)).toHaveLength(1);
  });

  it('is not remembered where the memory budget has no room for it', async () => {
    const { memory, textOf } = setUp();
    const written: number[] = [];
    const event = {
      ...eventOf(1),
      get propertiesJson() {
        written.push(1);
        return '{}';
      },
    };
    const times = async () => {
      written.length = 0;
      await textOf([event]);
      return written.length;
    };
    const [first, again] = [await times(), await times()];
    expect(again).toBeLessThan(first);
    expect(memory.reservation('other').reserve(10_000_000)).toBe(true);
    expect([await times(), await times()]).toEqual([first, first]);
  });

  it('is remembered in the memory budget, eight of them, and let go when the room is needed', async () => {
    const { memory, textOf } = setUp();
    const pageFrom = (from: number) => [eventOf(from), eventOf(from + 1)];
    await textOf(pageFrom(0));
    const one = memory.bytes;
    expect(one).toBeGreaterThan(0);
    for (let i = 10; i < 30; i += 2) await textOf(pageFrom(i));
    expect(memory.bytes).toBeLessThan(one * 9);
    expect(memory.reservation('other').reserve(10_000_000)).toBe(true);
    expect(memory.bytes).toBe(10_000_000);
    // Without room the page is written all the same.
    expect(JSON.parse(await textOf(pageFrom(50)))).toHaveLength(2);
  });
});

describe('a large page', () => {
  it('is written in pieces, each when it is asked for', async () => {
    const events = largeEvents(3);
    let loaded = 0;
    const page: StoredPage = {
      ...pageOf(events),
      async *pieces() {
        for (const event of events) {
          loaded += 1;
          yield await Promise.resolve([event]);
        }
      },
    };
    const { memory } = setUp();
    const body = await createPageWriter({ scheduler: AT_ONCE, memory })('t', page, [], signal);
    if (typeof body === 'string') throw new Error('a large page is no single text');
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    expect([loaded, String(first.value).slice(0, 14)]).toEqual([1, '[{"eventName":']);
    let text = String(first.value);
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) text += next.value;
    expect(JSON.parse(text)).toEqual(expected(events));
    expect(text.endsWith(']\n')).toBe(true);
    expect(memory.bytes).toBe(0);
  });

  it('is booked until it has left, and refused where there is no room for a piece', async () => {
    const { memory } = setUp();
    const write = createPageWriter({ scheduler: AT_ONCE, memory });
    const bodies = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const body = await write('t', pageOf(largeEvents(3)), [], signal);
        if (typeof body === 'string') throw new Error('a large page is no single text');
        return body[Symbol.asyncIterator]();
      }),
    );
    const begun = await Promise.allSettled(bodies.map((body) => body.next()));
    expect(begun.map(({ status }) => status)).toEqual([...Array<string>(4).fill('fulfilled'), 'rejected']);
    expect(begun[4]).toMatchObject({ reason: { code: 'overloaded' } });
    expect(memory.bytes).toBe(8 * 1_048_576);
    await bodies[0]!.return!();
    expect(memory.bytes).toBe(6 * 1_048_576);
    while ((await bodies[1]!.next()).done !== true);
    expect(memory.bytes).toBe(4 * 1_048_576);
  });

  it('begins at half a mebibyte', async () => {
    const { piecesOf } = setUp();
    const events = [eventOf(1), eventOf(2)];
    const pageOfBytes = (bytes: number) => ({ ...pageOf(events), bytes, pieces: () => piecewise(events) });
    expect(await piecesOf(pageOfBytes(524_288))).toHaveLength(1);
    expect(await piecesOf(pageOfBytes(524_289))).toHaveLength(3);
  });

  it('of 1,000 events of 250 KB is served, and nothing of it is kept', async () => {
    const propertiesJson = JSON.stringify({ text: 'x'.repeat(250_000) });
    const events = Array.from({ length: 1000 }, (_, i) => ({ ...eventOf(i), propertiesJson }));
    const page = { ...pageOf(events), pieces: () => piecewise(events) };
    const { piecesOf } = setUp();
    const lengths = (await piecesOf(page)).map(({ length }) => length);
    expect(lengths).toHaveLength(1001);
    expect(Math.max(...lengths)).toBeLessThan(300_000);
  });

  it('beyond 256 MiB is a 400 that says how many events one can hold', async () => {
    const { piecesOf } = setUp();
    const page = pageOf(largeEvents(400));
    await expect(piecesOf(page)).rejects.toThrow(
      'pagination.size: these events are too large for one answer; ask for at most 268',
    );
    expect(JSON.parse((await piecesOf(pageOf(largeEvents(2)))).join(''))).toHaveLength(2);
  });
});

async function* piecewise(events: readonly StoredEvent[]) {
  for (const event of events) yield await Promise.resolve([event]);
}
