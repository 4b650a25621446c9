import { DAY_MS, toIsoDay } from '../event/time.ts';

/** How much a tenant was used over HTTP on one UTC day. */
export interface UsageDay {
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Requests that named this tenant, of the Query API and of senders. */
  readonly requests: number;
  /** Of these, those that were answered with an error. */
  readonly refused: number;
  /** Of these, those that a limit refused. */
  readonly limited: number;
  /** Events that were stored. */
  readonly events: number;
  /** Events that were rejected, in batches that could be read. */
  readonly rejected: number;
  /** Bytes of the events' JSON in those batches, as the ingestion limit counts them. */
  readonly bytes: number;
}

/** The counts of a day. */
type UsageCounts = Omit<UsageDay, 'day'>;

const NOTHING: UsageCounts = { requests: 0, refused: 0, limited: 0, events: 0, rejected: 0, bytes: 0 };

/** How many days are kept of each tenant: the newest that have counts. */
export const USAGE_DAYS_MAX = 400;

/** The sum of two rows of one day. */
export function mergeUsage(known: UsageDay | undefined, more: UsageDay): UsageDay {
  if (known === undefined) return more;
  // Written out, because this is done for each request, and a walk over the names takes ten times as long.
  return {
    day: more.day,
    requests: known.requests + more.requests,
    refused: known.refused + more.refused,
    limited: known.limited + more.limited,
    events: known.events + more.events,
    rejected: known.rejected + more.rejected,
    bytes: known.bytes + more.bytes,
  };
}

/** The last days of a tenant, today included, ascending; a day without counts has zeros. */
export async function listUsage(
  usage: { readonly list: (tenantId: string, from: string) => Promise<readonly UsageDay[]> },
  tenantId: string,
  days: number,
  now: number,
): Promise<readonly UsageDay[]> {
  const all = Array.from({ length: days }, (_, i) => toIsoDay(now - (days - 1 - i) * DAY_MS));
  const stored = await usage.list(tenantId, all[0]!);
  const known = new Map(stored.map((each) => [each.day, each]));
  return all.map((day) => known.get(day) ?? { day, ...NOTHING });
}
