import type { ClickhouseOptions } from '../../clickhouse/index.ts';
import { failure } from '../errors.ts';

/** Takes what is meant for this program out of an address: drivers refuse what they do not know. */
function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

/**
 * The addresses of a PostgreSQL server and of its replica, which `?replica=HOST:PORT` names: the same user,
 * database and options on another host.
 */
export function splitReplica(address: string): { readonly main: string; readonly replica?: string } {
  const url = new URL(address);
  const place = takeParameter(url, 'replica');
  if (place === undefined) return { main: address };
  const main = url.href;
  // The port of the first server is not that of the second.
  url.port = '';
  url.host = place;
  if (place === '' || url.host !== place.toLowerCase()) throw failure('?replica= takes HOST or HOST:PORT');
  return { main, replica: url.href };
}

/**
 * What an address of ClickHouse says: `?cluster=NAME` for one, and `shard_by=tenant` or `event` with it;
 * `?typed=PATH` for each path with a typed column.
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
