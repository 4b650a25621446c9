import { expect, it } from 'vitest';
import { schemaOf } from '../../../adapters/clickhouse/schema.ts';

/** The statements without the columns, which are the same everywhere, and in single spaces. */
function outlines(...args: Parameters<typeof schemaOf>): string[] {
  return schemaOf(...args).statements.map((text) =>
    text.replaceAll(/\s+/g, ' ').replace(/ (\(.*\)) engine/, ' (…) engine'),
  );
}

const TAIL = "settings fsync_after_insert = 1, fsync_part_directory = 1 comment 'event-query schema 1'";

it('one node has tables of which the first row of a key stays', () => {
  const create = 'create table if not exists `shop`';
  expect(outlines('shop')).toEqual([
    'create database if not exists `shop`',
    `${create}.events (…) engine = ReplacingMergeTree(ver) order by (tenant, ts, insert_id) ${TAIL}`,
    `${create}.event_names (…) engine = ReplacingMergeTree() order by (tenant, event_name) ${TAIL}`,
    `${create}.dropped_tenants (…) engine = ReplacingMergeTree() order by tenant ${TAIL}`,
    `${create}.erasures (…) engine = ReplacingMergeTree() order by (tenant, erasure) ${TAIL}`,
  ]);
});

it('a cluster has replicated tables behind distributed ones, whose shard is a function of the key', () => {
  const [database, events, names, , , whole, wholeNames] = outlines('shop', {
    name: 'main',
    shardBy: 'event',
  });
  const create = 'create table if not exists `shop`';
  const on = 'on cluster `main` (…) engine';
  const replicated = "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}";
  expect(database).toBe('create database if not exists `shop` on cluster `main`');
  expect(events).toBe(
    `${create}.events_local ${on} = ${replicated}/events', '{replica}', ver) ` +
      `order by (tenant, ts, insert_id) ${TAIL}`,
  );
  expect(names).toBe(
    `${create}.event_names_local ${on} = ${replicated}/event_names', '{replica}') ` +
      `order by (tenant, event_name) ${TAIL}`,
  );
  expect(whole).toBe(
    `${create}.events ${on} = Distributed(\`main\`, \`shop\`, events_local, ` +
      "cityHash64(tenant, insert_id)) comment 'event-query schema 1'",
  );
  expect(wholeNames).toContain('event_names_local, cityHash64(tenant))');
  expect(outlines('shop', { name: 'main' })[5]).toContain('events_local, cityHash64(tenant))');
});

it('a name that is no word stays one name', () => {
  expect(schemaOf('a`; drop').statements[0]).toBe('create database if not exists `a\\`; drop`');
});
