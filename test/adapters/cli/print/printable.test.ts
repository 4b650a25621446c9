import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, shellWord } from '../../../../adapters/cli/print/printable.ts';

describe('what reaches a terminal', () => {
  it('holds no control character, no change of direction and no lone surrogate', () => {
    expect(printable('a\u001b[2J\n\t\r\u0000\u007f\u009b')).toBe('a\\u001b[2J\\n\\t\\r\\u0000\\u007f\\u009b');
    expect(printable('x\u202ey\u2066\u2028\ufeff\ud800')).toBe('x\\u202ey\\u2066\\u2028\\ufeff\\ud800');
    expect(printable('\u{e0041}')).toBe('\\u{e0041}');
    expect(printable('größer 日本 👩‍💻')).toBe('größer 日本 👩‍💻');
  });

  it('is JSON with the same meaning, whatever the values hold', () => {
    const nasty = '\u009b2J\u007f\u202e\u2066\u200b\u2028\u{e0041}';
    expect(printableJson('"\u009b\u{e0041}"\n')).toBe('"\\u009b\\udb40\\udc41"\n');
    expect(printableJson('"größer 日本 👩‍💻"\n')).toBe('"größer 日本 👩‍💻"\n');
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const lines = `${JSON.stringify({ value, nasty })}\n${JSON.stringify(value)}\n`;
        const safe = printableJson(lines);
        expect(safe.split('\n').slice(0, 2).map(toValue)).toEqual(lines.split('\n').slice(0, 2).map(toValue));
        expect(safe.replaceAll('\u200d', '')).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

const toValue = (json: string) => JSON.parse(json) as unknown;

describe('a word of a command', () => {
  it('is one word to a shell, with the same text', () => {
    const words = ["it's", '$(id) `id` "\\', '-x', '', 'a b', "''", '1.abc.5.a!(*)~'];
    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`]);
    expect(printed.toString()).toBe(`${words.join('\n')}\n`);
  });
});
