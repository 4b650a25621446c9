import type { SqliteDatabase } from '../file/database.ts';
import { damageOf, toFinding, type FileFinding } from './finding.ts';
import { findForeignParts } from './foreign.ts';

/** After so many findings the engine looks for no more. */
const FOUND_MAX = 100;

/** What the engine itself finds: damaged pages, indexes that differ from their tables, broken rules. */
export function findDamagedPages(database: SqliteDatabase): FileFinding[] {
  const ask = (limit: number) =>
    database.prepare(`SELECT integrity_check AS text FROM pragma_integrity_check LIMIT ${limit}`).all() as {
      text: string;
    }[];
  const findings: FileFinding[] = [];
  const report = (rows: readonly { text: string }[]) => {
    const texts = rows.flatMap(({ text }) => text.split('\n')).filter((text) => !NO_FINDING.test(text));
    // What a damaged page leads to is lost with it: each of those pages would be a line.
    const lost = texts.filter((text) => text.includes(': never used'));
    const names = namesOfTrees(database);
    for (const text of texts)
      if (INDEX.test(text)) findings.push(toFinding('indexes', `an index differs from its table (${text})`));
      else if (!lost.includes(text)) findings.push(toFinding('damagedPage', describe(text, names)));
    if (lost.length > 0)
      findings.push(toFinding('damagedPage', `nothing leads to at least ${lost.length} pages (${lost[0]})`));
  };
  try {
    report(ask(FOUND_MAX));
  } catch (error) {
    // The pages are looked at before the rows: what was found of them is the first line.
    tryTo(() => report(ask(1)));
    findings.push(toFinding('damagedPage', `the pages cannot be read to their end (${damageOf(error)})`));
  }
  return findings;
}

/**
 * Whether a server can read the list of tables, and each table has the columns that `tables` says,
 * with nothing else beside them, by a connection of its own: the one for damaged files passes over what is
 * damaged in that list.
 */
export function findDamagedList(
  connect: () => SqliteDatabase,
  tables: Readonly<Record<string, string>>,
): FileFinding[] {
  const database = connect();
  const find = (sql: string): FileFinding[] => {
    try {
      database.prepare(sql).get();
      return [];
    } catch (error) {
      return [toFinding('damagedPage', `the list of tables is damaged (${damageOf(error)})`)];
    }
  };
  try {
    const list = find('SELECT count(*) FROM sqlite_schema');
    if (list.length > 0) return list;
    const all = Object.entries(tables);
    if (all.length === 0) return [];
    const lacking = all.flatMap(([table, columns]) => find(`SELECT ${columns} FROM ${table} LIMIT 0`));
    return [...lacking, ...findForeignParts(database)];
  } finally {
    database.close();
  }
}

/** The engine says that all is well, and begins a list of findings with the name of its database. */
const NO_FINDING = /^(ok|\*\*\* in database main \*\*\*)$/;

/** What the engine says of an index that lacks rows of its table, or has more than those. */
const INDEX = /^(wrong # of entries in index|row \d{1,20} missing from index) /;

function tryTo(work: () => void): void {
  try {
    work();
  } catch (error) {
    damageOf(error);
  }
}

/** The table or index of each tree, by the page where it begins. */
function namesOfTrees(database: SqliteDatabase): ReadonlyMap<string, string> {
  const rows = database.prepare('SELECT name, rootpage FROM sqlite_schema').all() as {
    name: string;
    rootpage: number;
  }[];
  return new Map(rows.map(({ name, rootpage }) => [String(rootpage), name]));
}

function describe(text: string, names: ReadonlyMap<string, string>): string {
  const [, root, page] = /\bTree (\d{1,10}) page (\d{1,10})/.exec(text) ?? [];
  const name = root === undefined ? undefined : names.get(root);
  if (name !== undefined) return `page ${page} of ${name} is damaged (${text})`;
  return `the file's pages contradict each other (${text})`;
}
