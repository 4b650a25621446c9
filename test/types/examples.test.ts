import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../readme/blocks.ts';
import { compileExamples } from './type-check.ts';

/** Types of the package's main entry point that an embedding program writes or reads, by name. */
const names = [
  'QueryBody', 'CountBody', 'Pagination', 'Filter', 'AnyOf', 'AllOf', 'NotEntry', 'Event', 'EventInput',
  'ApiOptions', 'Api', 'EngineOptions', 'Engine', 'TenantEvents', 'IngestReport', 'Admin', 'IssuedKey',
  'Tenant', 'TenantOptions', 'TenantChanges', 'JwtSettings', 'Limits', 'PlanChoice', 'IngestionLimits',
  'ApiKey', 'Pass', 'AuditEntry', 'Logger', 'PagedQuery', 'ExportQuery',
]; // prettier-ignore
/** Those of other entry points. */
const beside = [
  ['NodeServerOptions', 'node-http'], ['FetchHandlerOptions', 'fetch'], ['ClientOptions', 'client'],
  ['ClientPage<object>', 'client'],
] as const; // prettier-ignore
const asked = [
  ...names.map((name) => [name, 'event-query'] as const),
  ...beside.map(([name, entry]) => [name, `event-query/${entry}`] as const),
];
const blocks = readBlocks().filter(({ language }) => language === 'ts');

const examples = compileExamples(
  new Map([
    ...blocks.map(({ place, text }) => [place, text] as const),
    ...asked.map(
      ([name, entry]) =>
        [
          name,
          `import type { ${name.replace(/<.*/, '')} } from '${entry}';\nexport type Asked = ${name};\n`,
        ] as const,
    ),
    ['no such name', "import { nothing } from 'event-query';\n"],
    ['no number', "import { parseCountBody } from 'event-query';\nconst n: string = 5;\n"],
  ]),
);

describe('the compiler that checks examples', () => {
  it('does not take one that is wrong', () => {
    expect(examples.faultsOf('no such name')).toHaveLength(1);
    expect(examples.faultsOf('no number')).toHaveLength(1);
  });
});

describe('blocks of TypeScript on the pages', () => {
  it.each(blocks)('$place compiles, as in the program of whoever copies it', ({ place }) => {
    expect(examples.faultsOf(place)).toEqual([]);
  });
});

describe('what an embedding program writes and reads', () => {
  it.each(asked.map(([name]) => name))('%s: every field says what it means', (name) => {
    const statement = examples.file(name).statements[1];
    if (statement === undefined || !ts.isTypeAliasDeclaration(statement)) throw new Error('no type');
    const fields = examples.checker.getPropertiesOfType(examples.checker.getTypeAtLocation(statement.name));
    const silent = fields.filter((field) => field.getDocumentationComment(examples.checker).length === 0);
    expect(fields.length).toBeGreaterThan(0);
    expect(silent.map((field) => field.name)).toEqual([]);
  });

  it('no type of a library is in any signature', () => {
    const exported = examples.checker.getExportsOfModule(
      examples.checker.getSymbolAtLocation(examples.file('src/index.ts'))!,
    );
    const foreign = exported.filter((symbol) => {
      const type = examples.checker.getTypeOfSymbol(symbol);
      return /\b(Zod\w*|z\.\w+|Ajv)\b/.test(
        examples.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation),
      );
    });
    expect(exported.length).toBeGreaterThan(50);
    expect(foreign.map((symbol) => symbol.name)).toEqual([]);
  });
});
