import type { Condition } from '../../filter/condition.ts';
import type { Path } from '../../filter/path.ts';
import type { GroupPath } from '../../query/grouping.ts';
import type { Column } from '../column/column.ts';
import type { IndexColumns } from '../ahead/column-indexing.ts';
import { createReading, type Coded, type ReadingTools } from '../groups/reading.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import { createSources, type SourceParts } from '../sources/sources.ts';
import { withPruning } from '../selection/prune.ts';
import { toSelector, type Leaf, type Selector, type SelectorAt } from '../selection/selector.ts';
import type { AnalyzedCondition } from '../analysis/analyze.ts';
import { indexUpTo } from '../log/index-up-to.ts';
import type { LiveDocs } from '../log/live-docs.ts';
import type { OrderSnapshot } from '../order/order.ts';

/**
 * What a question reads: the rows that existed when it began. Rows that arrive later are not part of it, and
 * of an erasure that comes later it sees nothing.
 */
export interface QuestionSnapshot {
  /** The selector of all rows, erased ones included. */
  readonly selector: Selector;
  /** The selector for the rows of a segment, without erased ones. */
  readonly selectorAt: SelectorAt;
  /** Selects all rows of a segment but erased ones. */
  readonly liveAt: SelectorAt;
  /** What the requested paths find in the rows, in the order of the request. */
  readonly coded: readonly Coded[];
  /** The order of the rows; without segments if it was not asked for. */
  readonly ordered: OrderSnapshot;
  readonly size: number;
}

/** What a question needs. */
export interface SnapshotRequest {
  readonly condition: Condition;
  readonly paths: readonly GroupPath[];
  readonly isOrdered: boolean;
}

/** The selectors of questions that need no path. */
const ALL_ROWS: Selector = { kind: 'constant', value: 1 };
const NO_ROWS: Selector = { kind: 'constant', value: 0 };

/** The condition of a question about no rows. */
const NOTHING: AnalyzedCondition = { tree: { kind: 'any', of: [] }, leaves: [], times: [], groups: [] };

/** The codes of live docs are 1 for a row that is there. */
const LIVE_MASK = Uint8Array.of(0, 1);

/** What a snapshot is put together from. */
interface SnapshotParts extends SourceParts, Omit<ReadingTools, 'pacer'> {
  readonly analyze: (condition: Condition) => AnalyzedCondition;
  readonly indexColumns: IndexColumns;
  readonly liveDocsOf: () => LiveDocs;
}

/** A part that a question needs up to some rows. */
interface Needed {
  isReady(size: number): boolean;
  indexUpTo(size: number): Promise<void>;
}

/** Indexes everything that a question needs, up to the rows that the log has now. */
export async function openSnapshot(
  { condition, paths, isOrdered }: SnapshotRequest,
  parts: SnapshotParts,
  tools: QuestionTools,
): Promise<QuestionSnapshot> {
  const { log } = parts;
  const size = log.size();
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
  const order = isOrdered ? parts.orderOf() : undefined;
  const liveDocs = log.version === 0 ? undefined : parts.liveDocsOf();
  const needed: Needed[] = [...distinct, ...readings];
  if (order !== undefined) {
    needed.push({
      isReady: () => order.indexedRows >= size,
      async indexUpTo() {
        await indexUpTo(order, size, tools.pacer);
        await order.save(tools.pacer);
      },
    });
  }
  if (liveDocs !== undefined) {
    needed.push({
      isReady: () => liveDocs.isReady(log.version),
      async indexUpTo() {
        await liveDocs.build(tools.pacer);
        // If the log was erased meanwhile, there is no way back to this version.
        log.size();
      },
    });
  }
  const areReady = () => needed.every((part) => part.isReady(size));
  if (!areReady()) {
    await parts.indexColumns(log, [...columns], size, tools);
    await indexAll(needed, size, areReady);
  }
  // From here on nothing is awaited until all parts are taken: they are of one version of the log. A part may
  // have rows that were read from a newer one, without events that this one has. Then this throws.
  log.size();
  const coded = readings.map((reading) => reading.read());
  const ordered = order?.snapshotAt(size) ?? { size, segments: [] };
  const live = liveDocs?.codes ?? [];
  const leaves = new Map<ConditionLeaf, Leaf>();
  for (const leaf of analyzed.leaves) leaves.set(leaf, sources.get(leaf)!.leaf(leaf));
  const steps = toSelector(analyzed.tree, {
    reservation: tools.reservation,
    leafOf: (leaf) => leaves.get(leaf)!,
  });
  const selector = size === 0 ? NO_ROWS : await finish(steps, tools);
  return { ...guard(selector, live), coded, ordered, size };
}

/** The selectors that leave out erased rows: only segments that have some pay for it. */
function guard(
  selector: Selector,
  live: LiveDocs['codes'],
): Pick<QuestionSnapshot, 'selector' | 'selectorAt' | 'liveAt'> {
  const own = withPruning(selector);
  if (live.length === 0) return { selector: own, selectorAt: () => own, liveAt: () => ALL_ROWS };
  const leaf: Leaf = { kind: 'leaf', codes: live, mask: LIVE_MASK };
  const guarded = withPruning(withLeaf(selector, leaf));
  const isWhole = (segment: number) => live[segment] === undefined;
  return {
    selector: own,
    selectorAt: (segment) => (isWhole(segment) ? own : guarded),
    liveAt: (segment) => (isWhole(segment) ? ALL_ROWS : leaf),
  };
}

function withLeaf(selector: Selector, leaf: Leaf): Selector {
  if (selector.kind === 'constant') return selector.value === 1 ? leaf : selector;
  return { kind: 'all', of: selector.kind === 'all' ? [...selector.of, leaf] : [selector, leaf] };
}

/**
 * Indexes all parts. A part that is ready may be disabled while others are indexed, so this looks again until
 * all are ready.
 */
async function indexAll(parts: readonly Needed[], size: number, areReady: () => boolean): Promise<void> {
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
