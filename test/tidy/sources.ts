import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The root of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A source file with its syntax tree. */
export interface Source {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** Every file that the project keeps: what git tracks, and what it does not ignore and may track next. */
export function projectFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return [...new Set(listed)].filter((path) => path !== '' && existsSync(ROOT + path)).sort();
}

/** What a script writes is not judged by its style. */
const GENERATED = [
  'src/core/access/json-schemas.ts',
  'src/core/http/schemas/admin-table.ts',
  'src/core/http/schemas/json-schemas.ts',
  'src/core/query/body-validators.ts',
];

/** The TypeScript files below one of the folders that people write, pages too. */
export function sourcesBelow(...folders: string[]): Source[] {
  return projectFiles()
    .filter(
      (path) =>
        !GENERATED.includes(path) &&
        /\.tsx?$/.test(path) &&
        folders.some((folder) => path.startsWith(`${folder}/`)),
    )
    .map((path) => {
      const source = known.get(path) ?? readSource(path);
      known.set(path, source);
      return source;
    });
}

/** What was read: several tests look at the same files. */
const known = new Map<string, Source>();

function readSource(path: string): Source {
  const text = readFileSync(ROOT + path, 'utf8');
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) };
}

/** The modules that a file imports or exports from, as written. */
export function importsOf({ tree }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (specifier !== undefined && ts.isStringLiteral(specifier)) found.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Every node of a file, in order. */
export function nodesOf({ tree }: Source): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return nodes;
}

/** The first and last line of a node, counted from 1, without the comments before it. */
export function linesOf({ tree }: Source, node: ts.Node): { readonly first: number; readonly last: number } {
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;
  return { first: lineAt(node.getStart(tree)), last: lineAt(node.getEnd()) };
}

/** Where an import leads, from the root of the project, or the package that it names. */
export function targetOf(source: Source, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(source.path), specifier) : specifier;
}

/** Whether a statement of a file is for other files. */
export function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** The findings of a rule over files, as `path:line: what to do instead`; a clean tree has none. */
export function findings(sources: readonly Source[], rule: (source: Source) => string[]): string[] {
  return sources.flatMap((source) => rule(source).map((finding) => `${source.path}:${finding}`));
}
