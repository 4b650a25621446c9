import { memory, mutantsOf, stores, type Killer } from './mutant.ts';

/** How what arrives is told. */
export const ARRIVALS = mutantsOf('src/core', [
  [
    'a tail leaves out one event',
    'query/arrivals.ts',
    'row: Number(match[2])',
    'row: Number(match[2]) + 1',
    'core/http/extensions/tail',
  ],
  [
    'the event at which an answer is full comes again',
    'columns/arrivals.ts',
    '      row += 1;\n      if (!belongs(toEventView(event))) continue;\n',
    '      if (!belongs(toEventView(event))) continue;\n      row += 1;\n',
    memory('what arrives comes once'),
  ],
  [
    'a position of an erased log is one of the new',
    'columns/arrivals.ts',
    'position?.log === last.log && position.row <= last.row',
    'position !== undefined && position.row <= last.row',
    memory('behind an erasure is new'),
  ],
  [
    'an answer waits though the server ends',
    'http/extensions/tail.ts',
    'if (isClosing?.() === true) break;',
    '',
    'core/http/extensions/tail',
  ],
]);

const groups: Killer = memory('fall into groups');
const pages: Killer = stores('event store: memory, required.*fall into groups');

/** How columns are put into groups. */
export const GROUPS = mutantsOf('src/core/columns/groups', [
  [
    'what is counted apart is what is grouped by',
    'breakdown.ts',
    'distinct: coded[1] }',
    'distinct: coded[0] }',
    groups,
  ],
  [
    'an array is a group',
    'distinct.ts',
    "value !== null && typeof value !== 'object'",
    "value !== null && (typeof value !== 'object' || Array.isArray(value))",
    groups,
  ],
  [
    'distinct values are those of the group before too',
    'by-value.ts',
    'counter.begin();\n    for',
    'for',
    'core/columns/groups/by-value',
  ],
  ['a day is an instant', 'reading.ts', "startOfBucket('day', instant)", 'instant', groups],
  [
    'each bucket takes the rows behind the query’s end',
    'by-time.ts',
    'Math.min(Math.max(place, from), to)',
    'Math.max(place, from)',
    groups,
  ],
  ['distinct values of all buckets are those of the last', 'by-time.ts', 'inAll.add(selected);', '', groups],
  [
    'what is not selected is counted',
    'group-loops.ts',
    'count += selection[place - from]!;',
    'count += 1;',
    groups,
  ],
  [
    'the first groups are the last',
    'summary.ts',
    'counts[code]! > counts[other]!',
    'counts[code]! < counts[other]!',
    groups,
  ],
  ['one group too many is given', 'summary.ts', 'if (first.length > size) first.pop();', '', groups],
  ['objects are told as missing', 'summary.ts', 'objects += counts[code]!;', 'objects += 0;', groups],
  ['the last event is not seen', 'blocks.ts', 'lastIndexOf(1)', 'indexOf(1)', groups],
  [
    'pages count what a path does not hold',
    'by-pages.ts',
    'if (isScalar(values.values[second])) {',
    'if (second >= 0) {',
    pages,
  ],
  [
    'groups count rows that came after the question',
    'reading.ts',
    'column.covered === size',
    'column.covered >= size',
    'core/columns/groups/by-value',
  ],
  ['the groups of all rows are those of no row too', 'by-value.ts', 'selector.value === 1 && ', ''],
  [
    'the last rows of a block are in no group',
    'group-loops.ts',
    'for (; row < to; row++) lanes',
    'for (; row < 0; row++) lanes',
    'core/columns/groups/by-value',
  ],
  [
    'who is outside of the groups is nobody',
    'pairs.ts',
    'let place = 0; place < met',
    'let place = length; place < met',
    'core/columns/groups/by-value',
  ],
  ['who is in two groups is two', 'pairs.ts', 'isMet & ~anywhere[code]!', 'isMet', groups],
  [
    'who is not asked for is in a group',
    'group-loops.ts',
    'second[row]!]! |= isIn;\n    }\n  } else',
    'second[row]!]! |= 1;\n    }\n  } else',
    'core/columns/groups/by-value',
  ],
  [
    'the groups of few values count what is not selected',
    'group-loops.ts',
    'counts[code]! += isIn;\n      met[placeOf[code]! + second[row]!]! |= isIn;\n    }\n  } else',
    'counts[code]! += 1;\n      met[placeOf[code]! + second[row]!]! |= isIn;\n    }\n  } else',
    'core/columns/groups/by-value',
  ],
]);

/** What a breakdown is asked. */
export const GROUP_BODIES = mutantsOf('src/core', [
  ['a week begins on Sunday', 'event/time-unit.ts', '4 * DAY_MS', '3 * DAY_MS'],
  ['the last bucket is left out', 'event/time-unit.ts', 'start <= last;', 'start < last;'],
  [
    'numbers come behind texts',
    'query/grouping.ts',
    "['boolean', 'number', 'string']",
    "['boolean', 'string', 'number']",
    groups,
  ],
  [
    'too many buckets cost a token',
    'query/parse-query.ts',
    '  bucketsOf(series, undefined);\n',
    '',
    'core/http/extensions/breakdown',
  ],
  ['what leaves stays booked', 'bounds/booked.ts', '    account.release();\n', '', 'core/http/page-text'],
]);
