/** A body, and the status that it has to get. */
export type BodyCase = readonly [name: string, body: string | Uint8Array, status: number];

/** The largest body of a query. */
const BODY_BYTES = 262_144;

/** As many of a part as fit into a body between two texts. */
export function fillBody(before: string, part: string, after: string, bytes = BODY_BYTES): string {
  const room = bytes - before.length - after.length;
  return (
    before +
    Array<string>(Math.floor(room / (part.length + 1)))
      .fill(part)
      .join(',') +
    after
  );
}

/** A body with one filter. */
export function withFilter(property: string, comparison: string, value: string): string {
  const path = JSON.stringify(property);
  return `{"filterSet":[{"property":${path},"comparison":"${comparison}","value":${value}}]}`;
}

const nest = (open: string, close: string, levels: number, inner = '') =>
  open.repeat(levels) + inner + close.repeat(levels);
const leaf = '{"property":"properties.n","comparison":"EQUALS","value":1}';
const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',');

/** One hundred lists of 250 texts, which nearly fill a body. */
const lists = Array.from({ length: 100 }, (_, i) => {
  const values = Array.from({ length: 250 }, (_, j) => `"${i % 10}${j}${'x'.repeat(2)}"`).join(',');
  return `{"property":"properties.k${i}","comparison":"NOT_IN","value":[${values}]}`;
});

/** Each of 100 filters below nine groups of its own: the most parts that a right body can have. */
const wide = Array<string>(100)
  .fill(
    nest('{"anyOf":[', ']}', 9, '{"property":"a","comparison":"IN","value":[]}').replace('"a"', '"userId"'),
  )
  .join(',');

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Bodies of a query or a count that are deep, long, or bent. */
export const QUERY_BODIES: readonly BodyCase[] = [
  ['100,000 arrays', nest('[', ']', 100_000), 400],
  ['100,000 arrays without end', '['.repeat(100_000), 400],
  ['40,000 objects', nest('{"a":', '}', 40_000, '1'), 400],
  ['30,000 times not', `{"filterSet":[${nest('{"not":', '}', 30_000, leaf)}]}`, 400],
  ['20,000 times anyOf', `{"filterSet":[${nest('{"anyOf":[', ']}', 20_000, leaf)}]}`, 400],
  ['a value of 100,000 arrays', withFilter('userId', 'IN', nest('[', ']', 100_000)), 400],
  ['10 levels', `{"filterSet":[${nest('{"not":', '}', 9, leaf)}]}`, 200],
  ['11 levels', `{"filterSet":[${nest('{"not":', '}', 10, leaf)}]}`, 400],
  ['the most parts that are right', `{"filterSet":[${wide}]}`, 200],
  ['20,000 keys', `{${keys(20_000)}}`, 400],
  ['15,000 keys in a filter', `{"filterSet":[{${keys(15_000)}}]}`, 400],
  ['empty filters', fillBody('{"filterSet":[', '{}', ']}'), 400],
  ['numbers for filters', fillBody('{"filterSet":[', '0', ']}'), 400],
  ['empty groups', fillBody('{"filterSet":[', '{"anyOf":[]}', ']}'), 400],
  ['filters without operator', fillBody('{"filterSet":[', '{"comparison":""}', ']}'), 400],
  ['a thousand filters', fillBody('{"filterSet":[', leaf, ']}', 80_000), 400],
  ['100 filters', `{"filterSet":[${Array<string>(100).fill(leaf).join(',')}]}`, 200],
  ['101 filters', `{"filterSet":[${Array<string>(101).fill(leaf).join(',')}]}`, 400],
  ['100 lists of 250 texts', `{"filterSet":[${lists.join(',')}]}`, 200],
  [
    'a list of 130,000 numbers',
    fillBody('{"filterSet":[{"property":"userId","comparison":"IN","value":[', '0', ']}]}'),
    400,
  ],
  [
    'a list of objects',
    fillBody('{"filterSet":[{"property":"userId","comparison":"IN","value":[', '{}', ']}]}'),
    400,
  ],
  [
    'the largest body',
    fillBody('{"filterSet":[', ' ', ']}')
      .padEnd(BODY_BYTES)
      .replace(/[ ,]+(?=\])/, ''),
    200,
  ],
  ['a byte more than the largest', '{}'.padEnd(BODY_BYTES + 1), 413],
  ['1e400', withFilter('properties.n', 'EQUALS', '1e400'), 400],
  ['-1e400 in a list', withFilter('properties.n', 'IN', '[1,-1e400]'), 400],
  ['200,000 digits', withFilter('properties.n', 'EQUALS', '9'.repeat(200_000)), 400],
  ['200,000 decimals', withFilter('properties.n', 'EQUALS', `0.${'9'.repeat(200_000)}`), 200],
  ['an exponent of 200,000 digits', withFilter('properties.n', 'EQUALS', `1e-${'9'.repeat(200_000)}`), 200],
  ['-0', withFilter('properties.n', 'EQUALS', '-0'), 200],
  ['a size of 1e400', '{"pagination":{"size":1e400}}', 400],
  ['an offset of 1e400', '{"pagination":{"offset":1e400}}', 400],
  ['an offset of 2^53', '{"pagination":{"offset":9007199254740992}}', 400],
  ['a size of 1e-400', '{"pagination":{"size":1e-400}}', 400],
  ['NaN', '{"pagination":{"size":NaN}}', 400],
  ['hexadecimal', '{"pagination":{"size":0x10}}', 400],
  ['a leading zero', '{"pagination":{"size":01}}', 400],
  ['a comment', '{/* a */}', 400],
  ['a comma too many', '{"event":"opened",}', 400],
  ['quotes of another kind', "{'event':'opened'}", 400],
  ['two values', '{}{}', 400],
  ['nothing', '', 400],
  ['white space', ' \n\t', 400],
  ['a NUL', '\0', 400],
  ['a NUL behind', '{}\0', 400],
  ['null', 'null', 400],
  ['a text of JSON', JSON.stringify('{}'), 400],
  ['a list', '[]', 400],
  ['an event name of 250,000 characters', `{"event":"${'a'.repeat(250_000)}"}`, 200],
  ['a date of 250,000 characters', `{"after":"${'2'.repeat(250_000)}"}`, 400],
  ['a date of 50,000 hyphens', `{"after":"${'2024-'.repeat(50_000)}"}`, 400],
  ['a cursor of 250,000 characters', `{"pagination":{"cursor":"1.${'a'.repeat(250_000)}"}}`, 400],
  ['a path of 250,000 characters', withFilter(`properties.${'a'.repeat(250_000)}`, 'IS_NULL', 'null'), 400],
  ['a path of 120,000 dots', withFilter('.'.repeat(120_000), 'IS_NULL', 'null'), 400],
  ['a path of backslashes', withFilter('\\'.repeat(60_000), 'IS_NULL', 'null'), 400],
  [
    'an instant of 250,000 digits',
    withFilter('eventTs', 'EQUALS', `"2024-01-01T00:00:00.${'0'.repeat(240_000)}Z"`),
    400,
  ],
  [
    'an operand of 250,000 characters',
    withFilter('properties.text', 'CONTAINS', `"${'ab'.repeat(125_000)}"`),
    200,
  ],
  ['an escaped NUL', '{"event":"\\u0000"}', 400],
  ['half a surrogate pair', '{"event":"\\ud800"}', 400],
  ['a pair in the wrong order', '{"event":"\\udc00\\ud800"}', 400],
  ['40,000 escapes', `{"event":"${'\\u0061'.repeat(40_000)}"}`, 200],
  ['an escape that is none', '{"event":"\\x41"}', 400],
  ['half an escape', '{"event":"\\u00"}', 400],
  ['a line break in a text', '{"event":"a\nb"}', 400],
  ['overlong NUL', bytes('{"event":"', [0xc0, 0x80], '"}'), 400],
  ['an overlong quote', bytes('{"event":"', [0xc0, 0xa2], '"}'), 400],
  ['an overlong slash of three bytes', bytes('{"event":"', [0xe0, 0x80, 0xaf], '"}'), 400],
  ['a surrogate in UTF-8', bytes('{"event":"', [0xed, 0xa0, 0x80], '"}'), 400],
  ['beyond Unicode', bytes('{"event":"', [0xf4, 0x90, 0x80, 0x80], '"}'), 400],
  ['a character cut off', bytes('{"event":"', [0xe2, 0x82], '"}'), 400],
  ['Latin-1', bytes('{"event":"', [0xe9], '"}'), 400],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}'), 200],
  ['UTF-16', Buffer.from('{}', 'utf16le'), 400],
  ['a key twice', '{"event":"victim","event":"opened"}', 400],
  ['a key twice, once by escapes', '{"event":1,"\\u0065vent":"opened"}', 400],
  ['a filter twice', '{"filterSet":[],"filterSet":1}', 400],
];

function event(fields: string): string {
  return `[{"eventName":"bomb","userId":"u","properties":{${fields}}}]`;
}

/** Batches of events that are deep, long, or bent. */
export const EVENT_BODIES: readonly BodyCase[] = [
  ['1,000,000 arrays', nest('[', ']', 1_000_000), 400],
  ['10,000,000 arrays without end', '['.repeat(10_000_000), 400],
  ['3,000,000 arrays in one event', event(`"a":[${'[],'.repeat(3_000_000)}0]`), 400],
  ['properties of 100,000 levels', event(`"a":${nest('{"a":', '}', 100_000, '1')}`), 400],
  ['64 levels', event(`"a":${nest('{"a":', '}', 63, '1')}`), 200],
  ['65 levels', event(`"a":${nest('{"a":', '}', 64, '1')}`), 400],
  ['10,000 keys', event(keys(10_000)), 200],
  ['10,001 keys', event(keys(10_001)), 400],
  ['70,000 keys', event(keys(70_000)), 400],
  ['a number of 1,000,000 digits', event(`"a":${'9'.repeat(1_000_000)}`), 400],
  ['1,000,000 decimals', event(`"a":0.${'9'.repeat(1_000_000)}`), 200],
  ['1e400', event('"a":1e400'), 400],
  ['a text beyond 1 MiB', event(`"a":"${'a'.repeat(1_048_576)}"`), 400],
  ['170,000 escapes', event(`"a":"${'\\u0061'.repeat(170_000)}"`), 200],
  [
    '200,000 control characters, six bytes each once stored',
    event(`"a":"${'\\u0001'.repeat(200_000)}"`),
    400,
  ],
  ['2,001 events', `[${Array<string>(2001).fill('{}').join(',')}]`, 400],
  ['3,000,000 empty events', `[${Array<string>(3_000_000).fill('{}').join(',')}]`, 400],
  ['2,000 events of nothing', `[${Array<string>(2000).fill('{}').join(',')}]`, 400],
  [
    '2,000 events of unknown keys',
    `[${Array<string>(2000)
      .fill(`{"${'k'.repeat(4000)}":1}`)
      .join(',')}]`,
    400,
  ],
  ['a byte more than 10 MiB', '[]'.padEnd(10_485_761), 413],
  ['an event name of 257 characters', event('').replace('bomb', 'a'.repeat(257)), 400],
  ['a key of 500,000 characters', event(`"${'k'.repeat(500_000)}":1`), 200],
  ['a key with a NUL', event('"\\u0000":1'), 400],
  ['overlong UTF-8', bytes('[{"eventName":"', [0xc0, 0xaf], '","userId":"u"}]'), 400],
];

/** Batches of lines, where each line costs something by itself. */
export const LINE_BODIES: readonly BodyCase[] = [
  ['5,000,000 lines that are no JSON', 'x\n'.repeat(5_000_000), 400],
  ['5,000,000 numbers', '0\n'.repeat(5_000_000), 400],
  ['10,000,000 blank lines', '\n'.repeat(10_000_000), 400],
  ['a line of 10,000,000 blanks', ' '.repeat(10_000_000), 400],
  ['a line of 10,000,000 arrays', '['.repeat(10_000_000), 400],
  ['2,000 lines of 5,000 arrays', `${'['.repeat(5000)}\n`.repeat(2000), 400],
  ['a text of 10,000,000 characters that does not end', `{"a":"${'a'.repeat(10_000_000)}`, 400],
  ['line ends of three kinds', '{"eventName":"a","userId":"u"}\r\n\r\n{"eventName":"a","userId":"u"}\r', 200],
  ['2,000 lines that are no JSON', 'x\n'.repeat(2000), 400],
];
