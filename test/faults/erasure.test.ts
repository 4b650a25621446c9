import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { endWell, toReport } from './support/expected.ts';
import { FORMS } from './support/forms.ts';
import { builtCli } from '../support/built.ts';
import { cleanEnv } from '../support/clean-env.ts';
import { checkIntegrity, createFolder, createTenant, runSql, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { count, createBatch, pause, sendPackedBatch, type SentEvent } from '../support/traffic.ts';

/** More than one chunk of rows, so that a decision has several parts. */
const EVENTS = 36_000;
/** What stands in every text of a user who goes, with the number of the user. */
const MARK = 'do-not-find';
const USERS = 8;
/** At how many of its statements an erasure is killed, and how often at any moment. */
const POINTS = FAULTS.long ? 24 : 6;
const ROUNDS = Math.min(FAULTS.rounds, USERS);

const folder = createFolder();
const whole = folder.file('whole.db');
const random = createRandom(FAULTS.seed);
const script = fileURLToPath(new URL('support/erasing.ts', import.meta.url));
const markOf = (user: number) => `${MARK}-${user}-`;
/** How many events each of the users has. */
const events = new Map<number, number>();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await createTenant(whole, 'shop');
  const server = await startServer({ db: whole });
  for (let i = 0; i < EVENTS / 2000; i++) {
    const batch = createBatch(random, `b${i}`, 2000).map(marked);
    toReport(await sendPackedBatch(server.origin, tenant.alias, batch));
  }
  // Columns that hold the texts of users are kept in the file.
  for (const property of ['userId', 'eventName', 'properties.note', 'insertId']) {
    const filterSet = [{ property, comparison: 'CONTAINS', value: MARK }];
    expect(await count(server.origin, tenant, { filterSet })).toBe(sum([...events.values()]));
  }
  await endWell(server);
}, 120_000);

afterAll(() => folder.remove());

/** Gives each fiftieth event to one of the users who go. */
function marked(event: SentEvent, i: number): SentEvent {
  if (i % 50 !== 0) return event;
  const user = random.below(USERS);
  events.set(user, (events.get(user) ?? 0) + 1);
  const mark = markOf(user);
  return {
    ...event,
    eventName: `${mark}name`,
    userId: `${mark}user`,
    insertId: `${mark}${event.insertId}`,
    properties: { ...event.properties, note: `${mark}note`.repeat(i % 200 === 0 ? 400 : 1), [mark]: 1 },
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

const ofUser = (user: number) => ({
  filterSet: [{ property: 'userId', comparison: 'EQUALS', value: `${markOf(user)}user` }],
});

/** Runs the built command to its end. */
function runCli(db: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [builtCli(), ...args, '--db', db], {
    env: cleanEnv(),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
}

const eraseArgs = (user: number) => ['erase', tenant.alias, '--user', `${markOf(user)}user`, '--yes'];

/** How many rows are erased and still there. */
function countHidden(db: string): number {
  const [row] = runSql(db, 'SELECT count(*) AS chunks FROM erased_rows WHERE swept < 32768');
  return (row as { chunks: number }).chunks;
}

/**
 * Looks at a file of so many events in which an erasure was killed: all of it was done or nothing, and what
 * was decided goes on by itself. Whether the user is gone.
 */
async function expectAllOrNone(file: { db: string; size: number }, user: number, args: readonly string[]) {
  const { db, size } = file;
  const server = await startServer({ db, args });
  const own = events.get(user)!;
  const left = await count(server.origin, tenant, ofUser(user));
  expect([0, own]).toContain(left);
  expect(await count(server.origin, tenant)).toBe(size - own + left);
  while (countHidden(db) > 0) await pause(20);
  expect(runSql(db, 'SELECT count(*) AS rows FROM events')).toEqual([{ rows: size - own + left }]);
  await endWell(server);
  return left === 0;
}

/** No byte of a user is left once the file was written anew. */
function expectNoTrace(db: string, user: number): void {
  runCli(db, 'compact');
  for (const file of [db, `${db}-wal`, `${db}-shm`]) {
    if (existsSync(file)) expect(readFileSync(file).includes(markOf(user))).toBe(false);
  }
  checkIntegrity(db);
}

describe('SIGKILL during an erasure by query', () => {
  it(`at ${POINTS} of its statements: all of it or nothing, and no trace in the end`, async () => {
    const run = (db: string, kill: number) => {
      const args = ['--import', 'tsx', script, '--db', db, '--alias', tenant.alias];
      args.push('--user', `${markOf(0)}user`, '--kill', String(kill));
      return spawnSync(process.execPath, args, { encoding: 'utf8' });
    };
    const copy = (name: string) => {
      const file = folder.file(name);
      copyFileSync(whole, file);
      return file;
    };
    const statements = Number(run(copy('measured.db'), 0).stdout);
    expect(statements).toBeGreaterThan(POINTS);
    // The decision has few statements, and they come first; the others are those of the removal.
    const decision = Array.from({ length: POINTS / 2 }, (_, i) => i + 2);
    const removal = decision.map(() => random.between(POINTS / 2 + 2, statements));
    let done = 0;
    for (const [i, kill] of [...decision, ...removal].entries()) {
      const db = copy(`point-${i}.db`);
      expect(run(db, kill).signal, `statement ${kill}`).toBe('SIGKILL');
      if (await expectAllOrNone({ db, size: EVENTS }, 0, FORMS[i % 2]!.args)) done += 1;
      else runCli(db, ...eraseArgs(0));
      expectNoTrace(db, 0);
    }
    // Some were killed before the decision, and some behind it.
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(POINTS);
  }, 600_000);

  it(`at ${ROUNDS} moments, while a server answers`, async () => {
    const db = folder.file('moments.db');
    copyFileSync(whole, db);
    let [erased, early] = [0, 0];
    for (let user = 0; user < ROUNDS; user++) {
      const server = await startServer({ db, args: FORMS[user % 2]!.args });
      const size = EVENTS - erased;
      const child = spawn(process.execPath, [builtCli(), ...eraseArgs(user), '--db', db], {
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), random.between(100, 1500));
      await watch(server, user, size, ended);
      clearTimeout(timer);
      await endWell(server);
      if (!(await expectAllOrNone({ db, size }, user, []))) {
        early += 1;
        runCli(db, ...eraseArgs(user));
      }
      erased += events.get(user)!;
    }
    for (let user = 0; user < ROUNDS; user++) expectNoTrace(db, user);
    console.log(`erasure: seed ${FAULTS.seed}, ${ROUNDS} moments, ${early} before the decision`);
  }, 600_000);
});

/** Asks as long as the erasure runs: each answer has all of the user's events, or none from then on. */
async function watch(server: ServerProcess, user: number, size: number, ended: Promise<unknown>) {
  const own = events.get(user)!;
  let isOver = false;
  let isGone = false;
  void ended.then(() => (isOver = true));
  while (!isOver) {
    const all = await count(server.origin, tenant);
    expect(isGone ? [size - own] : [size, size - own]).toContain(all);
    isGone = all < size;
    const left = await count(server.origin, tenant, ofUser(user));
    expect(isGone ? [0] : [0, own]).toContain(left);
  }
}
