import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, toSafeJson, toTabbedLines, toTable } from '../../../../adapters/cli/print/output.ts';

const COLUMNS = [
  { head: 'NAME', text: ([name]: [string, string]) => name },
  { head: 'TEXT', text: ([, text]: [string, string]) => text },
];

describe('what reaches a terminal', () => {
  it('holds no control character, no change of direction and no lone surrogate', () => {
    expect(printable('a\u001b[2J\n\t\r\u0000\u007f\u009b')).toBe('a\\u001b[2J\\n\\t\\r\\u0000\\u007f\\u009b');
    expect(printable('x\u202ey\u2066\u2028\ufeff\ud800')).toBe('x\\u202ey\\u2066\\u2028\\ufeff\\ud800');
    expect(printable('\u{e0041}')).toBe('\\u{e0041}');
    expect(printable('größer 日本 👩‍💻')).toBe('größer 日本 👩‍💻');
  });

  it('a row stays one line, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))),
        (rows) => {
          const lines = toTabbedLines(rows, COLUMNS);
          expect(lines.split('\n').length).toBe(rows.length + 1);
          expect(lines.split('\t').length).toBe(rows.length + 1);
          if (rows.length > 0) expect(toTable(rows, COLUMNS, 80).split('\n').length).toBe(rows.length + 2);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('a table fits the width', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string({ maxLength: 300 })), { minLength: 1 }),
        (rows) => {
          const lines = toTable(rows, COLUMNS, 80).split('\n');
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
        },
      ),
      { numRuns: 30 },
    );
    const table = toTable([['a', 'short']], COLUMNS, 80);
    expect(table).toBe('NAME  TEXT\na     short\n');
  });

  it('safe JSON means the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify({ value, control: '\u009b\u007f' });
        expect(JSON.parse(toSafeJson(json))).toEqual(JSON.parse(json));
        expect(toSafeJson(json)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
