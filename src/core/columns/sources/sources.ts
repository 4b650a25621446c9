import type { Path } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import type { EventLog } from '../log/log.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { Order } from '../order/order.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import { createIdSource } from './id-source.ts';
import type { TestGroup, AnalyzedCondition } from '../analysis/analyze.ts';
import { createColumnSource } from './column-source.ts';
import { createInstantSource } from './instant-source.ts';
import type { LeafSource } from './source.ts';
import { createFullScanSource } from './full-scan-source.ts';
import type { QuestionTools } from './question.ts';

/** The parts of the index that sources read. Each is pinned by the question that it is asked for. */
export interface SourceParts {
  columnOf(path: Path, question: QuestionTools): Column;
  orderOf(question: QuestionTools): Order;
  idHashesOf(question: QuestionTools): IdHashes;
}

/** The source of each leaf of a condition: one for all ranges of time, and one for each group of tests. */
export function createSources(
  { times, groups }: Pick<AnalyzedCondition, 'times' | 'groups'>,
  log: EventLog,
  parts: SourceParts,
  question: QuestionTools,
): Map<ConditionLeaf, LeafSource> {
  const sources = new Map<ConditionLeaf, LeafSource>();
  const share = (group: readonly ConditionLeaf[], source: LeafSource) => {
    for (const leaf of group) sources.set(leaf, source);
  };
  if (times.length > 0) share(times, createInstantSource(parts.orderOf(question), times, question));
  for (const group of groups) share(group.tests, openSource(group, log, parts, question));
  return sources;
}

function openSource(
  { kind, tests }: TestGroup,
  log: EventLog,
  parts: SourceParts,
  question: QuestionTools,
): LeafSource {
  switch (kind) {
    case 'ids':
      return createIdSource(log, parts.idHashesOf(question), tests, question);
    case 'scan':
      return createFullScanSource(log, tests, question);
    case 'column':
      return createColumnSource(log, parts.columnOf(tests[0]!.path, question), tests, question);
  }
}
