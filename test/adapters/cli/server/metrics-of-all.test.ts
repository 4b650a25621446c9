import type { Worker } from 'node:cluster';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetricsOfAll, type MetricsOrder } from '../../../../adapters/cli/server/worker-metrics.ts';
import { prometheusMeter } from '../../../../adapters/prometheus/index.ts';

/** A worker as the primary process sees it: it keeps the messages that it got. */
function createWorker() {
  const got: MetricsOrder[] = [];
  const worker = { isConnected: () => true, send: (order: MetricsOrder) => void got.push(order) };
  return { worker: worker as unknown as Worker, got };
}

it('an answer does not wait for a worker that has ended', async () => {
  const [asking, ending] = [createWorker(), createWorker()];
  const workers = [asking.worker, ending.worker];
  // Longer than any test: only the end of the worker can end the wait.
  const ofAll = createMetricsOfAll({ own: new Registry(), workers, reportMs: 2 ** 31 - 1 });
  ofAll.receive(asking.worker, { wants: 7 });
  const [order] = asking.got as { report: number }[];
  ofAll.receive(asking.worker, { measured: [], round: order!.report });
  expect(asking.got).toHaveLength(1);
  ofAll.leave(ending.worker);
  await expect.poll(() => asking.got[1]).toMatchObject({ wanted: 7 });
});

it('what all workers read of one file counts once, and what each has by itself is added', async () => {
  const all = [createWorker(), createWorker()] as const;
  const ofAll = createMetricsOfAll({ own: new Registry(), workers: all.map(({ worker }) => worker) });
  ofAll.receive(all[0].worker, { wants: 7 });
  for (const [i, { worker, got }] of all.entries()) {
    const meter = prometheusMeter({ processMetrics: false });
    const value = () => i + 2;
    meter.gauge('event_query_store_size_bytes', { part: 'main' }, value);
    meter.gauge('event_query_backup_last_success_timestamp_seconds', {}, value);
    meter.gauge('event_query_retention_last_success_timestamp_seconds', {}, value);
    meter.gauge('event_query_limiter_degraded', {}, value);
    meter.gauge('event_query_build_info', { version: '1', node: '2', store: '3' }, () => 1);
    meter.gauge('event_query_tail_waiting', {}, value);
    const { report: round } = got[0] as { report: number };
    const measured = await meter.registry.getMetricsAsJSON();
    ofAll.receive(worker, { measured, round });
  }
  await expect.poll(() => all[0].got[1]).toMatchObject({ wanted: 7 });
  const { text } = all[0].got[1] as { text: string };
  expect(text.split('\n').filter((line) => /^event_query_.* [1-9]/.test(line))).toEqual([
    'event_query_retention_last_success_timestamp_seconds 3',
    'event_query_backup_last_success_timestamp_seconds 3',
    'event_query_store_size_bytes{part="main"} 3',
    'event_query_limiter_degraded 3',
    'event_query_tail_waiting 5',
    'event_query_build_info{version="1",node="2",store="3"} 1',
  ]);
});

it('what a worker has counted counts once after its end, and that of its successor is added', async () => {
  const [asking, ending] = [createWorker(), createWorker()];
  const ofAll = createMetricsOfAll({ own: new Registry(), workers: [asking.worker] });
  const meter = prometheusMeter({ processMetrics: false });
  meter.count('event_query_log_lines_dropped_total', {}, 5);
  const measured = await meter.registry.getMetricsAsJSON();
  ofAll.receive(ending.worker, { measured });
  ofAll.leave(ending.worker);
  ofAll.receive(asking.worker, { wants: 7 });
  const { report: round } = asking.got[0] as { report: number };
  ofAll.receive(asking.worker, { measured, round });
  await expect.poll(() => asking.got[1]).toMatchObject({ wanted: 7 });
  const { text } = asking.got[1] as { text: string };
  expect(text).toMatch(/^event_query_log_lines_dropped_total 10$/m);
});
