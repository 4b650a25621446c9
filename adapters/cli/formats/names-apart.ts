/** The names of the columns of a file, and which of them are not their paths. */
export interface NamesApart {
  /** One for each path, in their order; no two differ only in capitals. */
  readonly names: readonly string[];
  /** Those that got another name, as a sentence; undefined where none did. */
  readonly remark: string | undefined;
}

/** How many names a sentence tells. */
const TOLD_MAX = 6;

/** The form in which names are equal to readers that ignore capitals, such as DuckDB and Spark. */
const fold = (name: string): string => name.toLowerCase();

/**
 * Gives paths that differ only in capitals names that differ otherwise: a reader that ignores capitals would
 * take one column for the other, without an error. Each of them gets a number, because a plain name would be
 * taken for all.
 */
export function tellApart(paths: readonly string[]): NamesApart {
  const alike = new Map<string, number>();
  for (const path of paths) alike.set(fold(path), (alike.get(fold(path)) ?? 0) + 1);
  const taken = new Set(alike.keys());
  const told: string[] = [];
  const names = paths.map((path) => {
    if (alike.get(fold(path)) === 1) return path;
    let number = 1;
    while (taken.has(fold(`${path}_${number}`))) number += 1;
    const name = `${path}_${number}`;
    taken.add(fold(name));
    told.push(`${path} is ${name}`);
    return name;
  });
  if (told.length === 0) return { names, remark: undefined };
  const more = told.length > TOLD_MAX ? ` and ${told.length - TOLD_MAX} more` : '';
  const list = told.slice(0, TOLD_MAX).join(', ') + more;
  return { names, remark: `columns that differ only in capitals have another name: ${list}` };
}
