import ts from 'typescript';
import { expect, it } from 'vitest';
import { findings, isExported, nodesOf, sourcesBelow, targetOf, type Source } from './sources.ts';

const everything = sourcesBelow('src', 'adapters', 'test', 'bench');

it('a function or a table is exported for a file that imports it', () => {
  const imported = new Set(everything.flatMap(importedNames));
  const found = findings(
    // What is behind a door stands in its own list.
    everything.filter(({ path }) => !path.endsWith('/index.ts')),
    (source) =>
      source.tree.statements
        .filter((statement) => isExported(statement))
        .flatMap(valuesOf)
        .filter((name) => !imported.has(`${source.path} ${name}`) && !imported.has(`${source.path} *`))
        .map((name) => `1: ${name} is imported nowhere: keep it inside`),
  );
  expect(found).toEqual([]);
});

/** What a file imports or hands on from others, as `path name`; all of one that it loads by itself. */
function importedNames(source: Source): string[] {
  const named = source.tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const clause = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    const from = statement.moduleSpecifier;
    if (from === undefined || !ts.isStringLiteral(from)) return [];
    const target = targetOf(source, from.text);
    return clause !== undefined && (ts.isNamedImports(clause) || ts.isNamedExports(clause))
      ? clause.elements.map(({ name, propertyName }) => `${target} ${(propertyName ?? name).text}`)
      : [`${target} *`];
  });
  const loaded = nodesOf(source)
    .filter((node) => ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    .map((node) => (node as ts.CallExpression).arguments[0])
    .filter((argument) => argument !== undefined && ts.isStringLiteral(argument))
    .map(({ text }) => `${targetOf(source, text)} *`);
  return [...named, ...loaded];
}

/** The functions and variables that a statement declares. */
function valuesOf(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) =>
    ts.isIdentifier(name) ? [name.text] : [],
  );
}
