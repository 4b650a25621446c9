import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPTION_WORDS } from '../../../../adapters/import/base/options.ts';
import { toCsvRows, type CsvRow } from '../../../../adapters/import/readers/csv-rows.ts';
import { LINE_BYTES_MAX, toLinesWithReturns } from '../../../../adapters/import/readers/lines.ts';
import { isApiError } from '../../../../src/index.ts';
import { chunksOf, gather } from '../gathered.ts';

const read = (text: string | Buffer, delimiter = ',', cuts = [65_536]) =>
  gather(toCsvRows(toLinesWithReturns(chunksOf(Buffer.from(text), cuts), OPTION_WORDS), delimiter));
const cellsOf = async (text: string, delimiter?: string) =>
  (await read(text, delimiter)).flatMap(({ value }) =>
    value === undefined ? [] : [(value as CsvRow).cells],
  );

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'ü', '\u{1f600}', "'") });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('rows of CSV', () => {
  it('have the cells that a library finds, however lines end and bytes are cut', async () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom(',', ';', '\t'),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        async (rows, end, delimiter, cuts) => {
          const written = (text: string) => (/["\n\r,;\t]|^$/.test(text) ? quoted(text) : text);
          const text = rows.map((row) => row.map(written).join(delimiter) + end).join('');
          const found = await read(text, delimiter, cuts);
          expect(found.map(({ value }) => (value as CsvRow).cells)).toEqual(rows);
          const theirs = parse(text, { delimiter, relax_column_count: true, record_delimiter: end });
          expect(theirs).toEqual(rows);
        },
      ),
    );
  });

  it('say which cells stood in quotes, and on which line they begin', async () => {
    const found = await read('a,"b"\n"c\nd",e\n\n"",');
    expect(found.map(({ number }) => number)).toEqual([1, 2, 4, 5]);
    const values = found.map(({ value }) => value as CsvRow | undefined);
    expect(values.map((value) => value?.cells)).toEqual([['a', 'b'], ['c\nd', 'e'], undefined, ['', '']]);
    expect(values.map((value) => [value?.quoted[0] === true, value?.quoted[1] === true])).toEqual([
      [false, true],
      [true, false],
      [false, false],
      [true, false],
    ]);
  });

  it('take a quote within a bare cell as it is', async () => {
    expect(await cellsOf('5" pipe,b\n"a",5"\n')).toEqual([
      ['5" pipe', 'b'],
      ['a', '5"'],
    ]);
  });

  it.each([
    ['is too long', 'a'.repeat(LINE_BYTES_MAX)],
    ['is not UTF-8', Buffer.from([0xff])],
    ['is too long over several lines', `${'a'.repeat(LINE_BYTES_MAX - 100)}\n${'a'.repeat(200)}`],
    ['has blank lines without an end', '\n'.repeat(LINE_BYTES_MAX + 1)],
    ['goes on after a quote', '"x,"\n'],
    ['goes on after a quote in its second line', 'x\nb"z"'],
  ])('a cell of a row that %s never becomes a row', async (_name, long) => {
    const text = Buffer.concat([
      ...['ok,1\n"', long, '",2,"x\nforged,3\ny"\nok,4\n'].map((part) => Buffer.from(part)),
    ]);
    const found = await read(text);
    const rows = found.flatMap(({ value }) =>
      value === undefined || isApiError(value) ? [] : [value.cells],
    );
    expect(rows).toEqual([
      ['ok', '1'],
      ['ok', '4'],
    ]);
  });

  it('that no rule allows are refused alone', async () => {
    const long = `""${'x'.repeat(LINE_BYTES_MAX)}`;
    const found = await read(`a,b\n"a"b,c\n${long}\n"\xff",e\nf,g\n"open,\nh`);
    const told = found.map(({ number, value }) => [number, isApiError(value) ? value.message : 'row']);
    expect(told).toEqual([
      [1, 'row'],
      [2, 'event: its line has text after the closing quote of a cell'],
      [3, expect.stringMatching(/^event: its line takes at most/)],
      [4, 'row'],
      [5, 'row'],
      [6, 'event: its line begins a quoted cell that has no end'],
    ]);
  });
});
