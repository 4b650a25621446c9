import type { PostgresClient } from './database.ts';

/** How many months before this one have partitions of their own; what is older shares one. */
const MONTHS_BACK = 24;

/** Sees to it that the months of events have partitions. */
export interface Partitions {
  /** Makes the partitions that are missing for these instants, epoch milliseconds. */
  prepare(client: PostgresClient, instants: readonly number[]): Promise<void>;
}

/**
 * Makes the partitions of the months in use as they come: from two years ago to the next month, so that no
 * sender of odd times fills the database with partitions.
 */
export function createPartitions(now: () => number): Partitions {
  const made = new Set<number>();

  async function make(client: PostgresClient, month: number): Promise<void> {
    const [from, until] = [startOf(month), startOf(month + 1)];
    const name = `events_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`;
    // Another process may make the same one meanwhile, and a partition cannot be had any more once events of
    // its month lie in the common one: both lose nothing.
    await client
      .query(
        `create table if not exists event_query.${name} partition of event_query.events
         for values from (${from}) to (${until})`,
      )
      .catch(() => undefined);
    made.add(month);
  }

  return {
    async prepare(client, instants) {
      const latest = monthOf(now()) + 1;
      const months = new Set(instants.map(monthOf));
      for (const month of months) {
        if (!made.has(month) && month <= latest && month >= latest - MONTHS_BACK) await make(client, month);
      }
    },
  };
}

/** Months are counted from January of the year 0. */
function monthOf(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}
