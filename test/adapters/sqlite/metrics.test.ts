import { statfsSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prometheusMeter } from '../../../adapters/prometheus/index.ts';
import { valueOf } from '../../support/metrics.ts';
import { testResources } from '../../support/resources.ts';
import { newFile, openStores, TENANT } from './fixtures.ts';

const event = (i: number) => ({
  ...{ eventName: 'a', userId: 'u', eventTs: i, insertId: `${i}` },
  propertiesJson: '{"plan":"pro"}',
});

it('a file tells its size, and what waits to be written to it', async () => {
  const file = newFile();
  const meter = prometheusMeter({ processMetrics: false });
  const stores = openStores(file, { resources: { ...testResources(), meter } });
  const read = async (series: string) => valueOf(await meter.registry.metrics(), series);

  const stored = Array.from({ length: 3 }, (_, i) => stores.events.append(TENANT, [event(i)]));
  // Nothing is written before this turn of the event loop ends.
  const waiting = await read('event_query_writer_queue_batches');
  expect(waiting).toBeGreaterThanOrEqual(1);
  expect(await read('event_query_writer_queue_bytes')).toBeGreaterThanOrEqual(0);
  await Promise.all(stored);
  expect(await read('event_query_writer_queue_batches')).toBe(0);
  expect(await read('event_query_writer_queue_bytes')).toBe(0);

  const sizeOf = (part: string) => read(`event_query_store_size_bytes{part="${part}"}`);
  expect(await sizeOf('main')).toBe(statSync(file).size);
  expect(await sizeOf('wal')).toBe(statSync(`${file}-wal`).size);
  expect(await sizeOf('columns')).toBe(0);
  const { blocks, bsize } = statfsSync(file);
  const free = await read('event_query_store_free_bytes');
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThanOrEqual(blocks * bsize);
});
