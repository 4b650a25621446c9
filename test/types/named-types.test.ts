import { describe, expect, it } from 'vitest';
import { compileEntries, DOORS, ENTRIES, exportsOf, exportsOfEntry, typesNamedBy } from './named-types.ts';

const examples = compileEntries(
  new Map([
    [
      'unnamed',
      'interface Hidden { a: 1 }\ninterface Inner { b: 1 }\ninterface Body { c: 1 }\n' +
        'export interface Shown extends Hidden { of: readonly Inner[]; self: Shown }\n' +
        'export function take(inner: Inner, given = {} as Body): void { const x: Body = given; void x; }\n',
    ],
  ]),
);
/** What the doors of the core export together: each name stands in one of them. */
const core = DOORS.flatMap((entry) => exportsOfEntry(examples, entry));

describe('the types that exported declarations name', () => {
  it('are found in fields, parameters and parents, not in bodies and values', () => {
    const named = typesNamedBy(examples, exportsOf(examples, examples.file('unnamed')));
    expect([...named].map(([{ name }, by]) => `${name} <- ${by.sort().join(', ')}`).sort()).toEqual([
      'Hidden <- Shown',
      'Inner <- Shown, take',
      'Shown <- Shown',
    ]);
  });

  it('event-query exports them all itself', () => {
    const exported = exportsOfEntry(examples, 'event-query');
    const known = new Set(exported);
    const missing = [...typesNamedBy(examples, exported)].filter(([type]) => !known.has(type));
    expect(missing.map(([{ name }, by]) => `${name}, which ${by.join(', ')} names`)).toEqual([]);
  });

  it.each(ENTRIES)('%s exports them, or a door of the core does', (entry) => {
    const exported = exportsOfEntry(examples, entry);
    const known = new Set([...exported, ...core]);
    const missing = [...typesNamedBy(examples, exported)].filter(([type]) => !known.has(type));
    expect(missing.map(([{ name }, by]) => `${name}, which ${by.join(', ')} names`)).toEqual([]);
  });
});
