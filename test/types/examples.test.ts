import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { readBlocks } from '../readme/blocks.ts';
import { compileExamples } from './type-check.ts';

/** The entry points that somebody imports names of, as programs write them. */
const entries = Object.keys(manifest.exports)
  // One is data, and one is what a thread begins with: it exports nothing.
  .filter((entry) => entry !== './package.json' && entry !== './sqlite-writer')
  .map((entry) => `event-query${entry.slice(1)}`);
const blocks = readBlocks().filter(({ language }) => language === 'ts');

const examples = compileExamples(
  new Map([
    ...blocks.map(({ place, text }) => [place, text] as const),
    ['entries', entries.map((entry) => `import '${entry}';\n`).join('')],
    [
      'silent',
      'export interface Silent { field: string }\n/** Said. */\nexport type Said = { of: 1 } & Silent;\n',
    ],
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

/** What a module exports, each as it was declared. */
function exportsOf(module: ts.Node): ts.Symbol[] {
  const { checker } = examples;
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(module)!)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

/** The fields that a type has, those of each kind where it has several, without those of libraries. */
function fieldsOf(symbol: ts.Symbol): ts.Symbol[] {
  const { checker } = examples;
  const types = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class;
  if ((symbol.flags & types) === 0) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return (type.isUnion() ? type.types : [type])
    .flatMap((each) => checker.getPropertiesOfType(each))
    .filter(
      ({ declarations: [first] = [] }) =>
        first?.getSourceFile().fileName.includes('/node_modules/') === false,
    );
}

/** Fields that need no words: what an error is called is what it says of itself. */
const plain = ['ApiError.name', 'LogGoneError.name', 'EventQueryError.name'];

/** The exports that say nothing of what they mean, and the fields of types that do not. */
function silentOf(module: ts.Node): string[] {
  const isSilent = (symbol: ts.Symbol) => symbol.getDocumentationComment(examples.checker).length === 0;
  const silent = exportsOf(module).flatMap((symbol) => [
    ...(isSilent(symbol) ? [symbol.name] : []),
    ...fieldsOf(symbol)
      .filter(isSilent)
      .map((field) => `${symbol.name}.${field.name}`),
  ]);
  return silent.filter((name) => !plain.includes(name));
}

describe('what an embedding program writes and reads', () => {
  it('is seen where it says nothing', () => {
    expect(silentOf(examples.file('silent'))).toEqual(['Silent', 'Silent.field', 'Said.of', 'Said.field']);
  });

  it.each(entries)('%s: every export, and every field of its types, says what it means', (entry) => {
    const imported = examples.file('entries').statements[entries.indexOf(entry)] as ts.ImportDeclaration;
    expect(exportsOf(imported.moduleSpecifier).length).toBeGreaterThan(0);
    expect(silentOf(imported.moduleSpecifier)).toEqual([]);
  });

  it('no type of a library is in any signature', () => {
    const exported = exportsOf(examples.file('src/index.ts'));
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
