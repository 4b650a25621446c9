import { HAS_CLICKHOUSE } from '../adapters/clickhouse/clickhouse-server.ts';
import { HAS_POSTGRES } from '../adapters/postgres/postgres-server.ts';
import { mutantsOf, type Killer } from './mutant.ts';

/** Tests of the stores in PostgreSQL, of which a pattern picks some. */
const postgres = (tests: string): Killer => ({ file: 'test/adapters/postgres/stores.test.ts', tests });
const ANSWERS = postgres('event store: postgres \\(.*any query answers');

/** How PostgreSQL is asked, where there is one to ask. */
export const POSTGRES = mutantsOf(
  'adapters/postgres',
  HAS_POSTGRES
    ? [
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

/** How ClickHouse is asked, where there is one to ask. */
export const CLICKHOUSE = mutantsOf(
  'adapters/clickhouse',
  HAS_CLICKHOUSE
    ? [
        ['"1" is the number 1', 'dialect.ts', "in ('Int64', 'UInt64', 'Double') and", '<> 1 and', CONFORMS],
        ['true is 1', 'dialect.ts', "= 'Bool' and ${test}", "<> 'Null' and ${test}", TYPES_TOLD],
        [
          'what is missing is an empty text',
          'dialect.ts',
          "`(JSONType(${place}) = 'String' and ${test})`",
          '`(${test})`',
          CONFORMS,
        ],
        ['texts in arrays are numbers', 'dialect.ts', "match(element, '^[-0-9]') and ", '', TYPES_TOLD],
        ['large numbers in arrays are 0', 'dialect.ts', "concat(element, 'e0')", 'element', TYPES_TOLD],
        [
          'large operands are 0',
          'dialect.ts',
          'operand.toExponential()',
          'JSON.stringify(operand)',
          TYPES_TOLD,
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
        [
          'nobody is asked whether he still waits',
          'database.ts',
          'if (signal.aborted) controller.abort();',
          '',
          clickhouse('somebody waits'),
        ],
      ]
    : [],
);
