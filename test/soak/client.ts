/**
 * A client process of the soak. It gets one task from its parent, sends requests as the task says, judges
 * every answer, and reports.
 */
import { Pool } from 'undici';
import { createRandom } from '../support/random.ts';
import { fetchAll } from '../support/traffic.ts';
import type { ClientReport, ClientTask, Sample } from './protocol.ts';
import { createWorkload, type Wanted, type Workload } from './workload.ts';

/** How many requests may be open at once; beyond it a client would measure itself. */
const OPEN_MAX = 3000;
const VIOLATIONS_MAX = 100;
/** How often a client that sends at a rate looks at what is due. */
const DISPATCH_MS = 4;

process.once('message', (task: ClientTask) => {
  void run(task).then((report) => {
    process.send!(report, () => process.disconnect());
  });
});

async function run(task: ClientTask): Promise<ClientReport> {
  const workload = createWorkload(task.tenants, task.seed);
  const pool = new Pool(task.origin, {
    connections: 'closed' in task.pace ? task.pace.closed : null,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  const samples: Sample[] = [];
  const errors: Record<string, number> = {};
  const violations: string[] = [];
  let unsent = 0;
  const beganAt = performance.now();
  const endsAt = beganAt + task.seconds * 1000;

  async function send(wanted: Wanted): Promise<void> {
    const sentAt = performance.now();
    try {
      const { method, path, headers, body } = wanted;
      const own = method === 'GET' ? {} : { body: body ?? '' };
      const response = await pool.request({ method, path, headers, ...own });
      const text = await response.body.text();
      const ms = performance.now() - sentAt;
      const at = (sentAt - beganAt) / (endsAt - beganAt);
      samples.push({ kind: wanted.kind, status: response.statusCode, ms, at });
      const wrong = judge(wanted, response.statusCode, response.headers, text);
      if (wrong !== undefined && violations.length < VIOLATIONS_MAX)
        violations.push(`${wanted.kind}: ${wrong}`);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      errors[code ?? message] = (errors[code ?? message] ?? 0) + 1;
    }
  }

  if (task.mix === 'each') await sendEach(task, workload, send);
  else if ('closed' in task.pace) {
    const { mix } = task;
    const loops = Array.from({ length: task.pace.closed }, async () => {
      while (performance.now() < endsAt) await send(workload.next(mix));
    });
    await Promise.all(loops);
  } else unsent = await sendAtRate(task.pace.open, task.mix, task.seconds, workload, send);
  await pool.close();
  const stored = task.verify ? await verify(task, workload, violations) : -1;
  const { eventsAcknowledged, eventsSent } = workload.ledger;
  return { samples, errors, violations, unsent, eventsAcknowledged, eventsSent, eventsStored: stored };
}

/** One request after another, each kind as often. */
async function sendEach(
  { seconds }: ClientTask,
  workload: Workload,
  send: (wanted: Wanted) => Promise<void>,
): Promise<void> {
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt) {
    for (const kind of workload.kinds) await send(workload.next('all', kind));
  }
}

/** Sends what is due, whether answers come or not; how many were not sent since too many were open. */
function sendAtRate(
  rate: number,
  mix: 'all' | 'heavy',
  seconds: number,
  workload: Workload,
  send: (wanted: Wanted) => Promise<void>,
): Promise<number> {
  const beganAt = performance.now();
  const random = createRandom(1);
  let due = 0;
  let open = 0;
  let unsent = 0;
  let over = false;
  return new Promise((resolve) => {
    const settle = () => {
      open -= 1;
      if (over && open === 0) resolve(unsent);
    };
    const timer = setInterval(() => {
      const elapsedSeconds = Math.min(seconds, (performance.now() - beganAt) / 1000);
      // A little disorder, so that requests do not march in step with the server's own timers.
      const wanted = Math.floor(rate * elapsedSeconds + random.next());
      for (; due < wanted; due++) {
        if (open >= OPEN_MAX) unsent += 1;
        else {
          open += 1;
          void send(workload.next(mix)).then(settle);
        }
      }
      if (elapsedSeconds < seconds) return;
      clearInterval(timer);
      over = true;
      if (open === 0) resolve(unsent);
    }, DISPATCH_MS);
  });
}

/** What is wrong with an answer: with its form, or with what it says. */
function judge(
  wanted: Wanted,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
): string | undefined {
  if (!String(headers['content-type']).startsWith('application/json')) return `content type of ${status}`;
  if (headers['x-request-id'] === undefined) return `no request id on ${status}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `no JSON with ${status}: ${text.slice(0, 200)}`;
  }
  if (status !== 503) return wanted.judge({ status, body });
  return Number(headers['retry-after']) >= 1 ? undefined : '503 without Retry-After';
}

/** Reads the whole tenant: an acknowledged batch is whole, another whole or not there, nothing is twice. */
async function verify(
  { origin, tenants }: ClientTask,
  workload: Workload,
  violations: string[],
): Promise<number> {
  const stored = await fetchAll(origin, tenants.own);
  const ids = new Set<string>();
  const perBatch = new Map<string, number>();
  for (const { insertId, properties } of stored) {
    if (ids.has(insertId)) violations.push(`stored twice: ${insertId}`);
    ids.add(insertId);
    const batch = properties.batch as string;
    perBatch.set(batch, (perBatch.get(batch) ?? 0) + 1);
  }
  for (const [label, { size, acknowledged }] of workload.ledger.batches) {
    const found = perBatch.get(label) ?? 0;
    if (found !== size && (acknowledged || found !== 0)) {
      violations.push(`batch ${label}: ${found} of ${size} events, acknowledged: ${acknowledged}`);
    }
  }
  return stored.length;
}
