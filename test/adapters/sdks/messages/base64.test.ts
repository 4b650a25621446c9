import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfBase64, jsonOfBase64 } from '../../../../adapters/sdks/messages/base64.ts';
import { decodeFormValue } from '../../../../src/core/event/text.ts';

describe('JSON in Base64', () => {
  it('is the text whose UTF-8 it writes, in either alphabet', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (generated) => {
        const text = generated.toWellFormed();
        expect(jsonOfBase64(Buffer.from(text).toString('base64'))).toBe(text);
        expect(jsonOfBase64(Buffer.from(text).toString('base64url'))).toBe(text);
      }),
    ));

  it('may write characters beyond U+FFFF by halves, as Mixpanel’s web SDK does', () => {
    const cesu8 = Buffer.from('22eda0bdedb98222', 'hex').toString('base64');
    expect(jsonOfBase64(cesu8)).toBe('"\\ud83d\\ude42"');
    // It cuts texts after 255 units, also within a character. The event is refused then, and not its batch.
    const half = Buffer.from('22eda0bd22', 'hex').toString('base64');
    expect(jsonOfBase64(half)).toBe('"\\ud83d"');
  });

  it.each(['!', 'a', 'ab=c', '/w=='])('%j is none', (text) => expect(jsonOfBase64(text)).toBeUndefined());

  it('is what the platform reads, where it reads it', () => {
    const characters = fc.constantFrom('Q', 'U', 'J', 'S', '+', '/', '=', '\n', '\t', '!', 'é');
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 9 }), (text) => {
        let expected: string | undefined;
        try {
          expected = atob(text);
        } catch {
          expected = undefined;
        }
        const bytes = bytesOfBase64(text);
        expect(bytes && Buffer.from(bytes).toString('latin1')).toBe(expected);
      }),
    );
  });
});

describe('a text of a stranger', () => {
  const LENGTH = 1_048_576;
  const filled = (part: string) => Buffer.alloc(LENGTH, part, 'latin1').toString('latin1');
  const halves = Buffer.from(filled('\xed\xa0\x80'), 'latin1').toString('base64');
  const letters = filled('A');
  const shortestOf = (read: () => unknown) => {
    const times = Array.from({ length: 3 }, () => {
      const began = performance.now();
      read();
      return performance.now() - began;
    });
    return Math.min(...times);
  };

  it.each<[string, string, (text: string) => unknown]>([
    ['pluses of a form', filled('+'), decodeFormValue],
    ['escapes of a form', filled('%C3%A9'), decodeFormValue],
    ['minus signs in Base64', filled('-'), jsonOfBase64],
    ['blanks in Base64', filled(' '), jsonOfBase64],
    ['lines of Base64', filled('AAA\n'), jsonOfBase64],
    ['halves of characters in Base64', halves.slice(0, LENGTH), jsonOfBase64],
  ])('%s takes no more than some passes over it', (_what, text, read) => {
    // A match of a pattern costs as much as a hundred characters of a loop.
    const pass = shortestOf(() => bytesOfBase64(letters));
    expect(shortestOf(() => read(text))).toBeLessThan(pass * 15);
  });
});
