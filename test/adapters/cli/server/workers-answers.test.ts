import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toExactJson } from '../../../../adapters/client/body.ts';
import { parseEvent } from '../../../../src/core/event/parse-event.ts';
import type { CountBody, Event } from '../../../../src/index.ts';
import { parseCountBody, type StoredEvent } from '../../../../src/store-kit.ts';
import { batchesOf } from '../../../conformance/arbitraries/events.ts';
import { bodies } from '../../../conformance/arbitraries/queries.ts';
import { RULES } from '../../../conformance/cases.ts';
import { comparables, firstWrites, identityOf, referenceOf } from '../../../conformance/expected.ts';
import { createFolder, createTenant, withAdmin, type TestTenant } from '../../../support/file.ts';
import { defectsIn, startServer, type ServerProcess } from '../../../support/server-process.ts';
import { ask, pause, type Answer } from '../../../support/traffic.ts';

/**
 * Runs the cases of the conformance suites over HTTP against two workers on one file. Each request has its
 * own connection, and connections go to the workers in turn.
 */
const folder = createFolder();
const db = folder.file('workers.db');
const RUNS = Number(process.env.EVENT_QUERY_RUNS ?? 100);
const SEED = Number(process.env.EVENT_QUERY_SEED);
let server: ServerProcess;
let tenants = 0;

beforeAll(async () => {
  await createTenant(db, 'first');
  server = await startServer({ db, args: ['--workers', '2'] });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

const newTenant = () => createTenant(db, `tenant-${(tenants += 1)}`);

function post(path: string, { secret }: TestTenant, body: unknown): Promise<Answer> {
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json', Connection: 'close' };
  return ask(server.origin, path, { headers, body: typeof body === 'string' ? body : toExactJson(body)! });
}

/** Sends events as a client does, and returns the report. */
async function send(tenant: TestTenant, events: readonly StoredEvent[]): Promise<unknown> {
  const texts = events.map(({ propertiesJson, eventName, userId, eventTs, insertId }) => {
    const fields = { eventName, userId, eventTs: new Date(eventTs).toISOString(), insertId };
    // The properties go as they are: another text of a number may be one that no double holds.
    return `{"properties":${propertiesJson},${JSON.stringify(fields).slice(1)}`;
  });
  const answer = await post(`/v1/events/${tenant.alias}/multi`, tenant, `[${texts.join(',')}]`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** The answers of both workers to a count. */
async function countTwice(tenant: TestTenant, body: CountBody): Promise<unknown[]> {
  const path = `/v1/api/query/count/${tenant.alias}`;
  const answers = [await post(path, tenant, body), await post(path, tenant, body)];
  return answers.map((answer) => answer.body);
}

async function fetchPage(tenant: TestTenant, body: CountBody): Promise<StoredEvent[]> {
  const question = { ...body, pagination: { size: 1000 }, include: ['receivedAt'] };
  const answer = await post(`/v1/api/query/${tenant.alias}`, tenant, question);
  const events = answer.body as Required<Event>[];
  return events.map((event) => ({
    ...event,
    eventTs: Date.parse(event.eventTs),
    propertiesJson: JSON.stringify(event.properties),
    receivedAt: Date.parse(event.receivedAt!),
  }));
}

/** What was sent, with when it arrived as the server says. */
async function arrived(tenant: TestTenant, sent: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const stored = await fetchPage(tenant, {});
  const arrivals = new Map(stored.map((event) => [identityOf(event), event.receivedAt]));
  return sent.map((event) => ({ ...event, receivedAt: arrivals.get(identityOf(event)) }));
}

describe('two workers answer by the rules of the conformance suites', () => {
  it('every case of what filters mean', async () => {
    const runtime = { now: () => Date.parse('2024-05-20T00:00:00Z'), newInsertId: () => 'unused' };
    const cases = RULES.flatMap((rule) => rule.cases);
    const all = cases.map(([, event], i) => {
      const fields = typeof event === 'string' ? { properties: JSON.parse(event) as never } : event;
      const input = { eventName: 'e', userId: 'u', eventTs: '2024-05-18T10:00:00Z', ...fields };
      return parseEvent({ ...input, insertId: input.insertId ?? `case-${i}` }, runtime);
    });
    const tenant = await newTenant();
    for (let from = 0; from < all.length; from += 10) await send(tenant, all.slice(from, from + 10));
    for (const [i, [filter, , expected]] of cases.entries()) {
      const own = { property: 'insertId', comparison: 'EQUALS', value: all[i]!.insertId } as const;
      const answers = await countTwice(tenant, { filterSet: [own, filter] });
      const count = { count: expected ? 1 : 0 };
      expect([filter, answers]).toEqual([filter, [count, count]]);
    }
  });

  it(`any query about events that came to either of them (EVENT_QUERY_SEED=${SEED})`, async () => {
    const now = Date.now();
    const examples = batchesOf({ batches: 3, size: 12 })
      // HTTP refuses events with a timestamp in the future.
      .map((batches) => batches.map((batch) => batch.filter(({ eventTs }) => eventTs <= now)))
      .map((batches) => batches.filter((batch) => batch.length > 0))
      .filter((batches) => batches.length > 0)
      .chain((batches) =>
        fc.record({
          batches: fc.constant(batches),
          asked: fc.array(bodies(batches.flat()), { minLength: 1, maxLength: 6, size: 'max' }),
        }),
      );
    const property = fc.asyncProperty(examples, async ({ batches, asked }) => {
      const tenant = await newTenant();
      let stored = 0;
      for (const [i, batch] of batches.entries()) {
        const accepted = firstWrites(batches.slice(0, i + 1)).length - stored;
        stored += accepted;
        const report = { accepted, duplicates: batch.length - accepted, rejected: [] };
        expect(await send(tenant, batch)).toEqual(report);
      }
      const reference = referenceOf(await arrived(tenant, firstWrites(batches)));
      for (const body of asked) {
        const expected = reference(parseCountBody(body));
        const count = { count: expected.length };
        expect(await countTwice(tenant, body)).toEqual([count, count]);
        expect(comparables(await fetchPage(tenant, body))).toEqual(comparables(expected));
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  }, 240_000);
});

describe('two workers keep the limits of the spec to the token', () => {
  it.each([['builder', 2] as const, ['growth', 10] as const, ['scale', 100] as const])(
    'plan %s',
    async (plan, perMinute) => {
      const tenant = await newTenant();
      await withAdmin(db, (admin) => admin.updateTenant(tenant.alias, { plan }));
      const beganAt = Date.now();
      const path = `/v1/api/query/count/${tenant.alias}`;
      const answers: Awaited<ReturnType<typeof post>>[] = [];
      // Few enough at once that none waits until the server refuses it as overload.
      while (answers.length < perMinute * 2 + 4) {
        answers.push(...(await Promise.all(Array.from({ length: 16 }, () => post(path, tenant, {})))));
      }
      const cameBack = Math.floor(((Date.now() - beganAt) * perMinute) / 60_000);
      const admitted = answers.filter(({ status }) => status === 200);
      expect(admitted.length).toBeGreaterThanOrEqual(perMinute);
      expect(admitted.length).toBeLessThanOrEqual(perMinute + cameBack + 1);
      for (const { status, body, headers } of answers) {
        if (status === 200) continue;
        expect([status, body]).toEqual([429, { error: 'Rate limit exceeded. Upgrade for higher limits.' }]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
      // If nothing was refilled meanwhile, no two answers state the same remaining quota.
      const remaining = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
      if (cameBack === 0) {
        expect(remaining.sort((a, b) => b - a)).toEqual(admitted.map((_, i) => perMinute - 1 - i));
      }
    },
  );

  it('what a tenant may send', async () => {
    const tenant = await newTenant();
    const ingestion = { eventsPerMinute: 100, bytesPerMinute: 1_000_000 };
    await withAdmin(db, (admin) => admin.updateTenant(tenant.alias, { ingestion }));
    const beganAt = Date.now();
    const batch = Array.from({ length: 10 }, () => ({ eventName: 'e', userId: 'u' }));
    const path = `/v1/events/${tenant.alias}/multi`;
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(path, tenant, batch)));
    const cameBack = Math.ceil(((Date.now() - beganAt) * 10) / 60_000);
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(10 + cameBack);
    const expected = Array.from({ length: 2 }, () => ({ count: 10 * admitted }));
    expect(await countTwice(tenant, {})).toEqual(expected);
  });

  it('and both of them served requests', async () => {
    const workers = () =>
      new Set(server.log.filter(({ msg }) => msg === 'request').map(({ pid }) => pid)).size;
    while (workers() < 2) await pause(20);
    expect(defectsIn(server.log)).toEqual([]);
  });
});
