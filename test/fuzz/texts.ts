import * as fc from 'fast-check';

/** Characters that mean something to one of the parsers, or to an engine behind it. */
const CHARACTERS = [
  ...[
    '.',
    '\\',
    '"',
    "'",
    '%',
    '_',
    '-',
    '+',
    ':',
    ',',
    '{',
    '}',
    '[',
    ']',
    '/',
    '?',
    '#',
    '@',
    '&',
    '=',
    '*',
    '`',
    '$',
  ],
  ...[
    ' ',
    '\n',
    '\r',
    '\t',
    '\u0000',
    '\u0001',
    '\u007f',
    '\u0080',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\uffff',
  ],
  ...[
    '\ud800',
    '\udc00',
    '\u{1f600}',
    '\uff5e',
    'é',
    'e\u0301',
    '0',
    '1',
    '9',
    'e',
    'E',
    'T',
    'Z',
    'z',
    'a',
    'A',
    '٣',
  ],
  ...[
    'null',
    'true',
    '1e400',
    '-0',
    '\\u0000',
    '\\ud800',
    '__proto__',
    'constructor',
    '%00',
    '%ff',
    '..',
    '%2e',
  ],
];

type Edit = readonly [at: number, kind: 'insert' | 'delete' | 'replace' | 'repeat', character: string];

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.tuple(
    fc.nat({ max: 10_000 }),
    fc.constantFrom('insert', 'delete', 'replace', 'repeat'),
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...CHARACTERS) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }) },
    ),
  ),
  { maxLength: 4 },
);

function edit(text: string, [at, kind, character]: Edit): string {
  const place = at % (text.length + 1);
  switch (kind) {
    case 'insert':
      return text.slice(0, place) + character + text.slice(place);
    case 'delete':
      return text.slice(0, place) + text.slice(place + character.length);
    case 'replace':
      return text.slice(0, place) + character + text.slice(place + 1);
    case 'repeat':
      return text.slice(0, place) + text.slice(Math.max(0, place - 20));
  }
}

/** Texts that are right, or right but for an edit or four, and now and then any text at all. */
export function edited(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.tuple(texts, edits).map(([text, some]) => some.reduce(edit, text)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  );
}
