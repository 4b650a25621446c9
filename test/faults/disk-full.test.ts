import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { expectUnavailable, toReport } from './support/expected.ts';
import { FORMS } from './support/forms.ts';
import { checkIntegrity, createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { builtCli } from '../support/built.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer, type ServerProcess } from '../support/server-process.ts';
import { limitFileSize, mountTmpfs, type SmallDisk } from './support/small-disk.ts';
import {
  ask,
  askTenant,
  count,
  createBatch,
  fetchAll,
  sendBatch,
  toComparable,
  type SentEvent,
} from '../support/traffic.ts';

/** How many batches must be refused before the disk is believed to be full. */
const REFUSALS = 5;

/** How many clients send at once, so that some of their batches share a transaction. */
const CLIENTS = 4;

const folder = createFolder();
// What a server keeps for erasing takes a part of it, of a small disk a small one.
const tmpfs = mountTmpfs(folder, 24);
const disks = [limitFileSize(folder, 1_000_000), ...(tmpfs === undefined ? [] : [tmpfs])];
const places = FORMS.flatMap(({ form, args }, i) =>
  disks.map((disk) => ({ form, args, kind: disk.kind, disk, file: `full-${i}.db` })),
);
console.log(`disk full: tried on ${disks.map(({ kind }) => kind).join(' and ')}`);
if (tmpfs === undefined) console.warn('disk full: NOT tried on a tmpfs: this process may not mount one');

afterAll(() => {
  for (const disk of disks) disk.remove();
  folder.remove();
});

describe('a full disk', () => {
  it.each(places)(
    '$kind: $form: refuses events, goes on answering, and takes events again when there is space',
    async ({ args, disk, file }) => {
      const db = join(disk.path, file);
      const tenant = await createTenant(db, 'shop');
      const limited = await createTenant(db, 'limited', { perMinute: 5, perDay: 5 });
      const server = await startServer({ db, args, before: disk.before });
      try {
        await fillAndFree(server, { db, tenant, limited, disk });
      } finally {
        await server.stop('SIGKILL');
      }
      checkIntegrity(db);
      for (const end of ['', '-wal', '-shm', '-reserve']) rmSync(db + end, { force: true });
    },
    120_000,
  );
});

interface Case {
  readonly db: string;
  readonly tenant: TestTenant;
  readonly limited: TestTenant;
  readonly disk: SmallDisk;
}

async function fillAndFree(server: ServerProcess, { db, tenant, limited, disk }: Case): Promise<void> {
  const random = createRandom(FAULTS.seed);
  const stored: SentEvent[] = [];
  const refused: SentEvent[][] = [];
  const send = async (label: string) => {
    const batch = createBatch(random, label, 200);
    const answer = await sendBatch(server.origin, tenant.alias, batch);
    if (answer.status === 200) stored.push(...batch);
    else {
      expectUnavailable(answer);
      refused.push(batch);
    }
  };
  const sendAtOnce = (label: string) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => send(`${label}-${client}`)));
  for (let i = 0; i < 2; i++) await sendAtOnce(`before-${i}`);
  expect(refused).toEqual([]);

  disk.fill(server.pid);
  // Some batches still find room in pages that the file has already.
  for (let i = 0; refused.length < REFUSALS && i < 50; i++) await sendAtOnce(`full-${i}`);
  expect(refused.length).toBeGreaterThanOrEqual(REFUSALS);
  await expectAnswers(server, tenant, stored, 503);
  // A token that cannot be written is kept in memory.
  expect((await askTenant(server.origin, limited, 'count')).status).toBe(200);
  const told = server.log.filter(({ msg }) => msg.includes('no events are taken'));
  const erased = await eraseBy(db, tenant.alias, 'purchase');
  const kept = stored.filter(({ eventName }) => eventName !== 'purchase');
  expect(erased).toBe(stored.length - kept.length);
  stored.splice(0, stored.length, ...kept);
  expect(await count(server.origin, tenant)).toBe(stored.length);

  disk.free(server.pid);
  await expect.poll(async () => (await ask(server.origin, '/readyz', { method: 'GET' })).status).toBe(200);
  expect(told.every(({ err }) => err === undefined)).toBe(true);
  for (const batch of refused) {
    // Another worker may have found no room a moment ago.
    let answer = await sendBatch(server.origin, tenant.alias, batch);
    await expect
      .poll(async () => {
        if (answer.status === 503) answer = await sendBatch(server.origin, tenant.alias, batch);
        return answer.status;
      })
      .toBe(200);
    const report = toReport(answer);
    // A refused batch has left nothing behind.
    expect(report).toEqual({ accepted: batch.length, duplicates: 0, rejected: [] });
    stored.push(...batch);
  }
  await expectAnswers(server, tenant, stored, 200);
  expect(defectsIn(server.log)).toEqual([]);
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
}

/** A tenant without limits is answered without a write, so that a full disk does not matter. */
async function expectAnswers(
  { origin }: ServerProcess,
  tenant: TestTenant,
  stored: readonly SentEvent[],
  ready: number,
): Promise<void> {
  expect(await count(origin, tenant)).toBe(stored.length);
  expect(toComparable(await fetchAll(origin, tenant))).toEqual(toComparable(stored));
  const purchases = stored.filter(({ eventName }) => eventName === 'purchase').length;
  expect(await count(origin, tenant, { event: 'purchase' })).toBe(purchases);
  expect((await askTenant(origin, tenant, 'names')).status).toBe(200);
  expect((await ask(origin, '/healthz', { method: 'GET' })).status).toBe(200);
  expect((await ask(origin, '/readyz', { method: 'GET' })).status).toBe(ready);
}

/** Erases events of a name by the command, beside the server; how many they were. */
async function eraseBy(db: string, alias: string, event: string): Promise<number> {
  const args = [builtCli(), 'erase', alias, '--event', event, '--yes', '--json', '--db', db];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (JSON.parse(stdout) as { erased: number }).erased;
}
