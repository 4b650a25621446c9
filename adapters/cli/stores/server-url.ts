import type { ClickhouseOptions } from '../../clickhouse/index.ts';
import { failure } from '../process/errors.ts';

/** Removes one of our own parameters from a URL and returns it: drivers reject unknown parameters. */
function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

/**
 * The URLs of a PostgreSQL server and of its replica. `?replica=HOST:PORT` names the replica, with the same
 * user, database and options.
 */
export function splitReplica(address: string): { readonly main: string; readonly replica?: string } {
  const url = new URL(address);
  const place = takeParameter(url, 'replica');
  if (place === undefined) return { main: address };
  const main = url.href;
  // The replica must not inherit the port of the main server.
  url.port = '';
  url.host = place;
  if (place === '' || url.host !== place.toLowerCase()) throw failure('?replica= takes HOST or HOST:PORT');
  return { main, replica: url.href };
}

/**
 * Parses a ClickHouse URL: `?cluster=NAME` with `shard_by=tenant` or `event`, and `?typed=PATH` for each path
 * with a typed column.
 */
export function splitCluster(
  address: string,
): { readonly url: URL } & Pick<ClickhouseOptions, 'database' | 'cluster' | 'typed'> {
  const url = new URL(address.replace(/^clickhouse/, 'http'));
  const database = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '';
  const name = takeParameter(url, 'cluster');
  const shardBy = takeParameter(url, 'shard_by') ?? 'tenant';
  if (shardBy !== 'tenant' && shardBy !== 'event') throw failure('?shard_by= takes tenant or event');
  const typed = url.searchParams.getAll('typed');
  url.searchParams.delete('typed');
  return {
    url,
    ...(typed.length > 0 && { typed }),
    ...(database !== '' && { database }),
    ...(name !== undefined && { cluster: { name, shardBy } }),
  };
}
