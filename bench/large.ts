import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toEventView } from '../src/core/filter/predicate.ts';
import type { Stores } from '../src/index.ts';
import type { StoredEvent } from '../src/store-kit.ts';
import { sampleEvents } from './events.ts';
import { checkAnswers, hashOf, median, now, readFlags, report, type Measure } from './harness.ts';
import { forkProgram } from './process.ts';
import { batchesOf, fill, openAsServe, TENANT, toPeer } from './store/own-peers.ts';
import { bytesBelow } from './store/peer.ts';
import { QUESTIONS } from './store/questions.ts';

/** One large file from its first event to its questions after a restart. */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 10_000 : 10_000_000);
const SMALL_ROWS = Math.min(ROWS, 1_000_000);
const BATCH = 500;
/** What both files take in turn, when they are full. */
const TURN_EVENTS = 10 * BATCH;
const TURNS = flags.small ? 2 : 40;
const ROUNDS = flags.small ? 1 : 6;
/** A minute after ingestion. */
const IDLE_MS = flags.small ? 1500 : 60_000;
const FILLED = 'a minute after the last event';
const REOPENED = 'after a restart';

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const folderOf = (name: string) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
};
const measures: Measure[] = [];

/** How many events answer each question, by its hand-written predicate. */
const expected = QUESTIONS.map(() => 0);
function* counted(events: Iterable<StoredEvent>): Generator<StoredEvent> {
  for (const event of events) {
    const view = toEventView(event);
    for (const [i, { handWritten }] of QUESTIONS.entries()) if (handWritten(view)) expected[i]! += 1;
    yield event;
  }
}

/** The first of some events, of which the others are left for later. */
function* first<T>(events: Iterator<T>, count: number): Generator<T> {
  for (let i = 0; i < count; i++) yield events.next().value as T;
}

/** Stores some batches, each durable before the next: how many events a second. */
async function store({ events }: Stores, batches: readonly (readonly StoredEvent[])[]): Promise<number> {
  const start = now();
  for (const batch of batches) await events.append(TENANT, batch);
  return (batches.length * BATCH) / ((now() - start) / 1e9);
}

/** Fills both files, and then lets them take events in turn: the rates at which they do. */
async function ingest(large: Stores, small: Stores): Promise<number> {
  const files = [
    { stores: large, rows: ROWS, events: counted(sampleEvents(ROWS + TURNS * TURN_EVENTS)) },
    { stores: small, rows: SMALL_ROWS, events: sampleEvents(SMALL_ROWS + TURNS * TURN_EVENTS) },
  ];
  for (const { stores, rows, events } of files) await fill(stores, first(events, rows));
  const rates = files.map(() => [] as number[]);
  for (let turn = 0; turn < TURNS; turn++) {
    const each = [...files.entries()];
    for (const [i, { stores, events }] of turn % 2 === 0 ? each : each.reverse()) {
      rates[i]!.push(await store(stores, [...batchesOf(first(events, TURN_EVENTS), BATCH)]));
    }
  }
  for (const [i, { rows }] of files.entries()) {
    const peer = `a file of ${rows.toLocaleString('en')}`;
    measures.push({ question: 'durable ingestion', peer, unit: 'events/s', value: median(rates[i]!) });
  }
  return median(rates[0]!) / median(rates[1]!);
}

/** Asks each question for the first time, and what the process takes then. */
async function askFirst(stores: Stores): Promise<void> {
  const peer = toPeer(stores);
  for (const question of QUESTIONS) {
    const start = now();
    const answers = hashOf(await peer.count(question));
    const value = (now() - start) / 1e6;
    measures.push({ question: `first count, ${question.name}`, peer: FILLED, unit: 'ms', value, answers });
  }
  measures.push({ question: 'memory', peer: FILLED, unit: 'bytes', value: process.memoryUsage.rss() });
}

/** What a fresh process measures on the file. */
function askReopened(): Promise<readonly Measure[]> {
  const child = forkProgram('store/reopened', import.meta.url, [largeFolder, REOPENED, String(ROUNDS)]);
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as readonly Measure[]));
    child.once('exit', () => reject(new Error('the process that asks has ended')));
  });
}

const [largeFolder, smallFolder] = [folderOf('large'), folderOf('small')];
const [large, small] = [openAsServe(largeFolder), openAsServe(smallFolder)];
const ratio = await ingest(large, small);
await small.close();
await sleep(IDLE_MS);
await askFirst(large);
await large.close();
const bytes = bytesBelow(largeFolder) / (ROWS + TURNS * TURN_EVENTS);
measures.push({ question: 'bytes per event on disk', peer: 'the file', unit: 'bytes', value: bytes });
measures.push(...(await askReopened()));
rmSync(folder, { recursive: true });

for (const [i, { name }] of QUESTIONS.entries()) {
  const counts = { question: `first count, ${name}`, peer: 'hand-written predicates' };
  checkAnswers([{ ...counts, unit: 'ms', value: NaN, answers: hashOf(expected[i]) }, ...measures]);
}
report({
  bench: 'large',
  settings: { events: ROWS, batch: BATCH, turns: TURNS, rounds: ROUNDS, idleMs: IDLE_MS },
  measures,
  targets: flags.small
    ? []
    : [
        {
          what: `durable ingestion, ${ROWS.toLocaleString('en')} events / ${SMALL_ROWS.toLocaleString('en')}`,
          ratio,
          bound: 'at least',
          target: 0.8,
        },
      ],
  notes: [],
});
