import type { ClickhouseClient } from '../../../adapters/clickhouse/index.ts';

/** A client that does something before each statement, and sends none where that fails. */
export function stepping(client: ClickhouseClient, before: () => Promise<void>): ClickhouseClient {
  return {
    query: async (call) => {
      await before();
      return client.query(call);
    },
    insert: async (call) => {
      await before();
      return client.insert(call);
    },
  };
}
