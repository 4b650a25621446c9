import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder, createTenant, type TestTenant } from '../../../support/file.ts';
import { valueOf } from '../../../support/metrics.ts';
import { startServer, type ServerProcess } from '../../../support/server-process.ts';
import { ask, until } from '../../../support/traffic.ts';

const folder = createFolder();
let shop: TestTenant;
let server: ServerProcess;

beforeAll(async () => {
  shop = await createTenant(folder.file('metrics.db'), 'shop');
  const args = ['--workers', '2', '--admin-port', '0'];
  server = await startServer({ db: folder.file('metrics.db'), args });
  await until('it says where its metrics are', () => metricsUrl() !== undefined);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

const metricsUrl = () => /^metrics at (\S+)$/m.exec(server.printed.join('\n'))?.[1];

/** Asks for the metrics, and reads one series; undefined where there is none. */
async function scrape() {
  const answer = await fetch(metricsUrl()!, { headers: { Connection: 'close' } });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return (series: string) => valueOf(text, series);
}

const COUNTS =
  'http_server_request_duration_seconds_count{http_request_method="POST",' +
  'http_route="/v1/api/query/count/{tenantId}",http_response_status_code="200"}';

/** Sends counts until each worker that runs now has answered some; their number. */
async function countFrom(workers: number): Promise<number> {
  const from = server.log.length;
  const answered = () => server.log.slice(from).filter(({ msg }) => msg === 'request');
  let sent = 0;
  while (new Set(answered().map(({ pid }) => pid)).size < workers) {
    const { status } = await ask(server.origin, '/v1/api/query/count/shop', {
      headers: { 'X-API-Key': shop.secret, 'Content-Type': 'application/json', Connection: 'close' },
      body: '{}',
    });
    expect(status).toBe(200);
    sent += 1;
  }
  return sent;
}

/** The workers that have answered requests, the ended ones too. */
const workerPids = () =>
  new Set(server.log.flatMap(({ msg, pid }) => (msg === 'request' ? [Number(pid)] : [])));
const said = (text: string) => server.log.filter(({ msg }) => msg === text).length;

describe('the metrics of serve --workers 2', () => {
  it('are those of all workers: each request counts once, whoever is asked', async () => {
    const sent = await countFrom(2);
    // Some scrapes, so that both workers answer one.
    for (let i = 0; i < 4; i++) {
      const valueOf = await scrape();
      expect(valueOf(COUNTS)).toBe(sent);
      expect(valueOf('event_query_question_duration_seconds_count{operation="count"}')).toBe(sent);
      expect(valueOf('http_server_active_requests{http_request_method="POST"}')).toBe(0);
      expect(valueOf('event_query_workers')).toBe(2);
      expect(valueOf('event_query_worker_restarts_total')).toBe(0);
    }
  });

  it('keep what a killed worker had counted', async () => {
    const before = (await scrape())(COUNTS)!;
    const [victim] = workerPids();
    process.kill(victim!, 'SIGKILL');
    await until('a worker takes its place', () => said('a worker took its place') === 1);
    expect((await scrape())(COUNTS)).toBe(before);
    const sent = await countFrom(2);
    const valueOf = await scrape();
    expect(valueOf(COUNTS)).toBe(before + sent);
    expect(valueOf('event_query_worker_restarts_total')).toBe(1);
    expect(valueOf('event_query_workers')).toBe(2);
  });

  it('keep what renewed workers had counted since anybody asked', async () => {
    const before = (await scrape())(COUNTS)!;
    const sent = await countFrom(2);
    server.child.kill('SIGHUP');
    await until('all workers are renewed', () => said('all workers were renewed') === 1);
    const valueOf = await scrape();
    expect(valueOf(COUNTS)).toBe(before + sent);
    expect(valueOf('event_query_worker_restarts_total')).toBe(1);
  });

  it('come without the gauges of a worker that does not answer, and with its counts', async () => {
    const before = (await scrape())(COUNTS)!;
    const seen = server.log.length;
    const sent = await countFrom(2);
    const serving = new Set(
      server.log.slice(seen).flatMap(({ msg, pid }) => (msg === 'request' ? [pid] : [])),
    );
    await scrape();
    const [stopped] = [...serving].map(Number);
    process.kill(stopped!, 'SIGSTOP');
    try {
      // The stopped worker gets one connection at most: the others go to who takes them.
      const valueOf = await Promise.any([scrape(), scrape(), scrape()]);
      expect(valueOf(COUNTS)).toBe(before + sent);
      expect(valueOf('http_server_active_requests{http_request_method="POST"}')).toBe(0);
    } finally {
      process.kill(stopped!, 'SIGCONT');
    }
  });
});
