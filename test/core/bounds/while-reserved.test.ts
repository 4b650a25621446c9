import { describe, expect, it } from 'vitest';
import { whileReserved } from '../../../src/core/bounds/while-reserved.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';

const PIECES = ['one', 'two', 'three'];

describe('the pieces of an answer', () => {
  it('have their memory from before the first until after the last', async () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    const answer = whileReserved(memory.reservation('a'), 60, PIECES);
    expect(memory.bytes).toBe(0);
    const seen: unknown[] = [];
    for await (const piece of answer) seen.push([piece, memory.bytes]);
    expect(seen).toEqual(PIECES.map((piece) => [piece, 60]));
    expect(memory.bytes).toBe(0);
  });

  it('give it back when their reader goes', async () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    for await (const piece of whileReserved(memory.reservation('a'), 60, PIECES)) {
      expect([piece, memory.bytes]).toEqual(['one', 60]);
      break;
    }
    expect(memory.bytes).toBe(0);
  });

  it('give it back when the rest cannot be read', async () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    const broken = (function* () {
      yield 'one';
      throw new Error('no disk');
    })();
    const answer = whileReserved(memory.reservation('a'), 60, broken);
    expect(await answer.next()).toEqual({ done: false, value: 'one' });
    await expect(answer.next()).rejects.toThrow('no disk');
    expect(memory.bytes).toBe(0);
  });

  it('are refused before the first where there is no room', async () => {
    const memory = createMemoryBudget({ bytesMax: 100, ownerShare: 1 });
    memory.reservation('b').reserve(50);
    const answer = whileReserved(memory.reservation('a'), 60, PIECES);
    await expect(answer.next()).rejects.toMatchObject({ status: 503 });
    expect(memory.bytes).toBe(50);
  });
});
