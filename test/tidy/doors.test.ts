import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readPageBlocks } from '../readme/blocks.ts';
import { compileEntries, DOORS as ENTRIES, exportsOfEntry, typesNamedBy } from '../types/named-types.ts';
import { DOORS, namesIn, PUBLISHED, readDoor } from './doors.ts';
import { sourcesBelow, type Source } from './sources.ts';

/** Names that no adapter but the command line uses and no page shows, and who needs them all the same. */
const REASONS: Readonly<Record<string, string>> = {
  compareNewestFirst: 'a store of your own sorts by it',
  compilePredicate: 'a store of your own answers as it does',
  createAdmin: 'a program that serves nothing makes tenants and keys with it',
  leasedLimiter: 'a program of several processes shares its limits as `serve --workers` does',
  pageOf: 'a store of your own answers with it',
  parseCountBody: 'the tests of a store of your own ask by it',
  toIsoInstant: 'a store of your own tells the instants of its events by it',
  toEventView: 'a predicate judges what it makes of an event',
};

const adapters = sourcesBelow('adapters');
const isCommandLine = ({ path }: Source) => path.startsWith('adapters/cli/');
const isWithin = (source: Source) => isCommandLine(source) || source.path.startsWith('adapters/import/');
const [used, usedWithin] = [
  new Set(adapters.filter((source) => !isCommandLine(source)).flatMap(importedThroughDoors)),
  new Set(adapters.filter(isWithin).flatMap(importedThroughDoors)),
];

describe('the doors of the core', () => {
  it('hold each name once, but for types, which the front door may name as well', () => {
    const twice = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) !== i);
    expect(twice(DOORS.flatMap((door) => readDoor(door).values))).toEqual([]);
    const others = DOORS.filter((door) => door !== 'index');
    for (const doors of [['index'] as const, others])
      expect(twice(doors.flatMap((door) => readDoor(door).names))).toEqual([]);
  });

  it('those that are published hold what somebody else than the command line needs', () => {
    const names = PUBLISHED.flatMap((door) => readDoor(door).names);
    const examples = compileEntries();
    const exported = ENTRIES.flatMap((entry) => exportsOfEntry(examples, entry));
    const needed = new Set(
      [...typesNamedBy(examples, exported)]
        .filter(([{ name }, by]) => by.some((each) => each !== name))
        .map(([{ name }]) => name),
    );
    const shown = readPageBlocks()
      .filter(({ language }) => language === 'ts')
      .map(({ text }) => text);
    const isUsed = (name: string) =>
      used.has(name) || needed.has(name) || shown.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    expect(names.filter((name) => !isUsed(name) && REASONS[name] === undefined)).toEqual([]);
    expect(Object.keys(REASONS).filter((name) => isUsed(name) || !names.includes(name))).toEqual([]);
  });

  it('that of the command line holds what commands and importers import', () => {
    expect(readDoor('internal').names.filter((name) => !usedWithin.has(name))).toEqual([]);
  });

  it.each(DOORS)('%s says of each group what it is for', (door) => {
    const groups = readDoor(door).text.split('\n\n').slice(1);
    expect(groups.filter((group) => !group.startsWith('// '))).toEqual([]);
  });
});

/** What a file imports through any of the doors. */
function importedThroughDoors({ tree }: Source): string[] {
  const door = new RegExp(`/src/(${DOORS.join('|')})\\.ts['"]$`);
  return namesIn(
    tree.statements
      .filter(ts.isImportDeclaration)
      .filter(({ moduleSpecifier }) => door.test(moduleSpecifier.getText(tree)))
      .map(({ importClause }) => importClause?.namedBindings),
  );
}
