import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BREAKS } from '../faults/bites/breaks.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { ROOT } from './sources.ts';

/** How often a file holds each of some texts; each is replaced before the next is looked for. */
function occurrences(file: string, edits: readonly (readonly [find: string, replace: string])[]): number[] {
  let text = readFileSync(ROOT + file, 'utf8');
  return edits.map(([find, replace]) => {
    const { length } = text.split(find);
    text = text.replace(find, () => replace);
    return length - 1;
  });
}

describe('what is broken on purpose', () => {
  it.each(BREAKS)('$test: $what: finds its place in the sources', ({ test, file, replace }) => {
    expect(existsSync(`${ROOT}test/faults/${test}.test.ts`)).toBe(true);
    expect(occurrences(file, replace)).toEqual(replace.map(() => 1));
  });

  it('is found once by each mutant', () => {
    const lost = MUTANTS.filter(({ file, find }) => occurrences(file, [[find, '']])[0] !== 1);
    expect(lost.map(({ name }) => name)).toEqual([]);
  });
});
