import { describe, expect, it } from 'vitest';
import { splitCluster, splitReplica } from '../../../../adapters/cli/stores/server-url.ts';

describe('the address of a replica', () => {
  it.each([
    ['postgres://u:p%40@h:5433/d?sslmode=require', 'r', 'postgres://u:p%40@r/d?sslmode=require'],
    ['postgresql://u@h/d', 'r:77', 'postgresql://u@r:77/d'],
    ['postgres://u@h:1/d', '[::1]:77', 'postgres://u@[::1]:77/d'],
  ])('is that of %s on %s', (address, place, replica) => {
    const joined = `${address}${address.includes('?') ? '&' : '?'}replica=${place}`;
    expect(splitReplica(joined)).toEqual({ main: address, replica });
  });

  it('is absent when there is none, and the URL stays as it was written', () => {
    expect(splitReplica('postgres://h/d?options=-c%20a%3Db')).toEqual({
      main: 'postgres://h/d?options=-c%20a%3Db',
    });
  });

  it.each(['', 'u@r', 'r/other', 'r:x'])('is not %j', (place) => {
    expect(() => splitReplica(`postgres://u@h/d?replica=${encodeURIComponent(place)}`)).toThrow(
      '?replica= takes HOST or HOST:PORT',
    );
  });
});

describe('an address of ClickHouse', () => {
  const split = (address: string) => {
    const { url, ...rest } = splitCluster(address);
    return [url.href, rest];
  };

  it('names a database, a cluster and how it shards, which the driver never sees', () => {
    expect(split('clickhouse://u:p@h:8123/shop%20a?cluster=main&compression=1')).toEqual([
      'http://u:p@h:8123/?compression=1',
      { database: 'shop a', cluster: { name: 'main', shardBy: 'tenant' } },
    ]);
    expect(split('clickhouses://h?cluster=main&shard_by=event')).toEqual([
      'https://h/',
      { cluster: { name: 'main', shardBy: 'event' } },
    ]);
    expect(split('clickhouse://h:8123')).toEqual(['http://h:8123/', {}]);
    expect(split('clickhouse://h?typed=properties.a&typed=properties.b%20c')).toEqual([
      'http://h/',
      { typed: ['properties.a', 'properties.b c'] },
    ]);
    expect(() => split('clickhouse://h?cluster=main&shard_by=chance')).toThrow('?shard_by= takes tenant or');
  });
});
