import type { Worker } from 'node:cluster';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetricsOfAll, type MetricsOrder } from '../../../../adapters/cli/server/worker-metrics.ts';

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
