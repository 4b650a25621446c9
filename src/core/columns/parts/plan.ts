import type { AnswerPlan, PlannedPath } from '../../query/answer-plan.ts';
import type { Test } from '../../filter/condition.ts';
import { pathText } from '../../filter/path.ts';
import type { EventQuery } from '../../query/event-query.ts';
import { countErasedBefore } from '../log/erased-rows.ts';
import type { EventLog } from '../log/log.ts';
import type { KnownParts } from './parts.ts';
import { leavesOf, kindOf } from '../analysis/analyze.ts';

/**
 * How a page of a query would be answered by the parts that exist now, or without the order. It reads
 * nothing.
 */
export function answerPlanOf(
  { condition }: EventQuery,
  log: EventLog,
  known: KnownParts,
  isDirect: boolean,
): AnswerPlan {
  const planned = new Map<string, PlannedPath>();
  const erased = log.erased();
  const add = (path: PlannedPath) => {
    // A source keeps the rows of erased events; those are no events that were read.
    const read = path.read - countErasedBefore(erased, path.read);
    planned.set(`${path.from} ${path.path}`, { ...path, read });
  };
  if (isDirect) add({ path: 'eventTs', from: log.byTime === undefined ? 'events' : 'index', read: 0 });
  else add({ path: 'eventTs', from: 'order', read: known.order()?.indexedRows ?? 0 });
  for (const leaf of leavesOf(condition)) {
    if (leaf.kind !== 'test') continue;
    add(isDirect ? { path: pathText(leaf.path), from: 'events', read: 0 } : toPlanned(leaf, known));
  }
  return { by: 'columns', events: log.size() - erased.count, paths: [...planned.values()] };
}

function toPlanned(test: Test, known: KnownParts): PlannedPath {
  const path = pathText(test.path);
  const kind = kindOf(test);
  if (kind === 'ids') return { path, from: 'hashes', read: known.idHashes()?.indexedRows ?? 0 };
  const column = known.column(test.path);
  if (kind === 'scan' || column?.disabled === 'too large') return { path, from: 'events', read: 0 };
  return { path, from: 'column', read: column?.indexedRows ?? 0 };
}
