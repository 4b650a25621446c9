import { describe, expect, it } from 'vitest';
import { toBatches, type RecordBatch } from '../../../../adapters/cli/import/batches.ts';
import type { SourceRecord } from '../../../../adapters/cli/import/readers/records.ts';

async function gather(lines: readonly SourceRecord[], problem?: Error): Promise<RecordBatch[]> {
  async function* source() {
    yield* await Promise.resolve(lines);
    if (problem !== undefined) throw problem;
  }
  const batches: RecordBatch[] = [];
  try {
    for await (const batch of toBatches(source())) batches.push(batch);
  } catch (error) {
    expect(error).toBe(problem);
  }
  return batches;
}

const linesOf = (count: number, bytes: number, value = { eventTs: 1, insertId: 'a' }): SourceRecord[] =>
  Array.from({ length: count }, (_, i) => ({ number: i + 1, bytes, value }));
const sizesOf = (batches: readonly RecordBatch[]) => batches.map(({ events }) => events.length);

describe('batches of an import', () => {
  it('end at 2,000 events or 4 MiB, and the next one counts from zero', async () => {
    expect(sizesOf(await gather(linesOf(4500, 100)))).toEqual([2000, 2000, 500]);
    expect(sizesOf(await gather(linesOf(20, 1_048_576)))).toEqual([4, 4, 4, 4, 4]);
    const mixed = [...linesOf(4, 1_048_576), ...linesOf(2500, 10)];
    expect(sizesOf(await gather(mixed))).toEqual([4, 2000, 500]);
  });

  it('name the line of each event and the last line, and skip lines that hold nothing', async () => {
    const lines = linesOf(5, 30).map((line, i) => (i % 2 === 1 ? { ...line, value: undefined } : line));
    const [batch] = await gather(lines.slice(0, 4));
    expect([batch?.numbers, batch?.last]).toEqual([[1, 3], 4]);
    const firstLines = (await gather(linesOf(4500, 100))).map(({ numbers }) => numbers[0]);
    expect(firstLines).toEqual([1, 2001, 4001]);
  });

  it('hold what was read before reading failed', async () => {
    expect(sizesOf(await gather(linesOf(2100, 100), new Error('cut')))).toEqual([2000, 100]);
    expect(sizesOf(await gather([], new Error('cut')))).toEqual([]);
  });
});
