import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { faultsOf, programOf } from './type-check.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the compiler that checks examples', () => {
  it('does not take one that is wrong', () => {
    expect(faultsOf("import { nothing } from 'event-query';\n")).toHaveLength(1);
    expect(faultsOf("import { parseCountBody } from 'event-query';\nconst n: string = 5;\n")).toHaveLength(1);
  });
});

describe('what an embedding program writes and reads', () => {
  const names = [
    'QueryBody', 'CountBody', 'Pagination', 'Filter', 'AnyOf', 'AllOf', 'NotEntry', 'Event', 'EventInput',
  ]; // prettier-ignore

  it.each(names)('%s: every field says what it means', (name) => {
    const program = programOf(`import type { ${name} } from 'event-query';\nexport type Asked = ${name};\n`);
    const checker = program.getTypeChecker();
    const statement = program.getSourceFile(`${ROOT}example.mts`)?.statements[1];
    if (statement === undefined || !ts.isTypeAliasDeclaration(statement)) throw new Error('no type');
    const fields = checker.getPropertiesOfType(checker.getTypeAtLocation(statement.name));
    const silent = fields.filter((field) => field.getDocumentationComment(checker).length === 0);
    expect(fields.length).toBeGreaterThan(0);
    expect(silent.map((field) => field.name)).toEqual([]);
  });

  it('no type of a library is in any signature', () => {
    const program = programOf("import * as door from 'event-query';\nexport const all = door;\n");
    const checker = program.getTypeChecker();
    const door = program.getSourceFile(`${ROOT}src/index.ts`);
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(door!)!);
    const foreign = exported.filter((symbol) => {
      const type = checker.getTypeOfSymbol(symbol);
      return /\b(Zod\w*|z\.\w+|Ajv)\b/.test(
        checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation),
      );
    });
    expect(exported.length).toBeGreaterThan(50);
    expect(foreign.map((symbol) => symbol.name)).toEqual([]);
  });
});
