import { isEverything, type Condition } from '../../filter/condition.ts';
import type { GroupPath } from '../../query/grouping.ts';
import type { Column } from '../column/column.ts';
import type { IndexColumns } from '../ahead/column-indexing.ts';
import { createCodeReader, type Coded, type ReadingParts } from '../groups/reading.ts';
import type { LeafOf, LeafSource } from '../sources/source.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import { createSources, type SourceParts } from '../sources/sources.ts';
import { pruneSegment, withPruning } from '../selection/prune.ts';
import {
  toSelector,
  type ConditionSelector,
  type Leaf,
  type Selector,
  type SelectorAt,
} from '../selection/selector.ts';
import { analyze, type AnalyzedCondition } from '../analysis/analyze.ts';
import { indexAndSave } from '../log/index-up-to.ts';
import { isGone, type ErasedRows } from '../log/erased-rows.ts';
import type { EventLog } from '../log/log.ts';
import type { Order, OrderSnapshot } from '../order/order.ts';

/**
 * What a question reads: the rows that existed when it began. Rows that arrive later are not part of it, and
 * of an erasure that comes later it sees nothing.
 */
export interface QuestionSnapshot {
  /** The selector of all rows, erased ones included. */
  readonly selector: ConditionSelector;
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
const ALL_ROWS: ConditionSelector = { kind: 'constant', value: 1 };
const NO_ROWS: ConditionSelector = { kind: 'constant', value: 0 };

/** The condition of a question about no rows. */
const NOTHING: AnalyzedCondition = { tree: { kind: 'any', of: [] }, leaves: [], times: [], groups: [] };

const NO_ORDER: OrderSnapshot = { size: 0, segments: [] };

/** What a snapshot is put together from. */
interface SnapshotParts extends SourceParts, ReadingParts {
  readonly indexColumns: IndexColumns;
}

/** Indexes everything that a question needs, and takes of it what the rows have that the log has now. */
export async function openSnapshot(
  { condition, paths, isOrdered }: SnapshotRequest,
  log: EventLog,
  parts: SnapshotParts,
  question: QuestionTools,
): Promise<QuestionSnapshot> {
  const size = log.size();
  const { bitmaps } = log.erased();
  const order = isOrdered ? parts.orderOf(question) : undefined;
  const analyzed = size === 0 || isEverything(condition) ? NOTHING : analyze(condition);
  const sourceOf = createSources(analyzed, log, parts, question);
  const sources = new Set(sourceOf.values());
  if (sources.size > 0) question.atEnd(() => sources.forEach((source) => source.release?.()));
  const readers = paths.map((path) => createCodeReader(path, log, parts, question));
  await parts.indexColumns(log, propertiesOf([...sources, ...readers]), size, question);
  const ordered = order === undefined ? NO_ORDER : await openOrder(order, log, size, question);
  const leafOf = new Map<LeafSource, LeafOf>();
  for (const source of sources) leafOf.set(source, await source.open(size));
  const coded: Coded[] = [];
  for (const reader of readers) coded.push(await reader.open(size));
  // A part may have rows that were read from a newer version, without events that this one has. Then this
  // throws. Nothing more is taken from here on.
  log.size();
  const leaves = new Map<ConditionLeaf, Leaf>();
  for (const [leaf, source] of sourceOf) leaves.set(leaf, leafOf.get(source)!(leaf));
  const steps = toSelector(analyzed.tree, {
    reservation: question.reservation,
    leafOf: (leaf) => leaves.get(leaf)!,
  });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await question.pacer.yieldIfDue();
  const selector = size === 0 ? NO_ROWS : isEverything(condition) ? ALL_ROWS : step.value;
  const own = withPruning(selector);
  const [selectorAt, liveAt] = [guard(own, bitmaps), guard(ALL_ROWS, bitmaps)];
  return { selector: own, selectorAt, liveAt, coded, ordered, size };
}

/** The columns of properties, which are all read from the same texts. */
function propertiesOf(shared: readonly { readonly column?: Column | undefined }[]): readonly Column[] {
  const columns = new Set<Column>();
  for (const { column } of shared) if (column?.path.root === 'properties') columns.add(column);
  return [...columns];
}

/** The order, without segments that are erased as a whole, which may not be freed yet. */
async function openOrder(
  order: Order,
  log: EventLog,
  size: number,
  { pacer }: QuestionTools,
): Promise<OrderSnapshot> {
  await indexAndSave(order, size, pacer);
  const ordered = order.snapshotAt(size);
  if (log.version === 0) return ordered;
  const erased = log.erased();
  return {
    size,
    segments: ordered.segments.map((own) => (own && isGone(erased, own.segment) ? undefined : own)),
  };
}

/** Leaves out the erased rows of a log: only segments that have some pay for it. */
function guard(own: ConditionSelector, erased: ErasedRows['bitmaps']): SelectorAt {
  if (erased.length === 0 || (own.kind === 'constant' && own.value === 0)) return () => own;
  // Some rows of the segment are erased, so never all of them count.
  const prune = (segment: number) => (pruneSegment(own, segment) === 'skip' ? 'skip' : 'scan');
  const guarded: Selector = { kind: 'live', of: own, erased, prune };
  return (segment) => (erased[segment] === undefined ? own : guarded);
}
