import { existsSync, statSync } from 'node:fs';
import type { ImportSource } from '../../import/index.ts';
import { failure, misuse } from '../process/errors.ts';

/** A file to import, or stdin. */
export interface ImportInput {
  /** As it is called in messages. */
  readonly name: string;
  /** In bytes; 0 when it is unknown. */
  readonly size: number;
  readonly source: ImportSource;
}

/** What a shell expands in names; a name in quotes reaches this command with them. */
const GLOB = /[*?[\]{}]/;

/**
 * The inputs that names stand for, in their order: files, patterns such as `logs/*.gz`, `-` for stdin. Throws
 * an Error for a name without a file, a pattern that matches none, and a folder.
 */
export async function findInputs(names: readonly string[]): Promise<ImportInput[]> {
  if (names.filter((name) => name === '-').length > 1) throw misuse('stdin can be read once: say - once');
  const inputs: ImportInput[] = [];
  for (const name of names) {
    if (name === '-') inputs.push({ name: 'stdin', size: 0, source: process.stdin });
    else if (GLOB.test(name) && !existsSync(name)) inputs.push(...(await expand(name)).map(toInput));
    else inputs.push(toInput(name));
  }
  return inputs;
}

async function expand(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const names = await glob(pattern, { onlyFiles: true, expandDirectories: false });
  if (names.length === 0) throw failure(`no file matches ${pattern}`);
  return names.sort();
}

function toInput(name: string): ImportInput {
  const stats = statSync(name, { throwIfNoEntry: false });
  if (stats === undefined) throw failure(`there is no file ${name}`);
  if (stats.isDirectory()) throw failure(`${name} is a folder; name its files, for instance '${name}/*'`);
  return { name, size: stats.isFile() ? stats.size : 0, source: name };
}
