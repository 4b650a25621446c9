import { describe, expect, it } from 'vitest';
import { toBatches, type ImportedEvent } from '../../../adapters/import/index.ts';

async function gather(events: readonly ImportedEvent[], problem?: Error) {
  async function* source() {
    yield* await Promise.resolve(events);
    if (problem !== undefined) throw problem;
  }
  const batches: (readonly ImportedEvent[])[] = [];
  try {
    for await (const batch of toBatches(source())) batches.push(batch);
  } catch (error) {
    expect(error).toBe(problem);
  }
  return batches;
}

const event = { eventName: 'a', userId: 'u', eventTs: 1, insertId: 'a' };
const eventsOf = (count: number, bytes: number): ImportedEvent[] =>
  Array.from({ length: count }, (_, i) => ({ event, unit: 'line', isInOrder: true, number: i + 1, bytes }));
const sizesOf = (batches: readonly (readonly ImportedEvent[])[]) => batches.map(({ length }) => length);

describe('batches of an import', () => {
  it('end at 2,000 events or 4 MiB, and the next one counts from zero', async () => {
    expect(sizesOf(await gather(eventsOf(4500, 100)))).toEqual([2000, 2000, 500]);
    expect(sizesOf(await gather(eventsOf(20, 1_048_576)))).toEqual([4, 4, 4, 4, 4]);
    const mixed = [...eventsOf(4, 1_048_576), ...eventsOf(2500, 10)];
    expect(sizesOf(await gather(mixed))).toEqual([4, 2000, 500]);
  });

  it('have each event once, in the order of the file', async () => {
    const events = eventsOf(4500, 100);
    expect((await gather(events)).flat()).toEqual(events);
  });

  it('hold what was read before reading failed', async () => {
    expect(sizesOf(await gather(eventsOf(2100, 100), new Error('cut')))).toEqual([2000, 100]);
    expect(sizesOf(await gather([], new Error('cut')))).toEqual([]);
  });
});
