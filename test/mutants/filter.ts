import { mutantsOf } from './mutant.ts';

/** What a filter means. */
export const FILTER = mutantsOf('src/core/filter', [
  [
    'not everything is everything',
    'condition.ts',
    "part.kind === 'all' ? NOTHING : EVERYTHING",
    'EVERYTHING',
    'core/filter/parse-filter',
  ],
  [
    'unknown keys are quoted without end',
    'filter-schema.ts',
    'keys.slice(0, QUOTED_KEYS_MAX)',
    'keys',
    'core/query/validate',
  ],
  [
    'a list may be one longer',
    'operands.ts',
    'LIST_LENGTH_MAX = 1000',
    'LIST_LENGTH_MAX = 1001',
    'core/filter/operands',
  ],
  [
    'a search begins anew where a part was not finished',
    'substring.ts',
    'const fallen = state === 0 ? 0 : next[other + unit]!;',
    'const fallen = state === 0 ? 0 : other * 0;',
  ],
  [
    'a part within another is not found before that one is finished',
    'substring.ts',
    'follower === 0 || fallen === FOUND',
    'follower === 0',
  ],
  [
    'null is a value',
    'operators.ts',
    'compile: () => (value) => value !== undefined && value !== null,',
    'compile: () => (value) => value !== undefined,',
    'conformance/cases',
  ],
  [
    'numbers and strings are coerced',
    'operators.ts',
    'compile: (operand) => (value) => value === operand,',
    'compile: (operand) => (value) => value == operand,',
    'conformance/cases',
  ],
  [
    'GREATER_THAN includes the border',
    'order.ts',
    "typeof value === 'number' && value > operand",
    "typeof value === 'number' && value >= operand",
    'conformance/cases',
  ],
  [
    'the operand is a pattern',
    'operators.ts',
    'value.startsWith(operand)',
    "new RegExp(`^${operand.replaceAll('*', '.*')}`).test(value)",
    'conformance/cases',
  ],
  [
    'CONTAINS looks into the text of an array',
    'operators.ts',
    'Array.isArray(value) && value.includes(operand);',
    'Array.isArray(value) && String(value).includes(String(operand));',
    'conformance/cases',
  ],
  [
    'an empty IN list matches everything',
    'operators.ts',
    'return (value) => operand.includes(value as Scalar);',
    'return (value) => operand.length === 0 || operand.includes(value as Scalar);',
    'conformance/cases',
  ],
  [
    'paths walk into arrays',
    'predicate.ts',
    ' || value === null || Array.isArray(value)) return undefined;',
    ' || value === null) return undefined;',
    'conformance/cases',
  ],
  [
    'paths see the prototype',
    'predicate.ts',
    'if (!Object.hasOwn(value, segment)) return undefined;',
    '',
    'conformance/cases',
  ],
  [
    'a negative operator skips events without the property',
    'parse-filter.ts',
    'return COMPARISONS[entry.comparison].negated ? toNot(positive) : positive;',
    `const some = parseFilter({ ...entry, comparison: 'IS_NOT_NULL', value: null } as Filter, where);
  return COMPARISONS[entry.comparison].negated ? toAll([some, toNot(positive)]) : positive;`,
    'conformance/cases',
  ],
  [
    'anyOf means allOf',
    'parse-filter.ts',
    "'anyOf' in entry) return toAny(",
    "'anyOf' in entry) return toAll(",
    'conformance/cases',
  ],
  ['9 levels of filters', 'parse-filter.ts', 'level > FILTER_LEVELS_MAX', 'level >= FILTER_LEVELS_MAX'],
  ['99 filters', 'parse-filter.ts', 'budget.filtersLeft < 0', 'budget.filtersLeft <= 0'],
  [
    'times without an offset are local',
    'parse-filter.ts',
    'parseDay(text) ?? parseInstant(text)',
    'Date.parse(text) || undefined',
  ],
  ['an escape stays in the key', 'path.ts', 'segment += escaped;', 'segment += `\\\\${escaped}`;'],
  [
    'a complement keeps the border out',
    'instants.ts',
    'instant >= range.from && instant < range.until',
    'instant > range.from && instant < range.until',
  ],
  ['ranges that touch are two', 'instants.ts', 'range.from > last.until', 'range.from >= last.until'],
  [
    'a range within another ends it',
    'instants.ts',
    'else if (range.until > last.until) united',
    'else united',
  ],
  ['of several ranges the last has no end', 'instants.ts', 'inside = low % 2 === 1;', 'inside = low > 0;'],
  [
    'a long text is searched with one step back only',
    'substring.ts',
    `const unit = text.charCodeAt(i);
    while (length`,
    `const unit = text.charCodeAt(i);
    if (length`,
  ],
  [
    'the borders of a part know one step back only',
    'substring.ts',
    `const unit = part.charCodeAt(i);
    while (length`,
    `const unit = part.charCodeAt(i);
    if (length`,
  ],
  [
    'an emoji in the operand is ordered by its halves',
    'order.ts',
    'return !/[\\ud800-\\uffff]/.test(text);',
    'return true;',
    'conformance/cases',
  ],
  [
    'a key of Object is found on every event',
    'generate.ts',
    'return !(key in Object.prototype);',
    'return true;',
    'core/filter/predicate',
  ],
  [
    'an index of an array is a path',
    'generate.ts',
    '!INDEX_PATTERN.test(key) && ',
    '',
    'core/filter/predicate',
  ],
  [
    'the end of a range is part of it',
    'generate.ts',
    '&& event.eventTs < ',
    '&& event.eventTs <= ',
    'core/filter/predicate',
  ],
  ['a path may be as long as it likes', 'path.ts', 'length <= PATH_SEGMENTS_MAX', 'length >= 0'],
]);

/** What a body may ask. */
export const QUERY = mutantsOf('src/core/query', [
  [
    'a predicate knows no time',
    'predicate.ts',
    'toAll([toDuring([{ from, until }]), condition])',
    'condition',
    'core/filter/predicate',
  ],
  ['a page may be one larger', 'body.ts', 'PAGE_SIZE_MAX = 1000', 'PAGE_SIZE_MAX = 1001', 'spec/query-api'],
  ['ajv takes what zod refuses', 'validate.ts', 'strictNumbers: true', 'strictNumbers: false'],
  ['before excludes its day', 'parse-query.ts', 'startOf(before) + DAY_MS', 'startOf(before)'],
  [
    'a size over the maximum is clamped',
    'parse-query.ts',
    'const { offset, size = PAGE_SIZE_DEFAULT, cursor } = pagination;',
    `const { offset, size: asked = PAGE_SIZE_DEFAULT, cursor } = pagination;
  const size = Math.min(10, asked);`,
  ],
  [
    'size 1001 is taken',
    'body-schema.ts',
    'size: size(PAGE_SIZE_MAX)',
    'size: size(PAGE_SIZE_MAX + 1)',
    'core/query/validate',
  ],
  [
    'a cursor goes with any query',
    'cursor.ts',
    'if (match[1] !== fingerprint(query)) {',
    'if (match[1] === undefined) {',
  ],
  [
    'a bad date hides an unknown key',
    'explain.ts',
    'findings.find(({ unknownKey }) => unknownKey) ?? date ??',
    'date ?? findings.find(({ unknownKey }) => unknownKey) ??',
    'core/query/validate',
  ],
  ['a cursor of a value that is none is taken', 'cursor.ts', ' || !INSERT_ID_PATTERN.test(insertId)', ''],
]);
