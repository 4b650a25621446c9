import { describe, expect, it } from 'vitest';
import { createSeal } from '../../../adapters/oidc/seal.ts';

describe('a seal', () => {
  const seal = createSeal('a secret');

  it('returns the sealed text, for the same use and the same secret only', () => {
    const token = 'a-token-that-no-draw-of-letters-writes';
    for (const text of ['', token, 'é😀'.repeat(500)]) {
      const sealed = seal.close(text, 'login');
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(sealed).not.toContain(token);
      expect(createSeal('a secret').open(sealed, 'login')).toBe(text);
      expect(seal.open(sealed, 'refresh')).toBeUndefined();
      expect(createSeal('another').open(sealed, 'login')).toBeUndefined();
    }
    expect(seal.close('token', 'login')).not.toBe(seal.close('token', 'login'));
  });

  it('opens no text that was changed, truncated or made up', () => {
    const sealed = seal.close('token', 'login');
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      expect(seal.open(sealed.slice(0, at) + other + sealed.slice(at + 1), 'login')).toBeUndefined();
      expect(seal.open(sealed.slice(0, at), 'login')).toBeUndefined();
    }
    for (const text of ['', 'a', '!!', 'x'.repeat(5_000)]) expect(seal.open(text, 'login')).toBeUndefined();
  });
});
