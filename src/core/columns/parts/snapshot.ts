import { isEverything, type Condition } from '../../filter/condition.ts';
import type { Path } from '../../filter/path.ts';
import type { GroupPath } from '../../query/grouping.ts';
import type { Column } from '../column/column.ts';
import type { IndexColumns } from '../ahead/column-indexing.ts';
import { createCodeReader, type Coded, type ReadingTools } from '../groups/reading.ts';
import type { LeafSource } from '../sources/source.ts';
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
import { indexUpTo } from '../log/index-up-to.ts';
import { isGone } from '../log/erased-rows.ts';
import type { LiveDocs } from '../log/live-docs.ts';
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
const NO_LIVE_DOCS: LiveDocs['codes'] = [];

/** The codes of live docs are 1 for a row that is there. */
const LIVE_MASK = Uint8Array.of(0, 1);

/** What a snapshot is put together from. */
interface SnapshotParts extends SourceParts, Omit<ReadingTools, 'pacer'> {
  readonly indexColumns: IndexColumns;
  readonly liveDocsOf: () => LiveDocs;
}

/** A part that a question needs up to some rows. */
type Needed = Pick<LeafSource, 'isReady' | 'indexUpTo'>;

/** Indexes everything that a question needs, up to the rows that the log has now. */
export async function openSnapshot(
  { condition, paths, isOrdered }: SnapshotRequest,
  parts: SnapshotParts,
  tools: QuestionTools,
): Promise<QuestionSnapshot> {
  const { log } = parts;
  const size = log.size();
  const order = isOrdered ? parts.orderOf() : undefined;
  const liveDocs = log.version === 0 ? undefined : parts.liveDocsOf();
  const analyzed = size === 0 || isEverything(condition) ? NOTHING : analyze(condition);
  /** The columns of properties, which are all read from the same texts. */
  const columns = new Set<Column>();
  const columnOf = (path: Path) => {
    const column = parts.columnOf(path);
    if (path.root === 'properties') columns.add(column);
    return column;
  };
  const sources = createSources(analyzed, { ...parts, columnOf }, tools);
  const distinct = [...new Set(sources.values())];
  if (distinct.length > 0) tools.atEnd(() => distinct.forEach((source) => source.release?.()));
  const readings = paths.map((path) => createCodeReader(path, { ...parts, columnOf, pacer: tools.pacer }));
  const needed: Needed[] = [...distinct, ...readings];
  const areReady = () =>
    (order === undefined || order.indexedRows >= size) &&
    (liveDocs === undefined || liveDocs.isReady(log.version)) &&
    needed.every((part) => part.isReady(size));
  if (!areReady()) {
    await parts.indexColumns(log, [...columns], size, tools);
    do {
      if (order !== undefined) await indexOrder(order, size, tools);
      if (liveDocs?.isReady(log.version) === false) await liveDocs.build(tools.pacer);
      for (const part of needed) if (!part.isReady(size)) await part.indexUpTo(size);
      // A part may have rows that were read from a newer version, without events that this one has. Then this
      // throws. From here on nothing is awaited until all parts are taken.
      log.size();
      // A part that was ready may have been disabled while others were indexed.
    } while (!areReady());
  }
  const coded = readings.map((reading) => reading.read());
  const ordered = order === undefined ? NO_ORDER : withoutGone(order.snapshotAt(size), log);
  const live = liveDocs?.codes ?? NO_LIVE_DOCS;
  const leaves = new Map<ConditionLeaf, Leaf>();
  for (const leaf of analyzed.leaves) leaves.set(leaf, sources.get(leaf)!.leaf(leaf));
  const leafOf = (leaf: ConditionLeaf) => leaves.get(leaf)!;
  const steps = toSelector(analyzed.tree, { reservation: tools.reservation, leafOf });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await tools.pacer.yieldIfDue();
  const selector = size === 0 ? NO_ROWS : isEverything(condition) ? ALL_ROWS : step.value;
  const own = withPruning(selector);
  const { selectorAt, liveAt } = live.length === 0 ? unguarded(own) : guard(own, live);
  return { selector: own, selectorAt, liveAt, coded, ordered, size };
}

/** Segments that are erased as a whole are left out, although they may not be freed yet. */
function withoutGone(ordered: OrderSnapshot, log: EventLog): OrderSnapshot {
  if (log.version === 0) return ordered;
  const erased = log.erased();
  const segments = ordered.segments.map((own) => (own && isGone(erased, own.segment) ? undefined : own));
  return { size: ordered.size, segments };
}

async function indexOrder(order: Order, size: number, { pacer }: QuestionTools): Promise<void> {
  if (order.indexedRows >= size) return;
  await indexUpTo(order, size, pacer);
  await order.save(pacer);
}

const liveRows = () => ALL_ROWS;

/** The selectors of a log without erased rows. */
function unguarded(own: Selector): Pick<QuestionSnapshot, 'selectorAt' | 'liveAt'> {
  return { selectorAt: () => own, liveAt: liveRows };
}

/** The selectors that leave out erased rows: only segments that have some pay for it. */
function guard(
  own: ConditionSelector,
  live: LiveDocs['codes'],
): Pick<QuestionSnapshot, 'selectorAt' | 'liveAt'> {
  const leaf: Leaf = { kind: 'leaf', codes: live, mask: LIVE_MASK };
  const guarded = toLive(own, live, leaf);
  return {
    selectorAt: (segment) => (live[segment] === undefined ? own : guarded),
    liveAt: (segment) => (live[segment] === undefined ? ALL_ROWS : leaf),
  };
}

function toLive(own: ConditionSelector, live: LiveDocs['codes'], leaf: Leaf): Selector {
  if (own.kind === 'constant') return own.value === 1 ? leaf : own;
  // Some rows of the segment are erased, so never all of them count.
  const prune = (segment: number) => (pruneSegment(own, segment) === 'skip' ? 'skip' : 'scan');
  return { kind: 'live', of: own, live, prune };
}
