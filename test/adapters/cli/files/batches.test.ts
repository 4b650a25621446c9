import { describe, expect, it } from 'vitest';
import { toBatches, type LineBatch } from '../../../../adapters/cli/files/batches.ts';
import type { FileLine } from '../../../../adapters/cli/files/lines.ts';

async function gather(lines: readonly FileLine[], problem?: Error): Promise<LineBatch[]> {
  async function* source() {
    yield* await Promise.resolve(lines);
    if (problem !== undefined) throw problem;
  }
  const batches: LineBatch[] = [];
  try {
    for await (const batch of toBatches(source())) batches.push(batch);
  } catch (error) {
    expect(error).toBe(problem);
  }
  return batches;
}

const linesOf = (count: number, bytes: number, text = '{"eventTs":1,"insertId":"a"}'): FileLine[] =>
  Array.from({ length: count }, (_, i) => ({ number: i + 1, bytes, text }));
const sizesOf = (batches: readonly LineBatch[]) => batches.map(({ events }) => events.length);

describe('batches of an import', () => {
  it('end at 2,000 events or 4 MiB, and the next one counts from zero', async () => {
    expect(sizesOf(await gather(linesOf(4500, 100)))).toEqual([2000, 2000, 500]);
    expect(sizesOf(await gather(linesOf(20, 1_048_576)))).toEqual([4, 4, 4, 4, 4]);
    const mixed = [...linesOf(4, 1_048_576), ...linesOf(2500, 10)];
    expect(sizesOf(await gather(mixed))).toEqual([4, 2000, 500]);
  });

  it('name the line of each event and the last line, and skip blank lines', async () => {
    const lines = linesOf(5, 30).map((line, i) => (i % 2 === 1 ? { ...line, text: ' ' } : line));
    const [batch] = await gather(lines.slice(0, 4));
    expect([batch?.lineNumbers, batch?.lastLine]).toEqual([[1, 3], 4]);
  });

  it('hold what was read before reading failed', async () => {
    expect(sizesOf(await gather(linesOf(2100, 100), new Error('cut')))).toEqual([2000, 100]);
    expect(sizesOf(await gather([], new Error('cut')))).toEqual([]);
  });
});
