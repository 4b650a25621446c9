import { afterAll, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { endWell, isAssertion, toReport } from './support/expected.ts';
import { workersOf } from './support/forms.ts';
import { checkIntegrity, createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer, type ServerProcess } from '../support/server-process.ts';
import {
  askTenant,
  count,
  createBatch,
  fetchAll,
  pause,
  sendBatch,
  toComparable,
  until,
  type Answer,
  type SentEvent,
} from '../support/traffic.ts';

const SENDERS = 4;
const ASKERS = 4;
/** After each kill of a young worker the next one comes later. */
const KILLS = FAULTS.long ? 10 : 4;
/** Both ways in which tokens are taken: one by one, and in blocks that a process leases. */
const LIMITS = [
  { alias: 'exact', perMinute: 30, perDay: 100_000 },
  { alias: 'leased', perMinute: 600, perDay: 100_000 },
];

const folder = createFolder();
const db = folder.file('workers.db');
afterAll(() => folder.remove());

/** A tenant with a limit, and how many of its requests were admitted, and how many refused. */
interface Limited {
  readonly tenant: TestTenant;
  readonly perMinute: number;
  readonly since: number;
  admitted: number;
  refused: number;
}

/**
 * How long an answer is waited for. A connection that is handed to a worker in the moment in which that is
 * killed gets none: Node's cluster lets go of it only when its client does.
 */
const PATIENCE_MS = 10_000;

/** What a request is answered; undefined where a kill has cut it off. */
async function unlessCut(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await Promise.race([request, pause(PATIENCE_MS).then(() => undefined)]);
  } catch (error) {
    if (isAssertion(error)) throw error;
    return undefined;
  }
}

/** Sends and asks while workers are killed; what was stored, and what got no answer. */
async function loadAndKill(
  server: ServerProcess,
  shop: TestTenant,
  limited: readonly Limited[],
  round: number,
) {
  const { origin } = server;
  const sent: SentEvent[] = [];
  const unanswered: SentEvent[][] = [];
  let stopped = false;
  const send = async (client: number) => {
    const random = createRandom(FAULTS.seed + 100 * round + client);
    for (let i = 0; !stopped; i++) {
      const batch = createBatch(random, `${round}-${client}-${i}`, random.between(1, 60));
      sent.push(...batch);
      const answer = await unlessCut(sendBatch(origin, shop.alias, batch));
      if (answer === undefined) unanswered.push(batch);
      else expect(toReport(answer)).toEqual({ accepted: batch.length, duplicates: 0, rejected: [] });
    }
  };
  const ask = async (of: Limited) => {
    while (!stopped) {
      const answer = await unlessCut(askTenant(origin, of.tenant, 'count'));
      if (answer === undefined) continue;
      expect([200, 429]).toContain(answer.status);
      if (answer.status === 200) of.admitted += 1;
      else {
        of.refused += 1;
        await pause(5);
      }
    }
  };
  const clients = [
    ...Array.from({ length: SENDERS }, (_, client) => send(client)),
    ...limited.flatMap((of) => Array.from({ length: ASKERS }, () => ask(of))),
  ];
  const random = createRandom(FAULTS.seed);
  for (let kill = 1; kill <= KILLS; kill++) {
    await pause(random.between(50, 400));
    process.kill(random.pick(workersOf(server.pid)), 'SIGKILL');
    const replaced = () => server.log.filter(({ msg }) => msg === 'a worker took its place').length;
    await until(`a worker takes the place of number ${kill} that was killed`, () => replaced() >= kill);
    expect(workersOf(server.pid).length).toBe(2);
  }
  // Nothing more is to be had, or that no more was granted would say nothing.
  await until('all limits are reached', () => limited.every(({ refused }) => refused > 0));
  stopped = true;
  await Promise.all(clients);
  return { sent, unanswered };
}

it(`workers that are killed ${KILLS} times lose nothing, double nothing and grant nothing`, async () => {
  const shop = await createTenant(db, 'shop');
  const limited: Limited[] = [];
  for (const { alias, ...limits } of LIMITS) {
    const tenant = await createTenant(db, alias, limits);
    limited.push({ tenant, perMinute: limits.perMinute, since: Date.now(), admitted: 0, refused: 0 });
  }
  const expectLimitsKept = () => {
    for (const { admitted, perMinute, since, tenant } of limited) {
      const most = perMinute * (1 + (Date.now() - since) / 60_000);
      expect(admitted, tenant.alias).toBeLessThanOrEqual(Math.floor(most) + 1);
    }
  };
  const all: SentEvent[] = [];
  for (let round = 0; round < 2; round++) {
    const server = await startServer({ db, args: ['--workers', '2'] });
    try {
      const { sent, unanswered } = await loadAndKill(server, shop, limited, round);
      for (const event of sent) all.push(event);
      expectLimitsKept();
      for (const batch of unanswered) {
        const { accepted, duplicates } = toReport(await sendBatch(server.origin, shop.alias, batch));
        // All of a batch was stored before the kill, or nothing of it.
        expect([0, batch.length]).toContain(accepted);
        expect(accepted + duplicates).toBe(batch.length);
      }
      expect(await count(server.origin, shop)).toBe(all.length);
      expect(toComparable(await fetchAll(server.origin, shop))).toEqual(toComparable(all));
      // One round ends with the process that started them.
      if (round === 0) await server.stop('SIGKILL');
      else await endWell(server);
    } finally {
      await server.stop('SIGKILL');
    }
    expect(defectsIn(server.log)).toEqual([]);
  }
  const admitted = limited.map((of) => of.admitted).join(' and ');
  console.log(`workers: seed ${FAULTS.seed}, ${all.length} events, ${admitted} admitted`);
  checkIntegrity(db);
}, 240_000);
