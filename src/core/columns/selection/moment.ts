import type { Condition } from '../../filter/condition.ts';
import type { FilterPath } from '../../filter/path.ts';
import { createReading, type Coded, type ReadingTools } from '../groups/reading.ts';
import type { SourceTools } from './source.ts';
import { atomsOf, createSources, type SourceParts } from './sources.ts';
import { toSelector, type Selector } from './selector.ts';

/** A question at one moment: rows that arrive later belong to none of its parts. */
export interface Moment {
  readonly selector: Selector;
  /** What the paths that were asked for find in the rows, in their order. */
  readonly coded: readonly Coded[];
  readonly size: number;
}

/** What a question works with until it ends. */
export interface QuestionTools extends SourceTools {
  /** Does this when the question ends, however it does. */
  readonly atEnd: (end: () => void) => void;
}

/** Brings everything that a condition and some paths need to know the first `size` rows. */
export async function openMoment(
  condition: Condition,
  paths: readonly FilterPath[],
  size: number,
  parts: SourceParts & Omit<ReadingTools, 'pacer'>,
  tools: QuestionTools,
): Promise<Moment> {
  const atoms = size === 0 ? [] : atomsOf(condition);
  const sources = createSources(atoms, parts, tools);
  const distinct = new Set(sources.values());
  tools.atEnd(() => distinct.forEach((source) => source.release?.()));
  const readings = paths.map((path) => createReading(path, { ...parts, pacer: tools.pacer }));
  const all = [...distinct, ...readings];
  // What is covered may be given up while others are covered.
  while (!all.every((part) => part.isReady(size))) {
    for (const part of all) if (!part.isReady(size)) await part.cover(size);
  }
  const coded = readings.map((reading) => reading.take());
  if (size === 0) return { selector: { kind: 'constant', value: 0 }, coded, size };
  const leaves = new Map(atoms.map((atom) => [atom, sources.get(atom)!.leaf(atom)]));
  const steps = toSelector(condition, { account: tools.account, leafOf: (atom) => leaves.get(atom)! });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { selector: step.value, coded, size };
    await tools.pacer.pause();
  }
}
