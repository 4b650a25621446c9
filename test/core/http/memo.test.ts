import { describe, expect, it } from 'vitest';
import { createMemo } from '../../../src/core/http/memo.ts';

function createCounted() {
  const parsed: string[] = [];
  const memo = createMemo((text) => {
    parsed.push(text);
    if (text === 'bad') throw new Error('bad');
    return { text };
  });
  return { memo, parsed };
}

describe('a memo', () => {
  it('parses the same text once and returns the same value', () => {
    const { memo, parsed } = createCounted();
    expect(memo('a')).toBe(memo('a'));
    expect(memo('b')).toEqual({ text: 'b' });
    expect(parsed).toEqual(['a', 'b']);
  });

  it('does not remember a failure', () => {
    const { memo, parsed } = createCounted();
    expect(() => memo('bad')).toThrow('bad');
    expect(() => memo('bad')).toThrow('bad');
    expect(parsed).toEqual(['bad', 'bad']);
  });

  it('forgets the oldest of more than 256 texts', () => {
    const { memo, parsed } = createCounted();
    for (let i = 0; i <= 256; i++) memo(String(i));
    parsed.length = 0;
    memo('256');
    memo('0');
    expect(parsed).toEqual(['0']);
  });

  it('does not keep a text of more than 4,096 characters', () => {
    const { memo, parsed } = createCounted();
    for (const length of [4096, 4096, 4097, 4097]) memo('x'.repeat(length));
    expect(parsed.map(({ length }) => length)).toEqual([4096, 4097, 4097]);
  });
});
