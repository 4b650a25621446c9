import type { Condition } from '../../filter/condition.ts';
import type { Path } from '../../filter/path.ts';
import type { GroupPath } from '../../query/grouping.ts';
import type { Column } from '../column/column.ts';
import type { IndexColumns } from '../ahead/column-indexing.ts';
import { createReading, type Coded, type CodeReader, type ReadingTools } from '../groups/reading.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import type { LeafSource } from '../sources/source.ts';
import { createSources, type SourceParts } from '../sources/sources.ts';
import { withPruning } from '../selection/prune.ts';
import { toSelector, type Leaf, type Selector } from '../selection/selector.ts';
import type { AnalyzedCondition } from '../analysis/analyze.ts';

/** What a question reads: the rows that existed when it began. Rows that arrive later are not part of it. */
export interface QuestionSnapshot {
  readonly selector: Selector;
  /** What the requested paths find in the rows, in the order of the request. */
  readonly coded: readonly Coded[];
  readonly size: number;
}

/** The selectors of questions that need no path. */
const ALL_ROWS: Selector = { kind: 'constant', value: 1 };
const NO_ROWS: Selector = { kind: 'constant', value: 0 };

/** The condition of a question about no rows. */
const NOTHING: AnalyzedCondition = { tree: { kind: 'any', of: [] }, leaves: [], times: [], groups: [] };

/** What a snapshot is put together from. */
interface SnapshotParts extends SourceParts, Omit<ReadingTools, 'pacer'> {
  readonly analyze: (condition: Condition) => AnalyzedCondition;
  readonly indexColumns: IndexColumns;
}

/** Indexes everything that a condition and some paths need, up to `size` rows. */
export async function openSnapshot(
  condition: Condition,
  paths: readonly GroupPath[],
  size: number,
  parts: SnapshotParts,
  tools: QuestionTools,
): Promise<QuestionSnapshot> {
  if (paths.length === 0) {
    if (size === 0) return { selector: NO_ROWS, coded: [], size };
    if (condition.kind === 'all' && condition.of.length === 0) return { selector: ALL_ROWS, coded: [], size };
  }
  const analyzed = size === 0 ? NOTHING : parts.analyze(condition);
  /** The columns of properties, which are all read from the same texts. */
  const columns = new Set<Column>();
  const columnOf = (path: Path) => {
    const column = parts.columnOf(path);
    if (path.root === 'properties') columns.add(column);
    return column;
  };
  const sources = createSources(analyzed, { ...parts, columnOf }, tools);
  const distinct = [...new Set(sources.values())];
  tools.atEnd(() => distinct.forEach((source) => source.release?.()));
  const readings = paths.map((path) => createReading(path, { ...parts, columnOf, pacer: tools.pacer }));
  const all = [...distinct, ...readings];
  const areReady = () => all.every((part) => part.isReady(size));
  const decide = async (): Promise<QuestionSnapshot> => {
    const coded = readings.map((reading) => reading.read());
    if (size === 0) return { selector: NO_ROWS, coded, size };
    const leaves = new Map<ConditionLeaf, Leaf>();
    for (const leaf of analyzed.leaves) leaves.set(leaf, sources.get(leaf)!.leaf(leaf));
    const steps = toSelector(analyzed.tree, {
      reservation: tools.reservation,
      leafOf: (leaf) => leaves.get(leaf)!,
    });
    return { selector: withPruning(await finish(steps, tools)), coded, size };
  };
  if (!areReady()) {
    await parts.indexColumns([...columns], size, tools);
    await indexAll(all, size, areReady);
  }
  return decide();
}

/**
 * Indexes all parts. A part that is ready may be disabled while others are indexed, so this looks again until
 * all are ready.
 */
async function indexAll(
  parts: readonly (LeafSource | CodeReader)[],
  size: number,
  areReady: () => boolean,
): Promise<void> {
  do {
    for (const part of parts) if (!part.isReady(size)) await part.indexUpTo(size);
  } while (!areReady());
}

async function finish(steps: Generator<undefined, Selector>, { pacer }: QuestionTools): Promise<Selector> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pacer.yieldIfDue();
  }
}
