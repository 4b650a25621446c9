import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { expectUnavailable, toReport } from './support/expected.ts';
import { FORMS, servingProcesses } from './support/forms.ts';
import { checkIntegrity, createFolder, createTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer } from '../support/server-process.ts';
import {
  ask,
  count,
  createBatch,
  fetchAll,
  pause,
  sendBatch,
  toComparable,
  type Answer,
  type SentEvent,
} from '../support/traffic.ts';

/** What is loaded into the server before anything else: SIGUSR2 ends its threads wherever they are. */
const KILLER = `
  import worker from 'node:worker_threads';
  import { syncBuiltinESMExports } from 'node:module';
  const { Worker } = worker;
  const threads = new Set();
  worker.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      threads.add(this);
      this.once('exit', () => threads.delete(this));
    }
  };
  syncBuiltinESMExports();
  if (worker.isMainThread) process.on('SIGUSR2', () => threads.forEach((thread) => void thread.terminate()));
`;
const CLIENTS = 4;
const KILLS = FAULTS.long ? 30 : 6;

const folder = createFolder();
afterAll(() => folder.remove());

const named = `$form: a thread that is killed ${KILLS} times is replaced, and nothing acknowledged is lost`;
it.each(FORMS)(
  named,
  async ({ args }) => {
    const db = folder.file(`thread-${args.length}.db`);
    const tenant = await createTenant(db, 'shop');
    const killer = folder.file('killer.mjs');
    writeFileSync(killer, KILLER);
    const server = await startServer({ db, args, env: { NODE_OPTIONS: `--import ${killer}` } });
    const sent: SentEvent[] = [];
    const refused: SentEvent[][] = [];
    let stopped = false;
    async function sendInTurn(client: number): Promise<void> {
      const random = createRandom(FAULTS.seed + client);
      for (let i = 0; !stopped; i++) {
        const batch = createBatch(random, `${client}-${i}`, random.between(1, 100));
        sent.push(...batch);
        const answer = await sendBatch(server.origin, tenant.alias, batch);
        if (answer.status === 200) expect(toReport(answer).accepted).toBe(batch.length);
        else {
          expectUnavailable(answer);
          refused.push(batch);
        }
      }
    }
    /** After the last kill it may take a second until there is a thread again. */
    async function sendUntilTaken(batch: readonly SentEvent[]): Promise<Answer> {
      for (;;) {
        const answer = await sendBatch(server.origin, tenant.alias, batch);
        if (answer.status === 200) return answer;
        expectUnavailable(answer);
        await pause(100);
      }
    }
    try {
      const clients = Array.from({ length: CLIENTS }, (_, client) => sendInTurn(client));
      const random = createRandom(FAULTS.seed);
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(random.between(100, 600));
        process.kill(random.pick(servingProcesses(server.pid)), 'SIGUSR2');
        expect((await ask(server.origin, '/healthz', { method: 'GET' })).status).toBe(200);
      }
      stopped = true;
      await Promise.all(clients);
      for (const batch of refused) {
        const { accepted, duplicates } = toReport(await sendUntilTaken(batch));
        // All of a batch was stored, or nothing of it.
        expect([0, batch.length]).toContain(accepted);
        expect(accepted + duplicates).toBe(batch.length);
      }
      expect(await count(server.origin, tenant)).toBe(sent.length);
      expect(toComparable(await fetchAll(server.origin, tenant))).toEqual(toComparable(sent));
      expect(defectsIn(server.log)).toEqual([]);
      expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    } finally {
      await server.stop('SIGKILL');
    }
    console.log(
      `writer thread: seed ${FAULTS.seed}, ${sent.length} events, ${refused.length} batches refused`,
    );
    checkIntegrity(db);
  },
  240_000,
);
