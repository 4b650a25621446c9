import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clickhouseEvents,
  type ClickhouseClient,
  type ClickhouseEvents,
} from '../../../adapters/clickhouse/index.ts';
import { testEventStore } from '../../conformance/index.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_CLICKHOUSE) {
  it('THE TABLES OF A CLUSTER WERE NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

const ON_CLUSTER = ' on cluster `one`';
/** Copies of a table need a Keeper, which the engine as a library cannot have. */
const REPLICATED = /Replicated(ReplacingMergeTree)\('[^']*', '\{replica\}'(?:, )?/g;

/** The paths that most events of the suite have. */
const typed = ['a', 'n', 'plan', 'a.b', 'a\\.b', '__proto__'].map((path) => `properties.${path}`);

/**
 * A client of a cluster of one node. What is meant for all nodes is read by the engine as it is, which knows
 * whether it could do it, and then done on this one.
 */
function onOneNode(client: ClickhouseClient, told: Set<string>): ClickhouseClient {
  return {
    query: async (call) => {
      if (!call.query.includes(ON_CLUSTER)) return client.query(call);
      const explained = await client.query({ ...call, query: `explain ast ${call.query}` });
      const [first] = (await explained.json()) as { explain: string }[];
      told.add(first!.explain.split(' ')[0]!);
      const query = call.query.replaceAll(ON_CLUSTER, '').replaceAll(REPLICATED, '$1(');
      return client.query({ ...call, query });
    },
    insert: (call) => client.insert(call),
  };
}

describe.runIf(HAS_CLICKHOUSE)('the tables of a cluster', () => {
  let server: ClickhouseServer;
  const told = new Set<string>();

  beforeAll(async () => {
    server = await startClickhouse('two-shards.xml');
  });
  afterAll(() => server.stop());

  /** All tests share the tables, which take fifty statements to make. */
  let opened: Promise<ClickhouseEvents> | undefined;
  const fixture = async () => {
    const client = onOneNode(server.connect(), told);
    opened ??= clickhouseEvents({
      resources: testResources(),
      client,
      cluster: { name: 'one', shardBy: 'event' },
      typed,
    });
    return { store: (await opened).events };
  };
  const runner = { describe, it, expect };
  testEventStore('clickhouse, a cluster of one node, typed columns', fixture, runner, { numRuns: 3 });

  it('are made, changed and cleaned on all nodes by statements that the engine can read', () => {
    expect([...told].sort()).toEqual(['AlterQuery', 'CreateQuery', 'DeleteQuery']);
  });
});
