import ts from 'typescript';
import manifest from '../../package.json' with { type: 'json' };
import { compileExamples, type Examples } from './type-check.ts';

/** The entry points that somebody imports names of, as programs write them. */
export const ENTRIES = Object.keys(manifest.exports)
  // One is data, and one is what a thread begins with: it exports nothing.
  .filter((entry) => entry !== './package.json' && entry !== './sqlite-writer')
  .map((entry) => `event-query${entry.slice(1)}`);

/** Those of the core itself. */
export const DOORS = ['event-query', 'event-query/store-kit', 'event-query/transport-kit'];

/** The name of the example that imports every entry point, one a line, in the order of ENTRIES. */
const ENTRIES_EXAMPLE = 'entries';

/** Compiles examples together with every entry point. */
export function compileEntries(examples: ReadonlyMap<string, string> = new Map()): Examples {
  const entries = ENTRIES.map((entry) => `import '${entry}';\n`).join('');
  return compileExamples(new Map([...examples, [ENTRIES_EXAMPLE, entries]]));
}

/** What an entry point exports, each as it was declared. */
export function exportsOfEntry(examples: Examples, entry: string): ts.Symbol[] {
  const { statements } = examples.file(ENTRIES_EXAMPLE);
  const imported = statements[ENTRIES.indexOf(entry)] as ts.ImportDeclaration;
  return exportsOf(examples, imported.moduleSpecifier);
}

/** What a module exports, each as it was declared. */
export function exportsOf({ checker }: Examples, module: ts.Node): ts.Symbol[] {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(module)!);
  return exported.map((symbol) => declared(checker, symbol));
}

/** The types of this project that what is exported names in its declarations, each with who names it. */
export function typesNamedBy(
  { checker }: Examples,
  exported: readonly ts.Symbol[],
): Map<ts.Symbol, string[]> {
  const named = new Map<ts.Symbol, string[]>();
  const visit = (node: ts.Node, by: string): void => {
    // Neither a body nor a value is part of what others see.
    if (ts.isBlock(node) || isValue(node)) return;
    const name = nameOf(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    const type = symbol && declared(checker, symbol);
    if (type !== undefined && isOurs(type)) named.set(type, [...(named.get(type) ?? []), by]);
    ts.forEachChild(node, (child) => visit(child, by));
  };
  for (const symbol of exported)
    for (const declaration of symbol.declarations ?? []) visit(declaration, symbol.name);
  return named;
}

/** The name that a node asks for a type by. */
function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return ts.isImportTypeNode(node) ? node.qualifier : undefined;
}

function isValue(node: ts.Node): boolean {
  const { parent } = node;
  return (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) && parent.initializer === node;
}

function isOurs({ declarations: [first] = [] }: ts.Symbol): boolean {
  if (first === undefined || ts.isTypeParameterDeclaration(first)) return false;
  const { fileName } = first.getSourceFile();
  return !fileName.includes('/node_modules/');
}

function declared(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}
