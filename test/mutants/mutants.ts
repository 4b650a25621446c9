/** A fault that a change could bring in, and the tests that must notice it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly killedBy: Killer;
}

/** A test file, and a pattern of the names of its tests where only some of them are meant. */
export interface Killer {
  readonly file: string;
  readonly tests?: string;
}

const cases: Killer = { file: 'test/conformance/cases.test.ts' };
const stores = (tests: string): Killer => ({ file: 'test/conformance/stores.test.ts', tests });
const core = (file: string): Killer => ({ file: `test/core/${file}.test.ts` });
const memory = (tests: string) => stores(`event store: memory \\(.*${tests}`);
const sqlite = (tests: string) => stores(`event store: sqlite \\(.*${tests}`);

const OPERATORS = 'src/core/filter/operators.ts';
const PREDICATE_FILE = 'src/core/filter/predicate.ts';
const PARSE_FILTER = 'src/core/filter/parse-filter.ts';
const BUCKET = 'src/core/access/token-bucket.ts';
const COLUMNS = 'src/core/columns';

const PREDICATE: readonly Mutant[] = [
  {
    name: 'null is a value',
    file: OPERATORS,
    find: 'compile: () => (value) => value !== undefined && value !== null,',
    replace: 'compile: () => (value) => value !== undefined,',
    killedBy: cases,
  },
  {
    name: 'numbers and strings are coerced',
    file: OPERATORS,
    find: 'compile: (operand) => (value) => value === operand,',
    replace: 'compile: (operand) => (value) => value == operand,',
    killedBy: cases,
  },
  {
    name: 'text is ordered by UTF-16 units',
    file: 'src/core/event/text.ts',
    find: 'return codePointRank(left) - codePointRank(right)',
    replace: 'return left - right',
    killedBy: cases,
  },
  {
    name: 'GREATER_THAN includes the border',
    file: 'src/core/filter/order.ts',
    find: "typeof value === 'number' && value > operand",
    replace: "typeof value === 'number' && value >= operand",
    killedBy: cases,
  },
  {
    name: 'the operand is a pattern',
    file: OPERATORS,
    find: 'value.startsWith(operand)',
    replace: "new RegExp(`^${operand.replaceAll('*', '.*')}`).test(value)",
    killedBy: cases,
  },
  {
    name: 'CONTAINS looks into the text of an array',
    file: OPERATORS,
    find: 'Array.isArray(value) && value.includes(operand);',
    replace: 'Array.isArray(value) && String(value).includes(String(operand));',
    killedBy: cases,
  },
  {
    name: 'an empty IN list matches everything',
    file: OPERATORS,
    find: 'return (value) => operand.includes(value as Scalar);',
    replace: 'return (value) => operand.length === 0 || operand.includes(value as Scalar);',
    killedBy: cases,
  },
  {
    name: 'paths walk into arrays',
    file: PREDICATE_FILE,
    find: ' || value === null || Array.isArray(value)) return undefined;',
    replace: ' || value === null) return undefined;',
    killedBy: cases,
  },
  {
    name: 'paths see the prototype',
    file: PREDICATE_FILE,
    find: 'if (!Object.hasOwn(value, segment)) return undefined;',
    replace: '',
    killedBy: cases,
  },
];

const PARSERS: readonly Mutant[] = [
  {
    name: 'a negative operator skips events without the property',
    file: PARSE_FILTER,
    find: 'return COMPARISONS[entry.comparison].negated ? toNot(positive) : positive;',
    replace:
      "const some = parseFilter({ ...entry, comparison: 'IS_NOT_NULL', value: null } as Filter, where);\n" +
      '  return COMPARISONS[entry.comparison].negated ? toAll([some, toNot(positive)]) : positive;',
    killedBy: cases,
  },
  {
    name: 'anyOf means allOf',
    file: PARSE_FILTER,
    find: "'anyOf' in entry) return toAny(",
    replace: "'anyOf' in entry) return toAll(",
    killedBy: cases,
  },
  {
    name: '9 levels of filters',
    file: PARSE_FILTER,
    find: 'level > FILTER_LEVELS_MAX',
    replace: 'level >= FILTER_LEVELS_MAX',
    killedBy: core('filter/parse-filter'),
  },
  {
    name: '99 filters',
    file: PARSE_FILTER,
    find: 'budget.filtersLeft < 0',
    replace: 'budget.filtersLeft <= 0',
    killedBy: core('filter/parse-filter'),
  },
  {
    name: 'times without an offset are local',
    file: PARSE_FILTER,
    find: 'parseDay(text) ?? parseInstant(text)',
    replace: 'Date.parse(text) || undefined',
    killedBy: core('filter/parse-filter'),
  },
  {
    name: 'an escape stays in the key',
    file: 'src/core/filter/path.ts',
    find: 'segment += escaped;',
    replace: 'segment += `\\\\${escaped}`;',
    killedBy: core('filter/path'),
  },
  {
    name: 'February has 30 days',
    file: 'src/core/event/time.ts',
    find: 'return real ? date.getTime() : undefined;',
    replace: 'return date.getTime();',
    killedBy: core('query/validate'),
  },
  {
    name: 'ajv takes what zod refuses',
    file: 'src/core/query/validate.ts',
    find: 'strictNumbers: true',
    replace: 'strictNumbers: false',
    killedBy: core('query/validate'),
  },
  {
    name: 'before excludes its day',
    file: 'src/core/query/parse-query.ts',
    find: 'startOf(before) + DAY_MS',
    replace: 'startOf(before)',
    killedBy: core('query/parse-query'),
  },
  {
    name: 'a large integer keeps its digits',
    file: 'src/core/event/canonical-json.ts',
    find: 'return value.toExponential();',
    replace: 'return String(value);',
    killedBy: core('event/canonical-json'),
  },
  {
    name: 'minus zero is an instant',
    file: 'src/core/event/parse-event.ts',
    find: 'return ms + 0;',
    replace: 'return ms;',
    killedBy: core('event/parse-event'),
  },
];

const PAGES: readonly Mutant[] = [
  {
    name: 'a size over the maximum is clamped',
    file: 'src/core/query/parse-query.ts',
    find: 'const { offset, size = PAGE_SIZE_DEFAULT, cursor } = pagination;',
    replace:
      'const { offset, size: asked = PAGE_SIZE_DEFAULT, cursor } = pagination;\n' +
      '  const size = Math.min(10, asked);',
    killedBy: core('query/parse-query'),
  },
  {
    name: 'size 1001 is taken',
    file: 'src/core/query/body-schema.ts',
    find: '.max(PAGE_SIZE_MAX,',
    replace: '.max(PAGE_SIZE_MAX + 1,',
    killedBy: core('query/validate'),
  },
  {
    name: 'a cursor goes with any query',
    file: 'src/core/query/cursor.ts',
    find: 'if (match[1] !== fingerprint(query)) {',
    replace: 'if (match[1] === undefined) {',
    killedBy: core('query/cursor'),
  },
  {
    name: 'a short page has a cursor',
    file: 'src/core/engine.ts',
    find: 'events.length === page.size ? events.at(-1) : undefined',
    replace: 'events.at(-1)',
    killedBy: core('engine'),
  },
  {
    name: 'the page behind a cursor begins with the event that it names',
    file: `${COLUMNS}/order.ts`,
    find: 'compareCodePoints(log.insertIdAt(row), id) < 0',
    replace: 'compareCodePoints(log.insertIdAt(row), id) <= 0',
    killedBy: memory('(cursor|position)'),
  },
  {
    name: 'an offset skips one more',
    file: `${COLUMNS}/selection/walk.ts`,
    find: 'toSkip: offset',
    replace: 'toSkip: offset + 1',
    killedBy: memory('pages of every size'),
  },
  {
    name: 'an offset into everything skips one more',
    file: `${COLUMNS}/selection/walk.ts`,
    find: 'Math.max(from, to - offset)',
    replace: 'Math.max(from, to - offset - (offset > 0 ? 1 : 0))',
    killedBy: memory('pages of every size'),
  },
  {
    name: 'equal instants have no order',
    file: `${COLUMNS}/run.ts`,
    find: 'if (end - start > 1) {',
    replace: 'if (end - start > 1000) {',
    killedBy: memory('any query answers'),
  },
  {
    name: 'a range begins behind its first instant',
    file: `${COLUMNS}/order.ts`,
    find: 'idOf !== undefined && isBefore',
    replace: 'idOf === undefined || isBefore',
    killedBy: memory('any query answers'),
  },
];

const STORES: readonly Mutant[] = [
  {
    name: 'the complement of a column leaves missing values out',
    file: `${COLUMNS}/selection/selector.ts`,
    find: 'opposite[code] = 1 - verdict[code]!',
    replace: 'opposite[code] = code === 0 ? 0 : 1 - verdict[code]!',
    killedBy: memory('complement'),
  },
  {
    name: 'arrays with the same text are one value',
    file: `${COLUMNS}/dictionary.ts`,
    find: 'const text = JSON.stringify(value);',
    replace: 'const text = String(value);',
    killedBy: memory('any query'),
  },
  {
    name: 'codes overflow their width',
    file: `${COLUMNS}/chunk.ts`,
    find: 'if (count <= 0x100) return',
    replace: 'if (count <= 0x200) return',
    killedBy: memory('40000 events'),
  },
  {
    name: 'values that arrive later are not judged',
    file: `${COLUMNS}/selection/verdict.ts`,
    find: 'if (judged >= count) return;',
    replace: 'if (judged > 1) return;',
    killedBy: memory('batches and queries may come in any order'),
  },
  {
    name: 'the order misses what arrives later',
    file: `${COLUMNS}/order.ts`,
    find: 'if (place < end) rows.copyWithin(place + i + 1, place, end);',
    replace: '',
    killedBy: memory('batches and queries may come in any order'),
  },
  {
    name: 'a value that comes again is not counted',
    file: `${COLUMNS}/column.ts`,
    find: 'occurrences[added[i]!]! += 1;',
    replace: 'occurrences[added[i]!] = 1;',
    killedBy: memory('any query answers'),
  },
  {
    name: 'a kept chunk is trusted whatever it holds',
    file: `${COLUMNS}/chunk.ts`,
    find: '!== saved.checksum) return undefined;',
    replace: '=== -1) return undefined;',
    killedBy: { file: 'test/adapters/sqlite/events.test.ts' },
  },
  {
    name: 'SQLite: what was looked up stays as it was',
    file: 'adapters/sqlite/file-watch.ts',
    find: 'if (now !== foundAt || found.size >= REMEMBERED_MAX) found.clear();',
    replace: 'if (found.size >= REMEMBERED_MAX) found.clear();',
    killedBy: stores('key store: sqlite'),
  },
  {
    name: 'memory: the same event is stored twice',
    file: 'adapters/memory/event-log.ts',
    find: 'if (!identities.add(eventTs, insertId)) return void duplicates.push(index);',
    replace: 'if (!identities.add(eventTs, insertId)) duplicates.push(index);',
    killedBy: memory('a repeat is told'),
  },
  {
    name: 'memory: half a batch stays',
    file: 'adapters/memory/events.ts',
    find: 'const batch = events.map((event) => ({ ...event }));',
    replace: 'const batch = events;',
    killedBy: memory('a batch that fails half way'),
  },
  {
    name: 'SQLite: keys are not quoted',
    file: 'adapters/sqlite/log/event-log.ts',
    find: '`."${segment}"`',
    replace: '`.${segment}`',
    killedBy: sqlite('any query answers'),
  },
  {
    name: 'SQLite: the last write wins',
    file: 'adapters/sqlite/events.ts',
    find: 'ON CONFLICT (log, ts, insert_id) DO NOTHING',
    replace: 'ON CONFLICT (log, ts, insert_id) DO UPDATE SET properties = excluded.properties',
    killedBy: sqlite('a repeat is told'),
  },
  {
    name: 'SQLite: a repeat leaves a gap in the rows',
    file: 'adapters/sqlite/events.ts',
    find: 'if (Number(changes) === 0) duplicates.push(i);\n      else row += 1;',
    replace: 'if (Number(changes) === 0) duplicates.push(i);\n      row += 1;',
    killedBy: sqlite('any query answers'),
  },
  {
    name: 'SQLite: half a batch stays',
    file: 'adapters/sqlite/events.ts',
    find: 'transact(durable, () => append(tenantId, events))',
    replace: 'append(tenantId, events)',
    killedBy: sqlite('a batch that fails half way'),
  },
  {
    name: 'SQLite: tenants read the rows of the first',
    file: 'adapters/sqlite/log/event-log.ts',
    find: 'const base = number * ROWS_PER_LOG;',
    replace: 'const base = ROWS_PER_LOG;',
    killedBy: sqlite('tenants never see each other'),
  },
  {
    name: 'SQLite: an erased log stays',
    file: 'adapters/sqlite/events.ts',
    find: 'UPDATE logs SET tenant_id = NULL WHERE tenant_id = ?',
    replace: 'UPDATE logs SET size = size WHERE tenant_id = ?',
    killedBy: sqlite('tenants never see each other'),
  },
  {
    name: 'SQLite: rotation leaves the old secret as it was',
    file: 'adapters/sqlite/keys.ts',
    find: 'endOthers.run(',
    replace: 'void (',
    killedBy: stores('key store: sqlite'),
  },
  {
    name: 'SQLite: a limiter forgets',
    file: 'adapters/sqlite/limits.ts',
    find: 'return { minuteUsed: minute_used, dayUsed: day_used, updatedAt: updated_at };',
    replace: 'return fullBuckets(now + 0 * (minute_used + day_used + updated_at));',
    killedBy: stores('rate limiter: sqlite'),
  },
];

const LIMITS: readonly Mutant[] = [
  {
    name: 'refill is rounded up to whole tokens',
    file: BUCKET,
    find: 'return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);',
    replace:
      'const tokens = Math.ceil((limit * elapsedMs) / windowMs);\n' +
      '  return Math.max(0, Math.min(used, limit * windowMs) - tokens * windowMs);',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'refill is rounded down to whole tokens',
    file: BUCKET,
    find: 'return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);',
    replace:
      'const tokens = Math.floor((limit * elapsedMs) / windowMs);\n' +
      '  return Math.max(0, Math.min(used, limit * windowMs) - tokens * windowMs);',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'the day bucket is never used',
    file: BUCKET,
    find: 'dayUsed: dayUsed + taken * DAY_WINDOW_MS,',
    replace: 'dayUsed,',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'a refused request takes from the minute',
    file: BUCKET,
    find: 'minuteUsed: minuteUsed + taken * MINUTE_MS,',
    replace: 'minuteUsed: minuteUsed + cost * MINUTE_MS,',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'a clock that steps back adds tokens',
    file: BUCKET,
    find: 'Math.max(0, now - buckets.updatedAt)',
    replace: 'Math.abs(now - buckets.updatedAt)',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'a clock that stepped back starves',
    file: BUCKET,
    find: 'updatedAt: now,\n  };\n  const state',
    replace: 'updatedAt: Math.max(now, buckets.updatedAt),\n  };\n  const state',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'a smaller plan begins full',
    file: BUCKET,
    find: 'Math.min(used, limit * windowMs) -',
    replace: '(used > limit * windowMs ? 0 : used) -',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'looking costs a token',
    file: BUCKET,
    find: 'const taken = waitMs === 0 ? cost : 0;',
    replace: 'const taken = waitMs === 0 ? 1 : 0;',
    killedBy: core('access/token-bucket'),
  },
  {
    name: 'Retry-After is rounded down',
    file: 'src/core/http/response.ts',
    find: 'Math.max(1, Math.ceil(retryAfterMs / 1000))',
    replace: 'Math.max(1, Math.floor(retryAfterMs / 1000))',
    killedBy: core('access/token-bucket'),
  },
];

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [...PREDICATE, ...PARSERS, ...PAGES, ...STORES, ...LIMITS];
