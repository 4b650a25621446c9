import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sampleEvents } from './events.ts';
import { median, readFlags, report, type Measure } from './harness.ts';
import { forkProgram } from './process.ts';
import { fill, openSqlite } from './store/own-peers.ts';
import { QUESTIONS } from './store/questions.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 40_000 : 1_000_000);
const ROUNDS = flags.small ? 1 : 3;
const KEPT = 'columns persisted';
const RESCANNED = 'columns deleted, the log rescanned';
const PEERS = [RESCANNED, KEPT] as const;

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const stores = openSqlite(folder);
await fill(stores, sampleEvents(ROWS));
await stores.close();

/** The first answer of a fresh process on the file: milliseconds, the opening of the file not counted. */
function countInFreshProcess(question: number): Promise<{ ns: number; answers: string }> {
  const child = forkProgram('store/first-count', import.meta.url, [folder, String(question)]);
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as { ns: number; answers: string }));
    child.once('exit', () => reject(new Error('the process that counts has ended')));
  });
}

/** Empties the tables of the column index, which only hold what the log says anyway. */
function deleteColumns(): void {
  const database = new Database(join(folder, 'events.db'));
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'column%'";
  const tables = database.prepare<[], { name: string }>(sql).all();
  for (const { name } of tables) database.exec(`DELETE FROM ${name}`);
  database.close();
}

const measures: Measure[] = [];
const ratios: number[] = [];
for (const [question, { name }] of QUESTIONS.entries()) {
  const samples = new Map(PEERS.map((peer) => [peer, [] as number[]]));
  let answers = '';
  for (let round = 0; round < ROUNDS; round++) {
    deleteColumns();
    // The first of each pair rescans the log and leaves the columns that the second reads.
    for (const peer of PEERS) {
      const counted = await countInFreshProcess(question);
      samples.get(peer)?.push(counted.ns);
      if (answers !== '' && answers !== counted.answers)
        throw new Error(`${name}: ${peer} answers otherwise`);
      answers = counted.answers;
    }
  }
  for (const [peer, values] of samples) {
    measures.push({
      question: `first count, ${name}`,
      peer,
      unit: 'ms',
      value: median(values) / 1e6,
      answers,
    });
  }
  ratios.push(median(samples.get(KEPT) ?? []) / median(samples.get(RESCANNED) ?? []));
}
rmSync(folder, { recursive: true });

const what = 'first count after a restart / rescan, median of the questions';
report({
  bench: 'restart',
  settings: { events: ROWS, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : [{ what, ratio: median(ratios), bound: 'at most', target: 0.25 }],
  notes: [],
});
