import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/source-copy.ts';

/** A fault that a change could bring in, and the tests that must notice it. */
export interface Mutant {
  /** What it does wrong, seen from outside. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly killedBy: Killer;
}

/** A test file, and a pattern of the names of its tests where only some of them are meant. */
export interface Killer {
  readonly file: string;
  readonly tests?: string;
}

/**
 * A mutant on one line: its name, its file in the folder of the list, what is replaced, by what, and who
 * notices: a test file below `test`, without its ending, where it is not the one beside the rule.
 */
export type Row = readonly [
  name: string,
  file: string,
  find: string,
  replace: string,
  killedBy?: Killer | string,
];

/** The mutants of a folder. */
export function mutantsOf(folder: string, rows: readonly Row[]): readonly Mutant[] {
  return rows.map(([name, file, find, replace, killedBy]) => ({
    name,
    file: `${folder}/${file}`,
    find,
    replace,
    killedBy: typeof killedBy === 'object' ? killedBy : testOf(killedBy ?? `${folder}/${file}`),
  }));
}

/** The tests of every store, of which a pattern picks some. */
export function stores(tests: string): Killer {
  return { file: 'test/conformance/stores.test.ts', tests };
}

/** Tests of the store of events in memory. */
export const memory = (tests: string): Killer => stores(`event store: memory \\(.*${tests}`);

/** Tests of the store of events in SQLite. */
export const sqlite = (tests: string): Killer => stores(`event store: sqlite \\(.*${tests}`);

/** The test file of a source file, or the one that is named. */
function testOf(place: string): Killer {
  const file = `test/${place.replace(/^src\//, '').replace(/\.ts$/, '')}.test.ts`;
  if (!existsSync(join(ROOT, file)))
    throw new Error(`${file}: there is no such test; name the one that notices`);
  return { file };
}
