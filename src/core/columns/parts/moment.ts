import type { Condition } from '../../filter/condition.ts';
import type { Path } from '../../filter/path.ts';
import type { GroupPath } from '../../query/grouping.ts';
import type { Column } from '../column/column.ts';
import type { CoverForQuestion } from '../ahead/covering.ts';
import { createReading, type Coded, type CodeReader, type ReadingTools } from '../groups/reading.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { Soon } from '../../base/soon.ts';
import type { Place } from '../analysis/asked.ts';
import type { LeafSource } from '../sources/source.ts';
import { createSources, type SourceParts } from '../sources/sources.ts';
import { withPruning } from '../selection/prune.ts';
import { toSelector, type Leaf, type Selector } from '../selection/selector.ts';
import type { Understood } from '../analysis/understood.ts';

/** A question at one moment: rows that arrive later belong to none of its parts. */
export interface QuestionSnapshot {
  readonly selector: Selector;
  /** What the paths that were asked for find in the rows, in their order. */
  readonly coded: readonly Coded[];
  readonly size: number;
}

/** A question that needs nothing of any path. */
const ALL_ROWS: Selector = { kind: 'constant', value: 1 };
const NO_ROWS: Selector = { kind: 'constant', value: 0 };

/** Of no event anything is asked. */
const NOTHING: Understood = { joined: { kind: 'any', of: [] }, atoms: [], times: [], groups: [] };

/** What a moment is put together from. */
interface MomentParts extends SourceParts, Omit<ReadingTools, 'pacer'> {
  readonly understand: (condition: Condition) => Understood;
  readonly coverColumns: CoverForQuestion;
}

/** Brings everything that a condition and some paths need to know the first `size` rows. */
export function openMoment(
  condition: Condition,
  paths: readonly GroupPath[],
  size: number,
  parts: MomentParts,
  tools: QuestionTools,
): Soon<QuestionSnapshot> {
  if (paths.length === 0) {
    if (size === 0) return { selector: NO_ROWS, coded: [], size };
    if (condition.kind === 'all' && condition.of.length === 0) return { selector: ALL_ROWS, coded: [], size };
  }
  const asked = size === 0 ? NOTHING : parts.understand(condition);
  /** Those of properties, which are all read from the same texts. */
  const columns = new Set<Column>();
  const columnOf = (path: Path) => {
    const column = parts.columnOf(path);
    if (path.root === 'properties') columns.add(column);
    return column;
  };
  const sources = createSources(asked, { ...parts, columnOf }, tools);
  const distinct = [...new Set(sources.values())];
  tools.atEnd(() => distinct.forEach((source) => source.release?.()));
  const readings = paths.map((path) => createReading(path, { ...parts, columnOf, pacer: tools.pacer }));
  const all = [...distinct, ...readings];
  const areReady = () => all.every((part) => part.isReady(size));
  const decide = (): Soon<QuestionSnapshot> => {
    const coded = readings.map((reading) => reading.take());
    if (size === 0) return { selector: NO_ROWS, coded, size };
    const leaves = new Map<Place, Leaf>();
    for (const atom of asked.atoms) leaves.set(atom, sources.get(atom)!.leaf(atom));
    const steps = toSelector(asked.joined, {
      reservation: tools.reservation,
      leafOf: (atom) => leaves.get(atom)!,
    });
    const first = steps.next();
    const toMoment = (selector: Selector) => ({ selector: withPruning(selector), coded, size });
    return first.done === true ? toMoment(first.value) : finish(steps, tools).then(toMoment);
  };
  if (areReady()) return decide();
  return parts
    .coverColumns([...columns], size, tools)
    .then(() => coverAll(all, size, areReady))
    .then(decide);
}

/** What is covered may be given up while others are covered. */
async function coverAll(
  parts: readonly (LeafSource | CodeReader)[],
  size: number,
  areReady: () => boolean,
): Promise<void> {
  do {
    for (const part of parts) if (!part.isReady(size)) await part.cover(size);
  } while (!areReady());
}

async function finish(steps: Generator<undefined, Selector>, { pacer }: QuestionTools): Promise<Selector> {
  for (;;) {
    await pacer.yieldIfDue();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
