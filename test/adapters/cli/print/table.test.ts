import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTabbedLines, toTable } from '../../../../adapters/cli/print/table.ts';

const COLUMNS = [
  { head: 'NAME', text: ([name]: [string, string]) => name },
  { head: 'TEXT', text: ([, text]: [string, string]) => text },
];

describe('rows', () => {
  it('a row stays one line, whatever it holds', () => {
    expect(toTabbedLines([['a\tb', 'c\nd']], COLUMNS).match(/[\t\n]/g)).toEqual(['\t', '\n']);
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

  it('a truncated cell never ends in half of a character', () => {
    const table = toTable([[`${'x'.repeat(46)}😀😀`, '']], COLUMNS, 80);
    expect(table.isWellFormed()).toBe(true);
    expect(table).toContain(`${'x'.repeat(46)}\ufffd…`);
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
    const long = toTable([['a', 'x'.repeat(300)]], COLUMNS, 80).split('\n');
    expect(Math.max(...long.map((line) => line.length))).toBe(78);
    // The last column keeps a minimum width on a terminal that is too narrow.
    expect(toTable([['a'.repeat(40), 'fourteen signs']], COLUMNS, 20)).toContain('fourteen signs');
    const table = toTable([['a', 'short']], COLUMNS, 80);
    expect(table).toBe('NAME  TEXT\na     short\n');
  });
});
