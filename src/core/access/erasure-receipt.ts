import type { ErasingOperations } from './erasing-operations.ts';
import type { CountBody } from '../query/body.ts';
import type { Breakdown, MeasuredGrouping } from '../query/grouping.ts';
import { parseBreakdownBody } from '../query/parse-query.ts';

/** What an erasure leaves for whoever asked for it. It names no user and no filter, as its audit entry. */
export interface ErasureReceipt {
  /** The alias of the tenant. */
  readonly tenant: string;
  /** How many events were erased. */
  readonly erased: number;
  /**
   * How many events of each name there were just before, the most first, at most 1,000 names. An event that
   * arrived after that is in `erased` alone.
   */
  readonly names: readonly { readonly eventName: string; readonly count: number }[];
  /** How many other names there were. */
  readonly otherNames: number;
  /** When the first of them had happened, ISO 8601; null if there were none. */
  readonly first: string | null;
  /** When the last of them had happened. */
  readonly last: string | null;
  /** When they were erased. */
  readonly at: string;
  /** Who erased them, as the audit log says it. */
  readonly by: string;
  /** The entry of the audit log. */
  readonly auditEntry: {
    readonly id: string;
    /** The SHA-256 of the entry as compact JSON with its keys in order, as `jq -cjS` prints it. */
    readonly sha256: string;
  };
}

/** How many names a receipt lists. */
const NAMES_MAX = 1000;

/** What is known of events before they are erased. */
interface Matches extends Pick<ErasureReceipt, 'names' | 'otherNames' | 'first' | 'last'> {
  readonly matched: number;
}

/** Counts the events that match, by name. */
export async function countMatches(
  operations: Pick<ErasingOperations, 'breakdown'>,
  tenantId: string,
  body: CountBody,
): Promise<Matches> {
  const measures = [{ of: 'eventTs', take: ['min', 'max'] }] as const;
  const { query, grouping } = parseBreakdownBody({ ...body, by: 'eventName', size: NAMES_MAX, measures });
  const asked = { query, grouping: grouping as MeasuredGrouping };
  const found = (await operations.breakdown(tenantId, asked)) as Breakdown;
  const [times] = found.measures!;
  return {
    matched: found.total,
    names: found.groups.map(({ key, count }) => ({ eventName: String(key), count })),
    otherNames: found.groupsTotal - found.groups.length,
    ...{ first: times!.min as string | null, last: times!.max as string | null },
  };
}
