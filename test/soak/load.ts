/**
 * Load in parts: first an idle server is measured and its capacity found; then comes mixed traffic for the
 * given time, at a rate and as fast as answers come, with every answer judged; then a load of several times
 * the capacity. No check depends on absolute time.
 */
import { writeFileSync } from 'node:fs';
import { checkIntegrity, createFolder, createTenant, withAdmin } from '../support/file.ts';
import { defectsIn, startServer } from '../support/server-process.ts';
import { createChecks } from './checks.ts';
import { percentile } from './figures.ts';
import { watchMemory } from './memory.ts';
import { startClient } from './start-client.ts';
import { OPTIONS } from './options.ts';
import type { ClientReport, ClientTask } from './protocol.ts';
import { toReadme, type SoakFigures } from './readme.ts';

const seconds = OPTIONS.quick ? 8 : Number(OPTIONS.seconds);
const shortSeconds = OPTIONS.quick ? 2 : Math.min(5, Math.max(2, seconds / 10));
const overloadSeconds = OPTIONS.quick ? 6 : Math.max(10, seconds / 3);
/** The load of the last part, as a multiple of what the server can do. */
const OVERLOAD = 8;
/** How often it is tried at most, each time at twice the rate. */
const OVERLOAD_TRIES = 5;
/** The part of the capacity that mixed traffic at a rate takes. */
const SHARE = 0.3;

const folder = createFolder();
const db = folder.file('soak.db');
const checks = createChecks();
let seed = Number(OPTIONS.seed) * 1000;

const free = await createTenant(db, 'free');
await withAdmin(db, (admin) => admin.updateTenant('free', { plan: 'free' }));
const limited = await createTenant(db, 'limited', { perMinute: 1, perDay: 100 });
const server = await startServer({ db });
const memory = watchMemory(server.pid);

/**
 * Runs one client process on a tenant of its own. In the seconds of an overload it may send more than a
 * tenant may in a minute, where the machine is quick: no limit refuses it.
 */
async function runClient(task: Pick<ClientTask, 'mix' | 'pace' | 'seconds'>): Promise<ClientReport> {
  seed += 1;
  const own = await createTenant(db, `soak-${seed}`);
  await withAdmin(db, (admin) => admin.updateTenant(own.alias, { ingestion: null }));
  const tenants = { own, free, limited };
  return startClient({ ...task, origin: server.origin, tenants, seed, verify: true });
}

/** One client that sends several times what the server can do. */
function overload(): Promise<ClientReport> {
  const rate = heavyCapacity * loadOfCapacity;
  console.log(`overload: ${overloadSeconds} s, ${Math.round(rate)} requests a second`);
  return runClient({ mix: 'heavy', pace: { open: rate }, seconds: overloadSeconds });
}

/** Asks /healthz until told to stop; how it was answered. */
function watchHealth(): () => Promise<{ readonly asked: number; readonly answered: number }> {
  let over = false;
  let asked = 0;
  let answered = 0;
  const done = (async () => {
    while (!over) {
      asked += 1;
      const response = await fetch(`${server.origin}/healthz`).catch(() => undefined);
      if (response?.status === 200) answered += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return async () => {
    over = true;
    await done;
    return { asked, answered };
  };
}

const msOf = (reports: readonly ClientReport[], kept = (status: number) => status !== 503) =>
  reports.flatMap(({ samples }) => samples.filter(({ status }) => kept(status)).map(({ ms }) => ms));
const mebibytes = (bytes: number) => Math.round(bytes / 1_048_576);

// Each part is said when it begins, since the whole takes minutes.
console.log(`idle server, one request at a time: ${2 * shortSeconds} s`);
await runClient({ mix: 'each', pace: { closed: 1 }, seconds: shortSeconds });
const idle = await runClient({ mix: 'each', pace: { closed: 1 }, seconds: shortSeconds });
console.log(`capacity: ${2 * shortSeconds} s`);
const full = await runClient({ mix: 'all', pace: { closed: 16 }, seconds: shortSeconds });
const capacity = full.samples.length / shortSeconds;
const fullHeavy = await runClient({ mix: 'heavy', pace: { closed: 16 }, seconds: shortSeconds });
const heavyCapacity = fullHeavy.samples.length / shortSeconds;
const rate = OPTIONS.rate === undefined ? Math.max(5, capacity * SHARE) : Number(OPTIONS.rate);

console.log(
  `mixed traffic: ${seconds} s, ${Math.round(rate)} requests a second and 2 connections without pause`,
);
const warm = memory.samples.length;
const soak = await Promise.all([
  runClient({ mix: 'all', pace: { open: rate }, seconds }),
  runClient({ mix: 'all', pace: { closed: 2 }, seconds }),
]);
const soaked = memory.samples.length;

const count = (report: ClientReport, wanted: number) =>
  report.samples.filter(({ status }) => status === wanted).length;
const stopHealth = watchHealth();
// Who stood while the capacity was measured has more of it: the rate doubles until some is refused.
let loadOfCapacity = OVERLOAD;
let over = await overload();
for (let tries = 1; count(over, 503) === 0 && tries < OVERLOAD_TRIES; tries += 1) {
  loadOfCapacity *= 2;
  over = await overload();
}
const health = await stopHealth();
const overloaded = memory.samples.length;
console.log('afterwards');
const after = await runClient({ mix: 'all', pace: { closed: 2 }, seconds: shortSeconds });
memory.stop();
const ending = await server.stop('SIGTERM');

const everything = [idle, full, fullHeavy, ...soak, over, after];
const statuses = new Map<number, number>();
for (const { status } of everything.flatMap(({ samples }) => samples)) {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}
const DOCUMENTED = [200, 400, 401, 403, 404, 405, 413, 415, 429, 503];
checks.check(
  'every status is a documented one',
  [...statuses.keys()].every((each) => DOCUMENTED.includes(each)),
  [...statuses],
);
checks.check(
  'every answer is what the request asked for',
  everything.every(({ violations }) => violations.length === 0),
  everything.flatMap(({ violations }) => violations.slice(0, 5)),
);
const lost = [idle, full, fullHeavy, ...soak, after].map(({ errors }) => errors);
checks.check(
  'no request of the mixed traffic was left without an answer',
  lost.every((errors) => Object.keys(errors).length === 0),
  lost,
);
const shedInSoak = soak.reduce((sum, report) => sum + count(report, 503), 0);
const soakRequests = soak.reduce((sum, { samples }) => sum + samples.length, 0);
// A quick run has to pass on a machine that is busy or stands, too: only a whole one judges how soon.
checks.check(
  'mixed traffic below the capacity is served, not refused',
  shedInSoak < soakRequests / (OPTIONS.quick ? 2 : 20),
  `${shedInSoak} of ${soakRequests}`,
);
const acknowledged = everything.reduce((sum, { eventsAcknowledged }) => sum + eventsAcknowledged, 0);
const stored = everything.reduce((sum, { eventsStored }) => sum + eventsStored, 0);
checks.check('all that was acknowledged is stored', stored >= acknowledged, { acknowledged, stored });

const half = warm + Math.floor((soaked - warm) / 2);
const firstHalf = percentile(memory.samples.slice(warm, half), 0.5);
const secondHalf = percentile(memory.samples.slice(half, soaked), 0.5);
const soakEvents = soak.reduce((sum, { eventsStored }) => sum + eventsStored, 0);
// The column index grows by some bytes for each event and path; everything else may not grow.
const growthMax = firstHalf / 4 + 33_554_432 + soakEvents * 100;
checks.check(
  'memory does not grow with time',
  secondHalf - firstHalf <= growthMax,
  `${mebibytes(firstHalf)} MiB, then ${mebibytes(secondHalf)} MiB`,
);
const soakPeak = Math.max(...memory.samples.slice(0, soaked));
const overPeak = Math.max(...memory.samples.slice(soaked, overloaded));
checks.check(
  'memory stays bounded under overload',
  overPeak <= 2 * soakPeak + 268_435_456,
  `${mebibytes(soakPeak)} MiB, then ${mebibytes(overPeak)} MiB`,
);

const accepted = over.samples.filter(({ status }) => status !== 503);
/** How long the last request would wait if the server took on all that came, in the order of arrival. */
const unboundedMs = (1000 * (over.samples.length + over.unsent)) / heavyCapacity;
const servedMs = percentile(
  accepted.map(({ ms }) => ms),
  0.99,
);
const shed = count(over, 503);
checks.check(
  'overload: some is refused with 503 and Retry-After, some is served',
  shed > 0 && accepted.length > 0,
  `${shed} refused, ${accepted.length} served`,
);
checks.check(
  'overload: what is served is served soon',
  OPTIONS.quick || servedMs <= unboundedMs / 2,
  `p99 is ${(servedMs / unboundedMs).toFixed(2)} of the wait in a queue without end`,
);
checks.check('overload: every request is answered', Object.keys(over.errors).length === 0, over.errors);
checks.check('overload: /healthz answers', health.answered === health.asked && health.asked > 0, health);
checks.check(
  'after the overload the server serves as before',
  after.samples.length > 0 && count(after, 503) === 0,
  after.samples.length,
);
checks.check(
  'nothing in the log tells of a defect',
  defectsIn(server.log).length === 0,
  defectsIn(server.log).slice(0, 5),
);
checks.check('SIGTERM ends it with 0', ending.code === 0, ending);
checks.attempt('the file is sound', () => checkIntegrity(db));
folder.remove();

const figures: SoakFigures = {
  seconds,
  overloadSeconds,
  idle: idle.samples,
  soak: soak.flatMap(({ samples }) => samples),
  served: accepted,
  shed,
  unsent: over.unsent,
  loadOfCapacity,
  statuses,
  events: { acknowledged, stored },
  memoryMiB: {
    idle: mebibytes(memory.samples[0]!),
    firstHalf: mebibytes(firstHalf),
    secondHalf: mebibytes(secondHalf),
    overload: mebibytes(overPeak),
  },
  servedOfUnbounded: servedMs / unboundedMs,
  afterRatio: percentile(msOf([after]), 0.5) / percentile(msOf([full]), 0.5),
};
const readme = toReadme(figures);
console.log(readme.slice(readme.indexOf('## ')));
if (OPTIONS.write) writeFileSync(new URL('README.md', import.meta.url), readme);
checks.finish();
