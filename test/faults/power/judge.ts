import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import type { Stores } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { checkIntegrity } from '../../support/file.ts';
import type { Files } from './disk.ts';
import { batchOf, DATABASE_FILE, FIRST_EVENTS, KEPT_TENANTS, type Note } from './notes.ts';
import { QUESTIONS, STOPPED_CLOCK, TOKENS, WINDOWS } from './questions.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

/** What a loss of power did to limits, for the printed result. */
export interface Verdict {
  /** What is wrong; empty when every promise was kept. */
  readonly wrong: readonly string[];
  /** How many tokens were handed back. */
  readonly handedBack: number;
}

/** Opens what a disk has left, as the next start does, and holds it against what was promised. */
export async function judge(folder: string, left: Files, notes: readonly Note[]): Promise<Verdict> {
  const file = join(folder, DATABASE_FILE);
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true });
  for (const [name, bytes] of left) writeFileSync(join(folder, name), bytes);
  const wrong: string[] = [];
  let handedBack = 0;
  try {
    const stores = sqliteStores({
      connect: () => new Database(file),
      resources: testResources({ runtime: STOPPED_CLOCK }),
    });
    try {
      wrong.push(...(await judgeEvents(stores, file, notes)), ...(await judgeKeys(stores, notes)));
      const limits = await judgeLimits(stores, notes);
      wrong.push(...limits.wrong);
      handedBack = limits.handedBack;
    } finally {
      await stores.close();
    }
    checkIntegrity(file);
  } catch (error) {
    wrong.push(String(error));
  }
  return { wrong, handedBack };
}

async function judgeEvents({ events }: Stores, file: string, notes: readonly Note[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const tenantId of KEPT_TENANTS) {
    const stored = readLog(file, tenantId);
    wrong.push(...judgeBatches(stored, notes, tenantId));
    for (const [i, question] of QUESTIONS.entries()) {
      const found = stored.filter((event) => question.matches(event));
      const count = await events.count(tenantId, question.query);
      if (count !== found.length) wrong.push(`question ${i} counts ${count}, the log has ${found.length}`);
      const page = await collect(await events.query(tenantId, question.query, { offset: 0, size: 50 }));
      const newest = found.sort(byNewest).slice(0, 50);
      if (JSON.stringify(page) !== JSON.stringify(newest)) wrong.push(`question ${i} has another page`);
    }
    const names = new Set(stored.map(({ eventName }) => eventName));
    const listed = await events.eventNames(tenantId);
    if (listed.join() !== [...names].sort().join()) wrong.push(`the names are ${listed.join()}`);
  }
  for (const note of notes) {
    if (note.is !== 'dropped') continue;
    if ((await events.count(note.tenantId, QUESTIONS[0]!.query)) > 0) wrong.push(`${note.tenantId} is back`);
  }
  return wrong;
}

/** The log as the table of events has it, past the store. */
function readLog(file: string, tenantId: string): StoredEvent[] {
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare(
      `SELECT name AS eventName, user_id AS userId, ts AS eventTs, insert_id AS insertId,
         json(properties) AS propertiesJson
       FROM events WHERE log = (SELECT number FROM logs WHERE tenant_id = ?) ORDER BY id`,
    )
    .all(tenantId) as StoredEvent[];
  database.close();
  return rows;
}

/** No batch that was acknowledged is missing, none is half there, and nothing else is. */
function judgeBatches(stored: readonly StoredEvent[], notes: readonly Note[], tenantId: string): string[] {
  const wrong: string[] = [];
  const byBatch = new Map<string, Map<string, StoredEvent>>();
  for (const event of stored) {
    const label = event.insertId.split('/')[0]!;
    const batch = byBatch.get(label) ?? new Map<string, StoredEvent>();
    byBatch.set(label, batch.set(event.insertId, event));
  }
  const own = notes.filter((note) => 'label' in note && note.tenantId === tenantId) as {
    is: string;
    label: string;
  }[];
  for (const { is, label } of own) {
    if (is === 'stored' && !byBatch.has(label)) wrong.push(`batch ${label} was acknowledged and is gone`);
  }
  const begun = new Set(['first', ...own.map(({ label }) => label)]);
  for (const [label, batch] of byBatch) {
    if (!begun.has(label)) wrong.push(`batch ${label} was never sent`);
    const of = label === 'first' ? FIRST_EVENTS : sizeOf(batch);
    if (batch.size !== of) wrong.push(`batch ${label} has ${batch.size} of ${of} events`);
    const expected = batchOf(label, of);
    for (const [i, event] of expected.entries()) {
      const found = batch.get(`${label}/${i}`);
      if (JSON.stringify(found) !== JSON.stringify(event)) wrong.push(`event ${label}/${i} is another`);
    }
  }
  return wrong.slice(0, 5);
}

function sizeOf(batch: ReadonlyMap<string, StoredEvent>): number {
  const [event] = batch.values();
  return (JSON.parse(event!.propertiesJson) as { of: number }).of;
}

async function judgeKeys({ control }: Stores, notes: readonly Note[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const note of notes) {
    if (note.is !== 'key' && note.is !== 'revoked') continue;
    const found = await recordsIn(control).keys.findBySecretHash(note.hash);
    if (found === undefined) wrong.push(`key ${note.hash} is gone`);
    else if (note.is === 'revoked' && found.revokedAt === null) wrong.push(`key ${note.hash} works again`);
  }
  return wrong;
}

/**
 * Tokens may come back that were taken since the last commit that was synced, never more. What was taken
 * before a batch was sent that was acknowledged is safe, since both are in one write-ahead log.
 */
async function judgeLimits({ limits }: Stores, notes: readonly Note[]): Promise<Verdict> {
  const [, day] = (await limits.take('key', WINDOWS, 0)).windows;
  const used = TOKENS - day!.remaining;
  const taking = notes.filter(({ is }) => is === 'taking').length;
  const taken = notes.filter(({ is }) => is === 'taken').length;
  const safe = takenBeforeStored(notes);
  const wrong: string[] = [];
  if (used > taking) wrong.push(`${used} tokens are used, ${taking} were asked for`);
  if (used < safe)
    wrong.push(`${used} tokens are used, ${safe} were taken before the last acknowledged batch`);
  return { wrong, handedBack: Math.max(0, taken - used) };
}

function takenBeforeStored(notes: readonly Note[]): number {
  const takenAtBegin = new Map<string, number>();
  let taken = 0;
  let safe = 0;
  for (const note of notes) {
    if (note.is === 'taken') taken += 1;
    if (note.is === 'begun') takenAtBegin.set(note.label, taken);
    if (note.is === 'stored') safe = Math.max(safe, takenAtBegin.get(note.label)!);
  }
  return safe;
}

function byNewest(a: StoredEvent, b: StoredEvent): number {
  return b.eventTs - a.eventTs || (a.insertId < b.insertId ? 1 : -1);
}
