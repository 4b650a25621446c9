import { mutantsOf, stores } from './mutant.ts';

const http = 'core/http/extensions/export';
const explained = 'core/http/extensions/explain';
const nearest = 'explain/nearest.ts';
const understood = 'explain/understood.ts';

/** How all events leave. */
export const EXPORTS = mutantsOf('src/core', [
  ['what a list of properties took stays booked', 'answers.ts', 'account?.release();', '', 'core/answers'],
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
    'table/flat-columns.ts',
    'if (more) {',
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
  ['a return within a cell ends the line', 'table/csv.ts', '/[",\\r\\n]|^$/', '/[",\\n]|^$/'],
  ['the guard of a tab cannot be taken off', 'table/csv.ts', "/^'*[\\t", '/^[\\t'],
  ['an empty text is nothing', 'table/csv.ts', '/[",\\r\\n]|^$/', '/[",\\r\\n]/'],
  [
    'objects have columns beside their keys',
    'table/flat-columns.ts',
    'types.length === 0 && property.types.null === undefined',
    'false as boolean',
    'core/table/csv',
  ],
  [
    'an object in a column is written in it and in those of its keys',
    'table/flat-columns.ts',
    'isObject(value) ? restOf(value, place) : value',
    'value',
    'core/table/csv',
  ],
  [
    'keys that no filter can name are in no column',
    'table/flat-columns.ts',
    'rest === undefined ? held :',
    'true ? held :',
    'core/table/csv',
  ],
  [
    'first keys that no filter can name are in no column',
    'table/flat-columns.ts',
    'rest === undefined ? [] :',
    'true ? [] :',
    'core/table/csv',
  ],
  [
    'columns that are at hand are not booked',
    'http/extensions/export.ts',
    'form.bytes, texts',
    '0, texts',
    http,
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
  ['an object without keys is told by its keys', 'property-table.ts', 'told === 0 || ', '', told],
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
  ['a fourth example is told', 'query/properties.ts', 'EXAMPLES_MAX = 3', 'EXAMPLES_MAX = 4', told],
  ['an explanation takes a token', 'http/extensions/explain.ts', '{ isFree }', '{}', explained],
  [
    'who reads every event for nothing',
    'http/extensions/explain.ts',
    'stores.events.properties !== undefined',
    'true',
    explained,
  ],
  [
    'the key of a free question is not judged again',
    'service.ts',
    "      look: async () => {\n        await confirm(() => new ApiError('invalidKey'));\n",
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
  ['letters count by their case', nearest, 'name.toLowerCase()', 'name'],
  ['letters asked for count by their case', nearest, 'path.toLowerCase()', 'path'],
  ['a query without an end ends', understood, 'until === Infinity ? []', 'false ? []'],
  [
    'several times are one',
    understood,
    'condition.ranges.length !== 1) return [toEntry',
    'condition.ranges.length < 1) return [toEntry',
  ],
  [
    'a complement is its positive',
    understood,
    'return toFilter(condition, complement);',
    'return toFilter(condition, condition.operator);',
  ],
  [
    'what is read each time is told as a column',
    'columns/question/plan.ts',
    "kind === 'streamed' ||",
    '',
    explained,
  ],
  [
    'events are read for a query without a path',
    'explain/explanation.ts',
    'named.length === 0 ? NOTHING_KNOWN : await',
    'await',
  ],
  ['any number of paths is compared', 'explain/explanation.ts', 'found.length < COMPARED_MAX', 'true'],
  [
    'paths are looked for on behalf of nobody',
    'explain/explanation.ts',
    '(tenantId, undefined, signal)',
    '(tenantId)',
  ],
  ['long names are compared', nearest, '  if (path.length > LENGTH_MAX) return [];\n', ''],
  ['long known names are compared', nearest, 'name.length > LENGTH_MAX ||', ''],
  ['short names have none that is near', nearest, 'Math.max(2,', 'Math.max(0,'],
  ['equally near names come as they came', nearest, ' || compareCodePoints(a.name, b.name)', ''],
  ['any number of names is told', nearest, '    .slice(0, NEAREST_MAX)\n', ''],
  ['names are compared without a pause', nearest, 'if (i % STEP_NAMES === 0) await', 'if (i < 0) await'],
  [
    'no time is a time',
    understood,
    'ranges.length !== 1) return { anyOf',
    'ranges.length > 1) return { anyOf',
  ],
  ['an empty time is an instant', understood, 'until - from === 1', 'until - from <= 1'],
  ['a bound is of a year of five digits', understood, 'Math.min(Math.max(ms, FIRST), LAST)', 'ms'],
]);
