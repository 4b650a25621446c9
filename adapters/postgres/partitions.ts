import type { PostgresClient } from './database.ts';

/** How many past months have their own partitions; older events share one. */
const MONTHS_BACK = 24;

/** Creates the partitions for the months of events. */
export interface Partitions {
  /** Creates the missing partitions for these instants, epoch milliseconds. */
  prepare(client: PostgresClient, instants: readonly number[]): Promise<void>;
}

/**
 * Creates the partitions of months as they are needed, only from two years ago to the next month, so that a
 * sender of unusual times cannot fill the database with partitions.
 */
export function createPartitions(now: () => number): Partitions {
  const made = new Set<number>();

  async function make(client: PostgresClient, month: number): Promise<void> {
    const [from, until] = [startOf(month), startOf(month + 1)];
    const name = `events_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`;
    // Another process may create the same partition concurrently, and it cannot be created any more once the
    // default partition has events of its month. Neither case loses anything.
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
