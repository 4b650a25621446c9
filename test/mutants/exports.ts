import { mutantsOf, stores } from './mutant.ts';

const http = 'core/http/extensions/export';
const explained = 'core/http/extensions/explain';

/** How all events leave. */
export const EXPORTS = mutantsOf('src/core', [
  [
    'an export ends with its first page',
    'query/stored-page.ts',
    '{ ...page, after: found.last };',
    'undefined;',
    http,
  ],
  ['an export begins anew', 'query/stored-page.ts', 'after === undefined ? {} : { after }', '{}', http],
  [
    'an export goes on for a client that has gone',
    'query/stored-page.ts',
    '      if (signal?.aborted === true) throw aborted();\n',
    '',
    http,
  ],
  [
    'an export of several texts has its head before each',
    'http/extensions/export.ts',
    "        text = '';\n",
    '        text = head;\n',
    http,
  ],
  ['a refused form of CSV is taken', 'http/extensions/export.ts', 'csv > 0 && csv', 'csv', http],
  [
    'paths that are not kept are left out without a word',
    'http/extensions/export.ts',
    'if (properties.more) {',
    'if (false as boolean) {',
    http,
  ],
  [
    'an export of one name has the columns of all',
    'http/extensions/export.ts',
    'formOf(call, tenantId, asked.event)',
    'formOf(call, tenantId, undefined)',
    http,
  ],
  ['a formula behind a blank is calculated', 'table/csv.ts', "/^[\\s']*[=", "/^'*[="],
  ['the guard cannot be taken off', 'table/csv.ts', "/^[\\s']*[=", '/^\\s*[='],
  ['quotes are not doubled', 'table/csv.ts', ".replaceAll('\"', '\"\"')", ''],
  ['a line end within a cell ends the line', 'table/csv.ts', '/[",\\r\\n]|^$/', '/[",]|^$/'],
  ['an empty text is nothing', 'table/csv.ts', '/[",\\r\\n]|^$/', '/[",\\r\\n]/'],
  [
    'objects have columns beside their keys',
    'table/flat-columns.ts',
    'parents.has(path)',
    'false',
    'core/table/csv',
  ],
  [
    'an object in a column is written in it and in those of its keys',
    'table/flat-columns.ts',
    'isObject && Object.keys(value).length > 0',
    'false as boolean',
    'core/table/csv',
  ],
]);

const told = stores('event store: memory \\(.*every path is told');

/** Which paths events have. */
export const PROPERTIES = mutantsOf('src/core/columns/properties', [
  [
    'keys below a path are not told',
    'property-table.ts',
    "if (type === 'object') visit",
    "if (type === 'array') visit",
    told,
  ],
  [
    'an array is told as an object',
    'property-table.ts',
    "if (Array.isArray(value)) return 'array';",
    '',
    told,
  ],
  ['a path that no filter can name is told', 'property-table.ts', '!isAskable(', 'false && isAskable(', told],
  ['an example comes twice', 'property-table.ts', '|| examples.some((known) => known.value === value)', ''],
  ['long texts are examples', 'property-table.ts', 'if (length > EXAMPLE_LENGTH_MAX) return;', ''],
  ['paths grow for ever', 'property-table.ts', 'if (paths >= pathsMax) {', 'if (paths >= Infinity) {'],
  ['nobody is told of more paths', 'property-table.ts', 'more = true;', 'more = false;'],
  ['what is kept is not booked', 'property-table.ts', 'ENTRY_BYTES + entry.path.length * 4', '0'],
  ['examples are those of the first name', 'property-table.ts', '.sort((a, b) => a.from - b.from)', ''],
  [
    'paths are in the order of their coming',
    'property-table.ts',
    '.sort(([a], [b]) => compareCodePoints(a, b))',
    '',
    told,
  ],
  ['an event is counted again', 'known-properties.ts', 'covered += 1;', '', told],
]);

/** What a query is explained to be. */
export const EXPLANATIONS = mutantsOf('src/core', [
  ['an explanation takes a token', 'http/extensions/explain.ts', '{ isFree: true }', '{}', explained],
  [
    'the key of a free question is not judged again',
    'service.ts',
    "      look: async () => {\n        await hold(() => new ApiError('invalidKey'));\n",
    '      look: async () => {\n',
    'core/service',
  ],
  [
    'a path that some event has is unknown',
    'explain/explanation.ts',
    '!have.has(path)',
    'path !== undefined',
    explained,
  ],
  [
    'paths within a complement are not looked at',
    'explain/explanation.ts',
    'return propertyPathsOf(condition.of);',
    'return [];',
    explained,
  ],
  ['letters count by their case', 'explain/nearest.ts', 'name.toLowerCase()', 'name', explained],
  [
    'a query without an end ends',
    'explain/understood.ts',
    'until === Infinity ? []',
    'false ? []',
    'core/explain/understood',
  ],
  [
    'several times are one',
    'explain/understood.ts',
    'condition.ranges.length !== 1) return [toEntry',
    'condition.ranges.length < 1) return [toEntry',
    'core/explain/understood',
  ],
  [
    'a complement is its positive',
    'explain/understood.ts',
    'return toFilter(condition, complement);',
    'return toFilter(condition, condition.operator);',
    'core/explain/understood',
  ],
  [
    'what is read each time is told as a column',
    'columns/question/plan.ts',
    "kind === 'streamed' ||",
    '',
    explained,
  ],
]);
