/**
 * Steady traffic for many minutes: mixed requests at a rate, in laps of a minute. Each lap has a tenant of
 * its own, which is read back whole and deleted when the lap is over, so that what is stored stays about the
 * same and memory has no reason to grow. The growth is a straight line by least squares through the resident
 * memory after the first minutes.
 */
import { checkIntegrity, createFolder, createTenant, withAdmin } from '../support/file.ts';
import { defectsIn, startServer } from '../support/server-process.ts';
import { createChecks } from './checks.ts';
import { percentile, slopeOf } from './figures.ts';
import { watchMemory } from './memory.ts';
import { OPTIONS } from './options.ts';
import type { ClientReport } from './protocol.ts';
import { startClient } from './start-client.ts';

const minutes = Number(OPTIONS.minutes);
const rate = Number(OPTIONS.rate ?? 150);
/** What a server takes until it is warm: code is compiled, caches fill, the heap finds its size. */
const warmMinutes = Math.min(5, minutes / 3);
const LAP_SECONDS = 60;
/** How much memory may grow after that and still count as flat: what the heap swings by. */
const GROWTH_MIB_MAX = 48;

const folder = createFolder();
const db = folder.file('soak.db');
const checks = createChecks();
const free = await createTenant(db, 'free');
await withAdmin(db, (admin) => admin.updateTenant('free', { plan: 'free' }));
const limited = await createTenant(db, 'limited', { perMinute: 1, perDay: 100 });
const server = await startServer({ db });
const memory = watchMemory(server.pid);
const beganAt = performance.now();
const elapsedMinutes = () => (performance.now() - beganAt) / 60_000;

const reports: ClientReport[] = [];
for (let lap = 1; elapsedMinutes() < minutes; lap++) {
  const own = await createTenant(db, `lap-${lap}`);
  const seconds = Math.max(5, Math.min(LAP_SECONDS, (minutes - elapsedMinutes()) * 60));
  const tenants = { own, free, limited };
  const task = { origin: server.origin, tenants, mix: 'all', verify: true } as const;
  reports.push(await startClient({ ...task, seconds, pace: { open: rate }, seed: lap }));
  await withAdmin(db, (admin) => admin.deleteTenant(own.alias));
  console.log(
    `${elapsedMinutes().toFixed(1)} minutes: ${Math.round(memory.samples.at(-1)! / 1_048_576)} MiB`,
  );
}
memory.stop();
const ending = await server.stop('SIGTERM');

const perMinute = memory.samples.length / elapsedMinutes();
const after = memory.samples.slice(Math.ceil(warmMinutes * perMinute)).map((bytes) => bytes / 1_048_576);
const perHour = slopeOf(after) * perMinute * 60;
const growth = slopeOf(after) * after.length;
const swing =
  `between ${Math.round(percentile(after, 0.05))} and ${Math.round(percentile(after, 0.95))} MiB, ` +
  `at most ${Math.round(Math.max(...after))} MiB`;
checks.check(
  `memory is flat after the first ${warmMinutes.toFixed(0)} minutes`,
  growth <= GROWTH_MIB_MAX,
  `${perHour.toFixed(1)} MiB an hour by least squares, ${swing}`,
);
const answers = reports.flatMap(({ samples }) => samples);
const errors = reports.map(({ errors }) => errors).filter((each) => Object.keys(each).length > 0);
const violations = reports.flatMap(({ violations }) => violations);
const unsent = reports.reduce((sum, report) => sum + report.unsent, 0);
checks.check('every request is answered', errors.length === 0 && unsent === 0, errors);
checks.check('every answer is what the request asked for', violations.length === 0, violations.slice(0, 5));
const shed = answers.filter(({ status }) => status === 503).length;
checks.check('none is refused for load', shed === 0, `${shed} of ${answers.length}`);
const acknowledged = reports.reduce((sum, { eventsAcknowledged }) => sum + eventsAcknowledged, 0);
const stored = reports.reduce((sum, { eventsStored }) => sum + eventsStored, 0);
checks.check('all that was acknowledged is stored', stored >= acknowledged, { acknowledged, stored });
const ms = answers.map((answer) => answer.ms);
console.log(
  `        p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms, ` +
    `slowest ${percentile(ms, 1).toFixed(0)} ms`,
);
const defects = defectsIn(server.log);
checks.check('nothing in the log tells of a defect', defects.length === 0, defects.slice(0, 5));
checks.check('SIGTERM ends it with 0', ending.code === 0, ending);
checks.attempt('the file is sound', () => checkIntegrity(db));
folder.remove();
checks.finish();
