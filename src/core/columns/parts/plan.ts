import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { atomsOf, isEverything, type Test } from '../../filter/condition.ts';
import { pathText, type Path } from '../../filter/path.ts';
import {
  conditionsOf,
  mergePaths,
  timesFor,
  type AnswerPlan,
  type PlannedPath,
  type PlannedStreams,
  type ReadFor,
  type QuestionReading,
} from '../../query/answer-plan.ts';
import type { GroupPath } from '../../query/grouping.ts';
import { kindOf } from '../analysis/analyze.ts';
import { isScalar } from '../groups/distinct.ts';
import { isShared } from '../groups/reading.ts';
import { countErasedBefore, hasBit, type ErasedRows } from '../log/erased-rows.ts';
import type { EventLog } from '../log/log.ts';
import { isAlways, liftRanges, placesOf, type PlaceSpan } from '../selection/spans.ts';
import { bytesOfStreams } from '../streams/stream-list.ts';
import { PARTS_MAX } from '../streams/in-parts.ts';
import type { KnownParts } from './parts.ts';

/** What a plan is made of: the parts that exist now. */
export interface PlanTools {
  readonly log: EventLog;
  readonly known: KnownParts;
  /** Whether a question about a time may be answered without the order. */
  readonly isDirect: boolean;
  readonly memory: Pick<MemoryBudget, 'hasRoom'>;
  /** The owner of the memory. */
  readonly owner: string;
  readonly pacer: Pacer;
}

/** A source of a path, without what the path is read for. */
type PathSource = Omit<PlannedPath, 'for'>;

/** How many values are looked at between two pauses. */
const STEP_VALUES = 65_536;

/**
 * How a question would be answered by the parts that exist now, or without the order. It reads nothing of the
 * log.
 */
export async function answerPlanOf(reading: QuestionReading, tools: PlanTools): Promise<AnswerPlan> {
  const { log } = tools;
  const erased = log.erased();
  const events = log.size() - erased.count;
  // All events are counted without a look at any.
  if (reading.method === 'count' && isAll(reading)) return { by: 'columns', events, paths: [] };
  const from = sourcesOf(reading, tools);
  const times = timesFor(reading);
  const order = times.length === 0 ? undefined : await from.time();
  const planned: PlannedPath[] = order === undefined ? [] : [toPlanned(order, times)];
  for (const { condition, for: use } of conditionsOf(reading))
    for (const atom of atomsOf(condition))
      if (atom.kind === 'test') planned.push(toPlanned(from.test(atom), [use]));
  for (const { path, for: use } of reading.paths) planned.push(toPlanned(from.values(path), [use]));
  // A source keeps the rows of erased events; those are no events that were read.
  const toLive = (path: PlannedPath) => ({ ...path, read: path.read - countErasedBefore(erased, path.read) });
  const paths = mergePaths(planned.map(toLive), ({ path, from: source }) => `${source} ${path}`);
  const streams = await streamsOf(reading, order?.inTime, tools);
  return { by: 'columns', events, paths, ...(streams === undefined ? {} : { streams }) };
}

const toPlanned = (source: PathSource, uses: PlannedPath['for']): PlannedPath => ({
  ...{ path: source.path, for: uses },
  ...source,
});

function isAll({ query }: QuestionReading): boolean {
  return isAlways(query) && isEverything(query.condition);
}

/** Where a question finds the order, what it tests, and the values at its paths. */
function sourcesOf({ method, query }: QuestionReading, { log, known, isDirect, pacer }: PlanTools) {
  const { ranges } = liftRanges(query);
  const isBound = !ranges.some(isAlways);
  const readsEvents =
    method === 'since' || (isDirect && method !== 'streams' && (isBound || method === 'query'));
  const inEvents = (path: string): PathSource => ({ path, from: 'events', read: 0 });

  async function time(): Promise<PathSource> {
    const path = 'eventTs';
    if (method === 'since' || (readsEvents && log.byTime === undefined)) return inEvents(path);
    if (readsEvents) return { path, from: 'index', read: 0 };
    const order = known.order();
    const read = order?.indexedRows ?? 0;
    if (order === undefined || read === 0) return { path, from: 'order', read };
    const places = await placesOf(order.snapshotAt(read), ranges, pacer);
    return { path, from: 'order', read, inTime: await countLive(places, log.erased(), pacer) };
  }

  function ofColumn(path: string, column: ReturnType<KnownParts['column']>): PathSource {
    if (column?.disabled === 'too large') return inEvents(path);
    return { path, from: 'column', read: column?.indexedRows ?? 0 };
  }

  return {
    time,
    test(test: Test): PathSource {
      const path = pathText(test.path);
      const kind = kindOf(test);
      if (readsEvents || kind === 'scan') return inEvents(path);
      if (kind === 'ids') return { path, from: 'hashes', read: known.idHashes()?.indexedRows ?? 0 };
      return ofColumn(path, known.column(test.path));
    },
    values(path: GroupPath): PathSource {
      const text = pathText(path);
      return readsEvents || !isShared(path) ? inEvents(text) : ofColumn(text, known.column(path));
    },
  };
}

/** How many rows at some places are not erased. */
async function countLive(
  places: readonly PlaceSpan[],
  { bitmaps }: ErasedRows,
  pacer: Pacer,
): Promise<number> {
  let count = 0;
  for (const { sorted, from, to } of places) {
    const bitmap = bitmaps[sorted.segment];
    count += to - from;
    if (bitmap === undefined) continue;
    for (let place = from; place < to; place++) if (hasBit(bitmap, sorted.local[place]!)) count -= 1;
    await pacer.yieldIfDue();
  }
  return count;
}

/** The streams of a question, once the order and the column of their values are there. */
async function streamsOf(
  reading: QuestionReading,
  inTime: number | undefined,
  { known, memory, owner, pacer }: PlanTools,
): Promise<PlannedStreams | undefined> {
  const { method, paths } = reading;
  const distinct = paths.find((each) => each.for === 'distinct')?.path;
  if (method !== 'streams' || inTime === undefined || distinct === undefined || !isShared(distinct))
    return undefined;
  const column = known.column(distinct);
  if (column === undefined || column.disabled !== undefined) return undefined;
  const { values: found } = column.dictionary;
  let values = 0;
  for (const [code, value] of found.entries()) {
    if (isScalar(value)) values += 1;
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  const used = bytesUsed(reading, known);
  let parts = 1;
  const isRead = (use: ReadFor) => paths.some((each) => each.for === use);
  const others = { same: isRead('same'), group: isRead('by') };
  const bytesNow = () => used + bytesOfStreams(Math.ceil(inTime / parts), found.length, others);
  while (parts < PARTS_MAX && !memory.hasRoom(owner, bytesNow())) parts *= 2;
  return { values, events: inTime, parts };
}

/** The memory of what the question uses, which nobody can have as long as it lasts. */
function bytesUsed(reading: QuestionReading, known: KnownParts): number {
  const tested = conditionsOf(reading).flatMap(({ condition }) =>
    atomsOf(condition).flatMap((atom): Path[] => (atom.kind === 'test' ? [atom.path] : [])),
  );
  const valued = reading.paths.flatMap(({ path }) => (isShared(path) ? [path] : []));
  const columns = new Set([...tested, ...valued].map((path) => known.column(path)));
  const parts = [known.order(), ...columns];
  return parts.reduce((sum, part) => sum + (part?.entry.bytes ?? 0), 0);
}
