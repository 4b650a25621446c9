import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { isAssertion, toReport } from './support/expected.ts';
import { checkIntegrity, createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { createRandom, type Random } from '../support/random.ts';
import { defectsIn, startServer, type ServerProcess } from '../support/server-process.ts';
import {
  askTenant,
  count,
  createBatch,
  fetchAll,
  pause,
  sendBatch,
  sendPackedBatch,
  byNewest,
  toComparable,
  type Answer,
  type Report,
  type SentEvent,
} from '../support/traffic.ts';

/** How many clients send at once. */
const CLIENTS = 4;
/** The limits of the tenant that shows whether a kill hands out new tokens. */
const LIMITS = { perMinute: 3, perDay: 1_000_000 };

interface Batch {
  readonly label: string;
  readonly events: readonly SentEvent[];
}

/** What happened in all rounds together. */
const tally = { rounds: 0, events: 0, acknowledged: 0, unanswered: 0, storedUnanswered: 0, duplicates: 0 };

const folder = createFolder();
const db = folder.file('kill.db');
const random = createRandom(FAULTS.seed);
/** Everything that has been sent, by insert id. */
const sent = new Map<string, SentEvent>();
let tenant: TestTenant;
let limited: TestTenant;
let startedAt = 0;
let admitted = 0;

beforeAll(async () => {
  tenant = await createTenant(db, 'shop');
  limited = await createTenant(db, 'limited', LIMITS);
  startedAt = Date.now();
});

afterAll(() => {
  folder.remove();
  console.log(`sigkill: seed ${FAULTS.seed}, ${JSON.stringify(tally)}, ${admitted} admitted under limits`);
});

describe('SIGKILL during ingestion', () => {
  it(
    `keeps what was acknowledged, once, in ${FAULTS.rounds} rounds`,
    async () => {
      for (let round = 0; round < FAULTS.rounds; round++) {
        const unanswered = await sendUntilKilled(round);
        await recover(round, unanswered);
      }
      checkIntegrity(db);
    },
    60_000 + FAULTS.rounds * 20_000,
  );
});

/** Sends from several clients at once until the server is killed; the batches that got no answer. */
async function sendUntilKilled(round: number): Promise<Batch[]> {
  // In every other round the server is several processes, of which only the first is killed.
  const args = round % 2 === 0 ? [] : ['--workers', '2'];
  const server = await startServer({ db, args });
  const unanswered: Batch[] = [];
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    sendInTurn(server, `${round}-${client}`, createRandom(random.between(1, 1e9)), unanswered),
  );
  const asking = askUntilGone(server);
  await pause(random.between(5, 400));
  const ending = await server.stop('SIGKILL');
  expect(ending.signal).toBe('SIGKILL');
  await Promise.all([...clients, asking]);
  expect(defectsIn(server.log)).toEqual([]);
  tally.rounds += 1;
  return unanswered;
}

/** One client: a batch, its answer, the next batch, and now and then an acknowledged batch once more. */
async function sendInTurn(
  server: ServerProcess,
  label: string,
  own: Random,
  unanswered: Batch[],
): Promise<void> {
  for (let i = 0; ; i++) {
    const batch = { label: `${label}-${i}`, events: createBatch(own, `${label}-${i}`, own.between(1, 150)) };
    for (const event of batch.events) sent.set(event.insertId, event);
    tally.events += batch.events.length;
    const send = own.next() < 0.3 ? sendPackedBatch : sendBatch;
    try {
      expectReport(await send(server.origin, tenant.alias, batch.events), {
        accepted: batch.events.length,
        duplicates: 0,
      });
      tally.acknowledged += batch.events.length;
    } catch (error) {
      if (isAssertion(error)) throw error;
      unanswered.push(batch);
      return;
    }
    if (own.next() < 0.1) await resendAcknowledged(server, batch);
  }
}

async function resendAcknowledged(server: ServerProcess, { events }: Batch): Promise<void> {
  try {
    expectReport(await sendBatch(server.origin, tenant.alias, events), {
      accepted: 0,
      duplicates: events.length,
    });
    tally.duplicates += events.length;
  } catch (error) {
    if (isAssertion(error)) throw error;
  }
}

/** Uses up the tokens of the limited tenant as fast as they come. */
async function askUntilGone(server: ServerProcess): Promise<void> {
  for (;;) {
    try {
      const { status } = await askTenant(server.origin, limited, 'count');
      expect([200, 429]).toContain(status);
      if (status === 200) admitted += 1;
    } catch (error) {
      if (isAssertion(error)) throw error;
      return;
    }
    await pause(5);
  }
}

/**
 * Starts the server again, sends what got no answer, and compares all that is stored with all that was sent.
 */
async function recover(round: number, unanswered: readonly Batch[]): Promise<void> {
  const server = await startServer({ db });
  try {
    for (const batch of unanswered) {
      const report = toReport(await sendBatch(server.origin, tenant.alias, batch.events));
      const size = batch.events.length;
      // All of a batch was stored before the kill, or nothing of it.
      expect([0, size], `round ${round}, batch ${batch.label}`).toContain(report.accepted);
      expect(report.accepted + report.duplicates).toBe(size);
      expect(await count(server.origin, tenant, ofBatch(batch.label))).toBe(size);
      tally.unanswered += size;
      tally.storedUnanswered += report.duplicates;
    }
    expect(await count(server.origin, tenant), `round ${round}`).toBe(sent.size);
    if (round % 10 === 9 || round === FAULTS.rounds - 1) await compareAll(server);
    await takeAll(server);
    expectLimitsKept();
  } finally {
    await server.stop();
  }
  expect(defectsIn(server.log)).toEqual([]);
}

async function compareAll(server: ServerProcess): Promise<void> {
  const stored = await fetchAll(server.origin, tenant);
  expect(toComparable(stored)).toEqual(toComparable([...sent.values()]));
  const ids = (events: readonly SentEvent[]) => events.map(({ insertId }) => insertId);
  expect(ids(stored)).toEqual(ids([...stored].sort(byNewest)));
}

/** Uses up what a restart may have handed out. */
async function takeAll(server: ServerProcess): Promise<void> {
  while ((await askTenant(server.origin, limited, 'count')).status === 200) admitted += 1;
}

/** A bucket gives its capacity and what has come back since; a restart gives nothing. */
function expectLimitsKept(): void {
  const elapsedMinutes = (Date.now() - startedAt) / 60_000;
  expect(admitted).toBeLessThanOrEqual(Math.floor(LIMITS.perMinute * (1 + elapsedMinutes)) + 1);
}

function ofBatch(label: string): object {
  return { filterSet: [{ property: 'properties.batch', comparison: 'EQUALS', value: label }] };
}

function expectReport(answer: Answer, expected: Omit<Report, 'rejected'>): void {
  expect(toReport(answer)).toEqual({ ...expected, rejected: [] });
}
