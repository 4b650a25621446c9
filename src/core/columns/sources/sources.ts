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
import type { LeafSource, SourceTools } from './source.ts';
import { createFullScanSource } from './full-scan-source.ts';

/** The parts of the index that sources read. */
export interface SourceParts {
  readonly log: EventLog;
  readonly columnOf: (path: Path) => Column;
  readonly orderOf: () => Order;
  readonly idHashesOf: () => IdHashes;
}

/** The source of each leaf of a condition: one for all ranges of time, and one for each group of tests. */
export function createSources(
  { times, groups }: Pick<AnalyzedCondition, 'times' | 'groups'>,
  parts: SourceParts,
  tools: SourceTools,
): Map<ConditionLeaf, LeafSource> {
  const sources = new Map<ConditionLeaf, LeafSource>();
  const share = (group: readonly ConditionLeaf[], source: LeafSource) => {
    for (const leaf of group) sources.set(leaf, source);
  };
  if (times.length > 0) share(times, createInstantSource(parts.orderOf(), times, tools));
  for (const group of groups) share(group.tests, openSource(group, parts, tools));
  return sources;
}

function openSource({ kind, tests }: TestGroup, parts: SourceParts, tools: SourceTools): LeafSource {
  switch (kind) {
    case 'ids':
      return createIdSource(parts.log, parts.idHashesOf(), tests, tools);
    case 'scan':
      return createFullScanSource(parts.log, tests, tools);
    case 'column':
      return createColumnSource(parts.log, parts.columnOf(tests[0]!.path), tests, tools);
  }
}
