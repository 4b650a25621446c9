import { createAheadReader, type EventLog, type Path } from '../../../../src/store-kit.ts';

/** What another thread reads with. */
export const reader = createAheadReader([3, 4]);

export type Reading = readonly [paths: readonly Path[], from: number, to: number];

/** A log whose rows another thread reads too, some at once, and what it was asked. */
export function readElsewhere(log: EventLog, atOnce: (from: number) => number) {
  const asked: Reading[] = [];
  const valuesAhead = async (...[paths, from, to]: Reading) => {
    asked.push([paths, from, to]);
    await new Promise((resolve) => setImmediate(resolve));
    return structuredClone(reader.values(log, paths, from, Math.min(to, from + atOnce(from))));
  };
  return { asked, log: { ...log, valuesAhead } };
}
