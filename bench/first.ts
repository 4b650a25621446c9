import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { memoryStores } from '../adapters/memory/index.ts';
import { nodeResources } from '../adapters/node-http/index.ts';
import { createEngine } from '../src/index.ts';
import type { StoredEvent } from '../src/store-kit.ts';
import {
  checkAnswers,
  hashOf,
  median,
  now,
  readFlags,
  report,
  type Measure,
  type Target,
} from './harness.ts';
import { forkProgram } from './process.ts';
import { fill, openSqlite, TENANT } from './store/own-peers.ts';
import { FIRST_QUESTIONS, unorderedEvents, type FirstQuestion } from './store/first-questions.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 40_000 : 1_000_000);
const ROUNDS = flags.small ? 1 : 5;
const INSTANTS = flags.small ? [365] : [ROWS, ROWS / 200, 365];
/** Below this, a person sees no difference, and the process itself takes as long. */
const FEW_MS = 20;
const BOUND = 1.5;
const [SQLITE, SQL, MEMORY, LOOP] = [
  'event-query, SQLite',
  'SQL by hand on the same file',
  'event-query, memory',
  'a loop by hand',
];

interface Timed {
  readonly ns: number;
  readonly answers: string;
}

/** The first answer of a fresh process. */
function askFresh(folder: string, question: number): Promise<Timed> {
  const child = forkProgram('store/first-question', import.meta.url, [folder, String(question)]);
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Timed));
    child.once('exit', () => reject(new Error('the process that asks has ended')));
  });
}

/** The first answer of a store in memory, and that of a loop over the same events. */
async function askInMemory(
  events: readonly StoredEvent[],
  question: FirstQuestion,
): Promise<{ asked: Timed; looped: Timed }> {
  const resources = nodeResources();
  const stores = memoryStores({ resources });
  await fill(stores, events);
  const tenant = createEngine({ events: stores.events, resources }).tenant(TENANT);
  const begun = now();
  const found = await question.ask(tenant);
  const asked = { ns: now() - begun, answers: hashOf(found) };
  await stores.close();
  const start = now();
  const answer = question.byHand(events);
  return { asked, looped: { ns: now() - start, answers: hashOf(answer) } };
}

/** The same by SQL on a new connection. */
function askByHand(file: string, { sql }: FirstQuestion): Timed {
  const database = new Database(file, { readonly: true });
  const log = database.prepare('SELECT number FROM logs').pluck().get();
  const start = now();
  const rows = database.prepare(sql).all(log) as { answer?: number; insert_id?: string }[];
  const ns = now() - start;
  database.close();
  return { ns, answers: hashOf(rows[0]?.answer ?? rows.map((row) => row.insert_id)) };
}

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const samples = new Map<string, { measure: Omit<Measure, 'value'>; values: number[] }>();
function note(question: string, peer: string, { ns, answers }: Timed): void {
  const key = `${question} ${peer}`;
  const known = samples.get(key) ?? { measure: { question, peer, unit: 'ms', answers }, values: [] };
  known.values.push(ns / 1e6);
  samples.set(key, known);
}

for (const instants of INSTANTS) {
  const [full, copy] = [join(folder, 'full'), join(folder, 'copy')];
  for (const each of [full, copy]) mkdirSync(each);
  const stores = openSqlite(full);
  const events = [...unorderedEvents(ROWS, instants)];
  await fill(stores, events);
  await stores.close();
  for (const [place, question] of FIRST_QUESTIONS.entries()) {
    const name = `${question.name}, ${instants.toLocaleString('en')} instants`;
    for (let round = 0; round < ROUNDS; round++) {
      // A process may store what it has built, and the next would not be the first.
      copyFileSync(join(full, 'events.db'), join(copy, 'events.db'));
      note(name, SQL, askByHand(join(copy, 'events.db'), question));
      note(name, SQLITE, await askFresh(copy, place));
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(copy, `events.db${suffix}`), { force: true });
    }
    const { asked, looped } = await askInMemory(events, question);
    note(name, MEMORY, asked);
    note(name, LOOP, looped);
  }
  for (const each of [full, copy]) rmSync(each, { recursive: true });
}
rmSync(folder, { recursive: true });

const measures = [...samples.values()].map(({ measure, values }) => ({ ...measure, value: median(values) }));
checkAnswers(measures);
const valueOf = (question: string, peer: string) =>
  measures.find((measure) => measure.question === question && measure.peer === peer)!.value;
const targets: Target[] = [
  { peer: SQLITE, byHand: SQL },
  { peer: MEMORY, byHand: LOOP },
].map(({ peer, byHand }) => {
  const questions = [...new Set(measures.map(({ question }) => question))];
  const ratios = questions.map(
    (question) => valueOf(question, peer) / Math.max(valueOf(question, byHand), FEW_MS / BOUND),
  );
  const what = `${peer} / by hand, at least ${FEW_MS} ms for ${BOUND}, the worst`;
  return { what, ratio: Math.max(...ratios), bound: 'at most', target: BOUND };
});
report({
  bench: 'first',
  settings: { events: ROWS, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});
