/**
 * The ordinary tenant, in a process of its own, so that what an attacker does to its own process is not
 * measured: it asks for a count and for the health every 100 ms whatever comes back, and sends an event every
 * second where it is told to.
 */
import { connect } from 'node:net';
import { Pool } from 'undici';
import type { OrdinaryReport, OrdinaryTask } from './ordinary-client.ts';
import { watchStolenTime } from './stolen-time.ts';

const EVERY_MS = 100;
const SEND_EVERY_MS = 1000;
const NEWCOMER_EVERY_MS = 250;
/** How far a body comes behind its head. */
const BEHIND_MS = 20;
const LAG_EVERY_MS = 10;

const report: OrdinaryReport = {
  asked: 0,
  counts: [],
  healths: [],
  sends: [],
  newcomers: [],
  slowestStolenMs: 0,
  refused: {},
  sent: 0,
  acknowledged: 0,
  lagMs: 0,
};
/** What came while the host took the processor, if it did: known when all is over. */
const spans: { readonly of: number[]; readonly beganAt: number; readonly endedAt: number }[] = [];
const stolenTime = watchStolenTime();
const waiting = new Set<Promise<void>>();
const timers: NodeJS.Timeout[] = [];

process.on('message', (message: OrdinaryTask | 'stop') => {
  if (message === 'stop') void stop();
  else start(message);
});

type Kind = 'counts' | 'healths' | 'sends' | 'newcomers';
const isSend = (what: Kind) => what === 'sends' || what === 'newcomers';

function start({ origin, alias, secret, sends }: OrdinaryTask): void {
  const pool = new Pool(origin, { connections: null, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const json = { 'Content-Type': 'application/json' };
  const ask = (what: Kind, request: Parameters<Pool['request']>[0]) =>
    measure(what, async () => {
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      return statusCode;
    });
  const measure = async (what: Kind, answered: () => Promise<number>) => {
    const beganAt = performance.now();
    report.asked += 1;
    try {
      const statusCode = await answered();
      if (isSend(what) && statusCode === 200) report.acknowledged += 1;
      if (statusCode !== 200) refuse(`${what}: ${statusCode}`);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      refuse(`${what}: ${code ?? message}`);
    }
    // One that was never answered has waited, too.
    spans.push({ of: report[what], beganAt, endedAt: performance.now() });
  };
  const each = (ms: number, work: () => Promise<void>) => {
    const run = () => {
      const done = work().finally(() => waiting.delete(done));
      waiting.add(done);
    };
    timers.push(setInterval(run, ms));
  };
  const headers = { ...json, 'X-API-Key': secret };
  const count = { method: 'POST', path: `/v1/api/query/count/${alias}`, headers, body: '{"event":"seen"}' };
  each(EVERY_MS, () => ask('counts', count));
  each(EVERY_MS, () => ask('healths', { method: 'GET', path: '/healthz' }));
  const nextEvent = () => {
    report.sent += 1;
    const event = { eventName: 'sent', userId: 'u', eventTs: new Date(), insertId: `sent-${report.sent}` };
    return JSON.stringify([event]);
  };
  const path = `/v1/events/${alias}/multi`;
  if (sends) {
    each(SEND_EVERY_MS, () => ask('sends', { method: 'POST', path, headers: json, body: nextEvent() }));
    const port = Number(new URL(origin).port);
    each(NEWCOMER_EVERY_MS, () => measure('newcomers', () => sendAsNewcomer(port, path, nextEvent())));
  }
  watchLag();
}

/** Sends on a new connection; the status of the answer. */
function sendAsNewcomer(port: number, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
    socket.setTimeout(60_000, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(Number(data.toString('latin1', 9, 12)));
      socket.destroy();
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    setTimeout(() => socket.write(body), BEHIND_MS);
  });
}

function refuse(reason: string): void {
  report.refused[reason] = (report.refused[reason] ?? 0) + 1;
}

/** How late this process itself is: what a busy machine adds to every time that it measures. */
function watchLag(): void {
  let due = performance.now() + LAG_EVERY_MS;
  timers.push(
    setInterval(() => {
      const now = performance.now();
      report.lagMs = Math.max(report.lagMs, now - due);
      due = now + LAG_EVERY_MS;
    }, LAG_EVERY_MS),
  );
}

async function stop(): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await Promise.race([Promise.allSettled(waiting), new Promise((resolve) => setTimeout(resolve, 61_000))]);
  stolenTime.stop();
  for (const { of, beganAt, endedAt } of spans) {
    const ms = endedAt - beganAt;
    if (stolenTime.between(beganAt, endedAt)) report.slowestStolenMs = Math.max(report.slowestStolenMs, ms);
    else of.push(ms);
  }
  process.send!(report, () => process.exit(0));
}
