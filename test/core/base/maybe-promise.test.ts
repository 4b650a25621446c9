import { describe, expect, it } from 'vitest';
import { finallyDo, catchDo } from '../../../src/core/base/maybe-promise.ts';

const broken = new Error('broken');
const atOnce = () => {
  throw broken;
};
const later = () => Promise.reject(broken);

describe('what is done when work has ended', () => {
  it('is done once, whether the answer is there, comes later or never comes', async () => {
    let ends = 0;
    const end = () => void (ends += 1);
    expect(finallyDo(() => 1, end)).toBe(1);
    expect(ends).toBe(1);
    const answer = finallyDo(() => Promise.resolve(2), end);
    expect(ends).toBe(1);
    expect(await answer).toBe(2);
    expect(ends).toBe(2);
    expect(() => finallyDo(atOnce, end)).toThrow(broken);
    expect(ends).toBe(3);
    await expect(finallyDo(later, end)).rejects.toBe(broken);
    expect(ends).toBe(4);
  });

  it('handles what is thrown at once and what is refused later alike', async () => {
    const handle = (error: unknown) => (error === broken ? 'handled' : 'another');
    expect(catchDo(atOnce, handle)).toBe('handled');
    expect(await catchDo(later, handle)).toBe('handled');
    expect(catchDo(() => 'whole', handle)).toBe('whole');
  });
});
