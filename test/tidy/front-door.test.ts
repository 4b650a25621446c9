import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../readme/blocks.ts';
import { compileEntries, exportsOfEntry, typesNamedBy } from '../types/named-types.ts';
import { ROOT, sourcesBelow, type Source } from './sources.ts';

/** Names that no adapter, no page and no other name of the door uses, and who needs them all the same. */
const REASONS: Readonly<Record<string, string>> = {
  compilePredicate: 'a store of your own answers as it does',
  pageOf: 'a store of your own answers with it',
};

const door = ts.createSourceFile(
  'index.ts',
  readFileSync(`${ROOT}src/index.ts`, 'utf8'),
  ts.ScriptTarget.ES2022,
  true,
);
const names = namesIn(door.statements.filter(ts.isExportDeclaration).map(({ exportClause }) => exportClause));

describe('the door of the core', () => {
  it('holds no name twice', () => {
    expect(names.length).toBe(new Set(names).size);
  });

  it('holds what adapters, pages and its own declarations name, and what has a reason', () => {
    const examples = compileEntries();
    const named = typesNamedBy(examples, exportsOfEntry(examples, 'event-query'));
    const needed = new Set(
      [...named].filter(([{ name }, by]) => by.some((each) => each !== name)).map(([{ name }]) => name),
    );
    const used = new Set(sourcesBelow('adapters').flatMap(importedThroughTheDoor));
    const shown = readBlocks()
      .filter(({ language }) => language === 'ts')
      .map(({ text }) => text);
    const isUsed = (name: string) =>
      used.has(name) || needed.has(name) || shown.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    expect(names.filter((name) => !isUsed(name) && REASONS[name] === undefined)).toEqual([]);
    expect(Object.keys(REASONS).filter((name) => isUsed(name) || !names.includes(name))).toEqual([]);
  });

  it('says of each group what it is for', () => {
    const groups = door.text.split('\n\n').slice(1);
    expect(groups.filter((group) => !group.startsWith('// '))).toEqual([]);
  });
});

/** The names that clauses of imports or exports hold, as the module they come from calls them. */
function namesIn(clauses: readonly (ts.Node | undefined)[]): string[] {
  return clauses.flatMap((clause) =>
    clause !== undefined && (ts.isNamedExports(clause) || ts.isNamedImports(clause))
      ? clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : [],
  );
}

function importedThroughTheDoor({ tree }: Source): string[] {
  return namesIn(
    tree.statements
      .filter(ts.isImportDeclaration)
      .filter(({ moduleSpecifier }) => /\/src\/index\.ts['"]$/.test(moduleSpecifier.getText(tree)))
      .map(({ importClause }) => importClause?.namedBindings),
  );
}
