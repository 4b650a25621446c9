import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { createDraft, writeWhere } from '../../../adapters/sql/index.ts';
import { OPERATORS } from '../../../src/core/filter/operators.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { parseCountBody } from '../../../src/store-kit.ts';

const EVIL = `'; drop table events; --`;
const VALUES = { scalar: EVIL, ordered: EVIL, text: EVIL, list: [EVIL], none: null };

describe.each([
  ['PostgreSQL', POSTGRES],
  ['ClickHouse', CLICKHOUSE],
] as const)('a filter as SQL for %s', (_name, dialect) => {
  it.each(Object.entries(OPERATORS))(
    'names no value and no key of %s in its text',
    (comparison, { takes }) => {
      for (const property of ['userId', `properties.${EVIL}`]) {
        const draft = createDraft(dialect);
        const filter = { property, comparison, value: VALUES[takes] } as FilterEntry;
        const text = writeWhere(dialect, EVIL, parseCountBody({ filterSet: [filter] }), draft);
        expect(text).not.toContain('drop');
        expect(draft.values).toContain(EVIL);
      }
    },
  );
});
