import { HAS_CLICKHOUSE } from '../adapters/clickhouse/clickhouse-server.ts';
import { HAS_POSTGRES } from '../adapters/postgres/postgres-server.ts';
import { mutantsOf, type Killer } from './mutant.ts';

/** Tests of the stores in PostgreSQL, of which a pattern picks some. */
const postgres = (tests: string): Killer => ({ file: 'test/adapters/postgres/stores.test.ts', tests });
const GROUPS = postgres('event store: postgres \\(.*events fall into groups');
const BESIDE: Killer = {
  file: 'test/adapters/postgres/seams.test.ts',
  tests: 'beside each other',
};
const PROPERTIES: Killer = { file: 'test/adapters/sql/properties.test.ts' };
const ANSWERS = postgres('event store: postgres \\(.*any query answers');

/** How PostgreSQL is asked, where there is one to ask. */
export const POSTGRES = mutantsOf(
  'adapters/postgres',
  HAS_POSTGRES
    ? [
        ['names are listed in any order', 'events.ts', ' order by event_name', '', postgres('distinct')],
        [
          'keys of a secret are listed newest first',
          'keys.ts',
          'order by sequence',
          'order by sequence desc',
          postgres('key store'),
        ],
        [
          'of what is erased the first counts on',
          'limits.ts',
          "where id = any($1)', [ids]",
          "where id = any($1)', [ids.slice(1)]",
          postgres('rate limiter'),
        ],
        ['tenants come in any order', 'tenants.ts', ' order by alias', '', postgres('tenant store')],
        [
          'objects are more than numbers',
          'dialect.ts',
          "jsonb_typeof(${value}) = '${type}' and ${test}",
          '${test}',
          ANSWERS,
        ],
        ['wildcards of LIKE', 'dialect.ts', 'strpos(${text}, ${part}) > 0', '${text} like ${part}', ANSWERS],
        [
          'keys of text enter arrays',
          'dialect.ts',
          "'text'))].join(' -> ')",
          "'text'))].join(' #> ')",
          ANSWERS,
        ],
        ['what is missing is not null', 'dialect.ts', "<> 'null', false)`", "<> 'null', true)`", ANSWERS],
        ['texts and booleans are one group', 'dialect.ts', "then '${type[0]}' ||", "then 's' ||", GROUPS],
        ['numbers are in the order of texts', 'dialect.ts', '(${text})::numeric', '0', GROUPS],
        [
          'an instant belongs to the day behind it',
          'dialect.ts',
          'floor(${number} /',
          'ceil(${number} /',
          GROUPS,
        ],
        [
          'a bucket ends where the one before it does',
          'dialect.ts',
          '[width_bucket(${number}, ${starts})]',
          '[width_bucket(${number} - 1, ${starts})]',
          GROUPS,
        ],
        [
          'a database may begin transactions as it likes',
          'schema.ts',
          "level === 'read committed'",
          "level !== ''",
          postgres('read committed'),
        ],
        [
          'a connection that is lost while it is lent ends the process',
          'database.ts',
          "client.on?.('error', ignore);",
          '',
          { file: 'test/adapters/postgres/seams.test.ts', tests: 'are cut while they are lent' },
        ],
        [
          'a connection that hangs is asked to roll back',
          'database.ts',
          'isLost(error) ||',
          '',
          postgres('is not waited for again'),
        ],
        [
          'a note has its number before others are told',
          'admins.ts',
          "await client.query('select pg_advisory_xact_lock($1)', [NOTES_LOCK]);",
          '',
          postgres('a larger number'),
        ],
        [
          'who stores new names does not wait for who erases',
          'append.ts',
          'await client.query(SHARE_TENANT, [tenantId]);',
          '',
          BESIDE,
        ],
        [
          'a batch of known names does not wait for who erases',
          'functions.ts',
          'perform pg_advisory_xact_lock_shared(hashtextextended(of_tenant, 0));',
          '',
          BESIDE,
        ],
        [
          'who erases waits for nobody',
          'append.ts',
          'await client.query(LOCK_TENANT, [tenantId]);',
          '',
          BESIDE,
        ],
        ['names are added at once', 'append.ts', 'await client.query(LOCK_NAMES, [tenantId]);', '', BESIDE],
        [
          'a tenant that was dropped takes twins',
          'append.ts',
          "if (dropped.rows.length > 0) throw new ApiError('tenantNotFound');",
          '',
          BESIDE,
        ],
      ]
    : [],
);

/** Tests of the store in ClickHouse, of which a pattern picks some. */
const clickhouse = (tests: string): Killer => ({ file: 'test/adapters/clickhouse/server.test.ts', tests });
const CONFORMS: Killer = {
  file: 'test/adapters/clickhouse/stores.test.ts',
  tests: 'any query answers',
};
const TYPES_TOLD: Killer = { ...CONFORMS, tests: 'every kind of value' };
const FIRST = clickhouse('written first');
const erasing = (tests: string): Killer => ({ file: 'test/adapters/clickhouse/erasure.test.ts', tests });
const INTERRUPTED = erasing('interrupted between');
const AT_ONCE = erasing('stored at once');
const IN_GROUPS: Killer = { ...CONFORMS, tests: 'events fall into groups' };

/** How ClickHouse is asked, where there is one to ask. */
export const CLICKHOUSE = mutantsOf(
  'adapters/clickhouse',
  HAS_CLICKHOUSE
    ? [
        ['"1" is the number 1', 'dialect.ts', 'in ${NUMBERS} and', '<> 1 and', CONFORMS],
        ['true is 1', 'dialect.ts', "= 'Bool' and ${test}", "<> 'Null' and ${test}", TYPES_TOLD],
        [
          'what is missing is an empty text',
          'dialect.ts',
          "`(JSONType(${place}) = 'String' and ${test})`",
          '`(${test})`',
          CONFORMS,
        ],
        ['texts in arrays are numbers', 'dialect.ts', "match(element, '^[-0-9]') and ", '', TYPES_TOLD],
        ['large numbers in arrays are 0', 'dialect.ts', "concat(${text}, 'e0')", '${text}', TYPES_TOLD],
        [
          'large operands are 0',
          'dialect.ts',
          'operand.toExponential()',
          'JSON.stringify(operand)',
          TYPES_TOLD,
        ],
        [
          'columns of one key are those of all below it',
          'typed.ts',
          'positions.map(',
          '[positions[0]!].map(',
        ],
        ['every write of an event is read', 'events.ts', '} final`', '}`', FIRST],
        ['the last write wins', 'schema.ts', '18446744073709551615 - toUnix', 'toUnix', FIRST],
        [
          'who stores does not look whether the tenant is still there',
          'append.ts',
          'if (await isDropped(tenantId)) {',
          'if (tenantId === "") {',
          clickhouse('drops between'),
        ],
        [
          'long operands go whole',
          'parameters.ts',
          'LENGTH_MAX = 30_000',
          'LENGTH_MAX = 3_000_000',
          'adapters/clickhouse/parameters',
        ],
        ['true is false in groups', 'dialect.ts', "'btrue', 'bfalse')", "'bfalse', 'btrue')", IN_GROUPS],
        ['a day begins late', 'dialect.ts', '- positiveModulo', '+ positiveModulo', IN_GROUPS],
        ['numbers are texts in groups', 'dialect.ts', "'n' || toString", "'s' || toString", IN_GROUPS],
        [
          'nobody is asked whether he still waits',
          'database.ts',
          'if (signal.aborted) controller.abort();',
          '',
          clickhouse('somebody waits'),
        ],
        [
          'what is erased is seen until it is removed',
          'erasure.ts',
          '`not has(${decided(tenant)}, erasure)`',
          '`${decided(tenant)} = ${decided(tenant)}`',
          INTERRUPTED,
        ],
        [
          'nobody ends what was interrupted',
          'append.ts',
          'if (erasures.length > 0) {',
          'if (erasures.length < 0) {',
          INTERRUPTED,
        ],
        [
          'events are removed while somebody reads them',
          'erasure.ts',
          'await questions.ended(tenantId);\n    await removeOthers',
          'await removeOthers',
          erasing('waits for the questions'),
        ],
        ['another row comes to light', 'erasure.ts', 'if (others.length === 0) return;', 'return;', AT_ONCE],
        [
          'a row that lost takes its event along',
          'erasure.ts',
          'from ${read.events} final\n          where',
          'from ${read.events}\n          where',
          AT_ONCE,
        ],
        ['names stay', 'erasure.ts', 'if (rows.length === 0) return;', 'return;', INTERRUPTED],
        [
          'what came while events were being marked stays',
          'erasure.ts',
          'if (unmarked > 0) await',
          'if (unmarked === count) await',
          erasing('nobody waits'),
        ],
        [
          'tables of version 1 stay so',
          'schema.ts',
          'if (version < VERSION)',
          'if (version < 0)',
          erasing('version 1'),
        ],
      ]
    : [],
);

/** What ClickHouse is asked, to the letter: without one. */
export const CLICKHOUSE_TEXTS = mutantsOf('adapters/clickhouse', [
  [
    'a text that holds a part begins with it',
    'dialect.ts',
    '`startsWith(${text}, ${part})`',
    '`position(${text}, ${part}) > 0`',
    'adapters/clickhouse/dialect',
  ],
  [
    'a part of a text ends within a character',
    'parameters.ts',
    '(isPair ? 1 : 0)',
    '0',
    'adapters/clickhouse/parameters',
  ],
  [
    'a shard is chosen by the tenant alone',
    'schema.ts',
    "shardBy === 'event'",
    "shardBy !== 'tenant' && shardBy !== 'event'",
    'adapters/clickhouse/schema',
  ],
  [
    'any path is asked of a column of its own',
    'typed.ts',
    ' && columns.has(column)',
    '',
    'adapters/clickhouse/typed',
  ],
  [
    'an end waits for one question only',
    'questions.ts',
    '[...(underWay.get(key) ?? [])]',
    '[...(underWay.get(key) ?? [])].slice(0, 1)',
    'adapters/clickhouse/questions',
  ],
]);

const BREAKDOWN: Killer = { file: 'test/adapters/sql/breakdown.test.ts' };
const BY_SQLITE: Killer = { file: 'test/adapters/sql/answers.test.ts' };

/** What is the same in every dialect: SQLite in memory is the engine of its tests. */
export const SQL = mutantsOf('adapters/sql', [
  [
    'what a driver says goes to the log at any length',
    'plain-error.ts',
    'said.slice(0, LENGTH_MAX)',
    'said',
    'adapters/sql/plain-error',
  ],
  ['what is no group is one', 'breakdown.ts', 'then 0 else 1 end`', 'then 0 else 0 end`', BY_SQLITE],
  ['arrays are distinct values', 'breakdown.ts', "('b', 'n', 's')`", "('b', 'n', 's', 'a')`", BREAKDOWN],
  ['without a group there are no sums', 'breakdown.ts', 'size + NO_GROUPS.length', 'size', BREAKDOWN],
  ['what is no group is counted as one', 'breakdown.ts', 'keys_total) - noGroups', 'keys_total)', BY_SQLITE],
  ['a series begins before what is asked', 'breakdown.ts', 'Math.max(query.from, from)', 'from', BY_SQLITE],
  [
    'booleans are texts',
    'breakdown.ts',
    "letter === LETTERS.boolean ? text === 'true' : text",
    'text',
    BY_SQLITE,
  ],
  ['one bound alone is none', 'compile.ts', 'from > -Infinity ||', 'from > -Infinity &&', BY_SQLITE],
  ['during no time is always', 'compile.ts', "|| 'false'})", "|| 'true'})", BY_SQLITE],
  [
    'a number is among texts',
    'text-tests.ts',
    "operand.filter((each) => typeof each === 'string')",
    'operand.map(String)',
    BY_SQLITE,
  ],
  [
    'an event between two pieces is left out',
    'stored-page.ts',
    'rest.slice(count)',
    'rest.slice(count + 1)',
    BY_SQLITE,
  ],
  [
    'a page may have holes',
    'stored-page.ts',
    'loaded.length !== missing.length',
    'loaded.length > missing.length',
    BY_SQLITE,
  ],
  [
    'what is there already is loaded again',
    'stored-page.ts',
    'filter(({ properties }) => properties === null)',
    'filter(() => true)',
    BY_SQLITE,
  ],
  ['an id names one event of all times', 'plan.ts', '`${eventTs} ${insertId}`', '`${insertId}`'],
  ['a name too many is a repeat', 'plan.ts', ' && !refused.has(i)', ''],
  ['known names are refused as well', 'plan.ts', '!known.has(event.eventName) && ', ''],
  ['objects without a key hold nothing untold', 'properties.ts', 'row.empty);', 'row.odd ?? 0);', PROPERTIES],
  ['a path too many is told', 'properties.ts', 'paths.size > PATHS_MAX', 'paths.size < 0', PROPERTIES],
  ['engines are asked for one level less', 'properties.ts', '<= LEVELS_MAX', '< LEVELS_MAX', PROPERTIES],
  [
    'rows that do not fit are taken',
    'properties.ts',
    'account?.book(bytesOf(rows)) !== false',
    'account?.book(bytesOf(rows)) !== undefined',
    PROPERTIES,
  ],
  ['rows are booked nowhere', 'properties.ts', 'ledger?.account(tenantId)', 'undefined', PROPERTIES],
]);
