import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { expectUnavailable, toReport } from './support/expected.ts';
import { createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { startHost, type HostProcess } from './support/host-process.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn } from '../support/server-process.ts';
import { ask, askTenant, count, createBatch, sendBatch } from '../support/traffic.ts';

/** How many requests hang at once. */
const HANGING = 50;

const folder = createFolder();
const db = folder.file('hanging.db');
const random = createRandom(FAULTS.seed);
let stuck: TestTenant;
let other: TestTenant;
let host: HostProcess;

beforeAll(async () => {
  stuck = await createTenant(db, 'stuck');
  other = await createTenant(db, 'other');
  // Long enough that a machine which stands for a moment makes nobody else's request one that hangs.
  host = await startHost(db, ['--handler-timeout-ms', '6000', '--close-timeout-ms', '60000']);
  toReport(await sendBatch(host.origin, 'stuck', createBatch(random, 'stuck', 10)));
});

afterAll(() => {
  host.child.kill('SIGKILL');
  folder.remove();
});

describe('a store that never answers', () => {
  it.each(['query', 'append'] as const)(
    '%s: 503 after the time limit, and the rest goes on',
    async (method) => {
      await host.wish({ hang: method });
      const hanging = Array.from({ length: HANGING }, (_, i) =>
        method === 'query'
          ? askTenant(host.origin, stuck, 'query')
          : sendBatch(host.origin, 'stuck', createBatch(random, `hang-${i}`, 3)),
      );
      let settled = 0;
      for (const answer of hanging) void answer.then(() => (settled += 1));

      // Others are served while all of those wait.
      const before = await count(host.origin, other);
      for (let i = 0; i < 20; i++) {
        toReport(await sendBatch(host.origin, 'other', createBatch(random, `${method}-${i}`, 5)));
      }
      expect(await count(host.origin, other)).toBe(before + 100);
      expect(await count(host.origin, stuck)).toBe(10);
      expect((await ask(host.origin, '/healthz', { method: 'GET' })).status).toBe(200);

      for (const answer of await Promise.all(hanging)) expectUnavailable(answer);
      expect(settled).toBe(HANGING);

      await host.wish({ hang: null });
      expect((await askTenant(host.origin, stuck, 'query')).status).toBe(200);
      // What happens often is one line in a second that says how often.
      const timedOut = () => host.log.filter(({ msg }) => msg === 'request timed out');
      const times = () => timedOut().reduce((sum, line) => sum + Number(line.times), 0);
      await expect.poll(() => times() > 0 && times() % HANGING === 0).toBe(true);
      expect(timedOut().every(({ requestId }) => typeof requestId === 'string')).toBe(true);
    },
  );

  it('does not keep the server from ending', async () => {
    await host.wish({ hang: 'query' });
    const answer = askTenant(host.origin, stuck, 'query');
    while ((await count(host.origin, other)) < 0) continue;
    const ending = host.stop('SIGTERM');
    expectUnavailable(await answer);
    expect(await ending).toEqual({ code: 0, signal: null });
    expect(defectsIn(host.log)).toEqual([]);
  });
});
