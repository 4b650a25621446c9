import type { Path } from '../../filter/path.ts';
import type { Column } from '../column.ts';
import type { EventLog } from '../log.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { Order } from '../order/order.ts';
import type { Place } from '../question/asked.ts';
import { createIdSource } from '../question/id-source.ts';
import type { Group, Understood } from '../question/understood.ts';
import { createColumnSource } from './column-source.ts';
import { createInstantSource } from './instant-source.ts';
import type { Source, SourceTools } from './source.ts';
import { createStreamedSource } from './streamed-source.ts';

/** The parts of the index that sources read. */
export interface SourceParts {
  readonly log: EventLog;
  readonly columnOf: (path: Path) => Column;
  readonly orderOf: () => Order;
  readonly idHashesOf: () => IdHashes;
}

/** The source of each atom: one for all times, and one for each group of tests. */
export function createSources(
  { times, groups }: Pick<Understood, 'times' | 'groups'>,
  parts: SourceParts,
  tools: SourceTools,
): Map<Place, Source> {
  const sources = new Map<Place, Source>();
  const share = (group: readonly Place[], source: Source) => {
    for (const atom of group) sources.set(atom, source);
  };
  if (times.length > 0) share(times, createInstantSource(parts.orderOf(), times, tools));
  for (const group of groups) share(group.tests, openSource(group, parts, tools));
  return sources;
}

function openSource({ kind, tests }: Group, parts: SourceParts, tools: SourceTools): Source {
  switch (kind) {
    case 'ids':
      return createIdSource(parts.log, parts.idHashesOf(), tests, tools);
    case 'streamed':
      return createStreamedSource(parts.log, tests, tools);
    case 'column':
      return createColumnSource(parts.log, parts.columnOf(tests[0]!.path), tests, tools);
  }
}
