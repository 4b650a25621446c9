import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { ROOT } from './sources.ts';

/** The doors of the core that the package publishes, by the name of their file and entry point. */
export const PUBLISHED = ['index', 'store-kit', 'transport-kit'] as const;

/** The doors by which adapters come into the core: the published ones, and those of one adapter each. */
export const DOORS = [...PUBLISHED, 'internal', 'admin-api'] as const;
/** The name of a door. */
export type Door = (typeof DOORS)[number];

/** What a door holds, as others read it. */
export interface DoorFile {
  readonly text: string;
  readonly names: readonly string[];
  /** The names that are more than types. */
  readonly values: readonly string[];
}

/** Reads a door. */
export function readDoor(door: Door): DoorFile {
  const text = readFileSync(`${ROOT}src/${door}.ts`, 'utf8');
  const tree = ts.createSourceFile(door, text, ts.ScriptTarget.ES2022, true);
  const exports = tree.statements.filter(ts.isExportDeclaration);
  const clauses = exports.map(({ exportClause }) => exportClause);
  const values = exports
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .flatMap(({ exportClause: clause }) => (clause && ts.isNamedExports(clause) ? [...clause.elements] : []))
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name }) => name.text);
  return { text, names: namesIn(clauses), values };
}

/** The names that clauses of imports or exports hold, as the module they come from calls them. */
export function namesIn(clauses: readonly (ts.Node | undefined)[]): string[] {
  return clauses.flatMap((clause) =>
    clause !== undefined && (ts.isNamedExports(clause) || ts.isNamedImports(clause))
      ? clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : [],
  );
}
