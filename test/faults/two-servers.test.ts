import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { endWell, toReport } from './support/expected.ts';
import { FORMS } from './support/forms.ts';
import { checkIntegrity, createFolder, createTenant, withAdmin, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import {
  askTenant,
  count,
  createBatch,
  fetchAll,
  sendBatch,
  toComparable,
  type SentEvent,
} from '../support/traffic.ts';

const folder = createFolder();
afterAll(() => folder.remove());

describe.each(FORMS)('two servers on one file, each of $form', ({ args }) => {
  const db = folder.file(`shared-${args.length}.db`);
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    await createTenant(db, 'first');
    for (let i = 0; i < 2; i++) servers.push(await startServer({ db, args }));
  });

  afterAll(async () => {
    for (const server of servers) await endWell(server);
    checkIntegrity(db);
  });

  async function expectCounts(tenant: TestTenant, expected: number): Promise<void> {
    for (const { origin } of servers) expect(await count(origin, tenant)).toBe(expected);
  }

  it('both take events at once, and each answers at once with those of the other', async () => {
    const tenant = await createTenant(db, 'shop');
    const random = createRandom(FAULTS.seed);
    const sent: SentEvent[] = [];
    const clients = servers.flatMap((server, s) =>
      [0, 1].map(async (client) => {
        for (let i = 0; i < (FAULTS.long ? 100 : 12); i++) {
          const batch = createBatch(random, `${s}-${client}-${i}`, random.between(1, 100));
          // The other server gets the same batch as well, and one of the two stores it.
          const other = servers[1 - s]!;
          const answers = await Promise.all([
            sendBatch(server.origin, tenant.alias, batch),
            sendBatch(other.origin, tenant.alias, batch),
          ]);
          const accepted = answers.map((answer) => toReport(answer).accepted);
          expect(accepted.sort((a, b) => a - b)).toEqual([0, batch.length]);
          sent.push(...batch);
          const filterSet = [
            { property: 'properties.batch', comparison: 'EQUALS', value: batch[0]!.properties.batch },
          ];
          for (const { origin } of servers)
            expect(await count(origin, tenant, { filterSet })).toBe(batch.length);
        }
      }),
    );
    await Promise.all(clients);
    for (const { origin } of servers) {
      expect(await count(origin, tenant)).toBe(sent.length);
      expect(toComparable(await fetchAll(origin, tenant))).toEqual(toComparable(sent));
    }
  });

  it('they share the tokens of a key', async () => {
    const limited = await createTenant(db, 'limited', { perMinute: 10, perDay: 10 });
    const statuses: number[] = [];
    const remaining: (string | null)[] = [];
    for (let i = 0; i < 24; i++) {
      const { status, headers } = await askTenant(servers[i % 2]!.origin, limited, 'count');
      statuses.push(status);
      remaining.push(headers.get('x-ratelimit-remaining'));
    }
    // The day's bucket gives back one token in 2.4 hours.
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
    expect(remaining.slice(0, 10)).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
  });

  it('a tenant that is deleted is gone for both, and one made anew begins empty', async () => {
    const before = await createTenant(db, 'gone');
    const events = createBatch(createRandom(FAULTS.seed), 'old', 500);
    toReport(await sendBatch(servers[0]!.origin, before.alias, events));
    await expectCounts(before, events.length);

    await withAdmin(db, (admin) => admin.deleteTenant('gone'));
    for (const { origin } of servers) {
      expect((await askTenant(origin, before, 'count')).status).toBe(401);
      expect((await sendBatch(origin, 'gone', events)).status).toBe(404);
    }
    const anew = await createTenant(db, 'gone');
    await expectCounts(anew, 0);
    const few = createBatch(createRandom(FAULTS.seed + 1), 'new', 7);
    toReport(await sendBatch(servers[1]!.origin, anew.alias, few));
    await expectCounts(anew, 7);
    for (const { origin } of servers) {
      expect(toComparable(await fetchAll(origin, anew))).toEqual(toComparable(few));
    }
  });

  it('what is changed beside them holds from the next request', async () => {
    const tenant = await createTenant(db, 'changing');
    await expectCounts(tenant, 0);
    await withAdmin(db, async (admin) => {
      const [key] = await admin.listKeys('changing');
      await admin.updateTenant('changing', { authStrategy: 'SERVER_SIDE' });
      await admin.revokeKey('changing', key!.id);
    });
    const events = createBatch(createRandom(FAULTS.seed), 'late', 1);
    for (const { origin } of servers) {
      expect((await askTenant(origin, tenant, 'count')).status).toBe(401);
      expect((await sendBatch(origin, 'changing', events)).status).toBe(401);
    }
  });
});
