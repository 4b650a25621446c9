import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { createDraft, writeWhere } from '../../../adapters/sql/index.ts';
import { OPERATORS } from '../../../src/core/filter/operators.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { operandsOf } from '../../conformance/arbitraries/operands.ts';

const EVIL = `'; drop table events; --`;

describe.each([
  ['PostgreSQL', POSTGRES],
  ['ClickHouse', CLICKHOUSE],
] as const)('a filter as SQL for %s', (_name, dialect) => {
  it.each(Object.entries(OPERATORS))(
    'names no value and no key of %s in its text',
    (comparison, { takes }) => {
      const values = operandsOf(takes, fc.constantFrom(EVIL, 1));
      const properties = fc.constantFrom('userId', `properties.${EVIL}`);
      fc.assert(
        fc.property(properties, values, (property, value) => {
          const draft = createDraft(dialect);
          const filter = { property, comparison, value } as FilterEntry;
          const text = writeWhere(dialect, EVIL, parseCountBody({ filterSet: [filter] }), draft);
          expect(text).not.toContain('drop');
          expect(draft.values).toContain(EVIL);
        }),
        { numRuns: 20 },
      );
    },
  );
});
