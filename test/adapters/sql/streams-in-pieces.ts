import { expect, it } from 'vitest';
import type { EventStore, MemoryBudget } from '../../../src/index.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import type { StoredEvent, Stream, StreamsPiece } from '../../../src/store-kit.ts';

const USERS = 2000;
const STEPS = 30;

/** A store with a memory budget of its own. */
export interface BudgetedStore {
  readonly events: EventStore;
  readonly memory: MemoryBudget;
}

const eventAt = (user: number, i: number): StoredEvent => ({
  ...{
    eventName: i % 2 === 0 ? 'A' : 'B',
    userId: `user ${user}`,
    eventTs: user + i,
    insertId: `${user}/${i}`,
  },
  propertiesJson: '{}',
});

/** Users with some events each, one with as many as a hundred others, and events of no user at the path. */
const EVENTS: readonly StoredEvent[] = [
  ...Array.from({ length: USERS }, (_, user) =>
    Array.from({ length: STEPS }, (_, i) => eventAt(user, i)),
  ).flat(),
  ...Array.from({ length: STEPS * 100 }, (_, i) => eventAt(USERS, i)),
];

const { query, streams } = parseSequenceBody({ steps: [{ event: 'A' }, { event: 'B' }] });

const told = ({ key, instants, bits }: Stream) =>
  JSON.stringify([key, Array.from(instants), Array.from(bits)]);

/** What a store tells of all streams, as a definition would. */
function expected(): string[] {
  const all = new Map<string, StoredEvent[]>();
  for (const event of EVENTS) all.set(event.userId, [...(all.get(event.userId) ?? []), event]);
  return Array.from(all, ([key, own]) =>
    JSON.stringify([key, own.map(({ eventTs }) => eventTs), own.map((_, i) => 1 << (i % 2))]),
  ).sort();
}

/** The tests of stores that read streams a few rows at a time. */
export function testStreamsInPieces(open: (bytesMax: number) => Promise<BudgetedStore>): void {
  /** All pieces, and the memory that was booked while each of them was looked at. */
  async function readAll({ events, memory }: BudgetedStore, look?: (piece: number) => Promise<void>) {
    const pieces: StreamsPiece[] = [];
    const booked: number[] = [];
    for await (const piece of events.streams!('pieces', query, streams)) {
      await look?.(pieces.length);
      pieces.push(piece);
      booked.push(memory.bytes);
    }
    return { pieces, booked };
  }
  const keysOf = (pieces: readonly StreamsPiece[]) =>
    pieces.flatMap((piece) => Array.from(piece.streams, told)).sort();

  it('reads streams in pieces that are of one moment, and books one piece at a time', async () => {
    const roomy = await open(2 ** 30);
    for (let from = 0; from < EVENTS.length; from += 10_000)
      await roomy.events.append('pieces', EVENTS.slice(from, from + 10_000));
    const late = { ...eventAt(1, 0), insertId: 'late', userId: 'late' };
    const { pieces, booked } = await readAll(roomy, async (piece) => {
      if (piece === 0) await roomy.events.append('pieces', [late]);
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(keysOf(pieces)).toEqual(expected());
    expect(roomy.memory.bytes).toBe(0);
    // The memory of a piece is given back before the next one is booked, so it does not only grow.
    expect(booked.some((bytes, i) => i > 0 && bytes < booked[i - 1]!)).toBe(true);
    const most = Math.max(...booked);
    const tight = await open(most * 1.5);
    expect((await readAll(tight)).pieces.length).toBeGreaterThan(1);
    await expect(readAll(await open(most / 8))).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('gives its connection back where nobody reads on', async () => {
    const { events, memory } = await open(2 ** 30);
    for (let i = 0; i < 30; i++)
      for await (const piece of events.streams!('pieces', query, streams)) {
        expect([...piece.streams].length).toBeGreaterThan(0);
        break;
      }
    expect(memory.bytes).toBe(0);
    expect(await events.count('pieces', query)).toBeGreaterThan(0);
  });
}
