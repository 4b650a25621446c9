import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf, median, now, type Measure } from '../harness.ts';
import { ask } from './ask.ts';
import { openAsServe, toPeer } from './own-peers.ts';
import { QUESTIONS } from './questions.ts';

/** Opens a file as a restarted server does, asks each question for the first time and then some rounds. */
const [folder = '', peer = '', rounds = '1'] = process.argv.slice(2);
const KINDS = ['count', 'first page', 'page at 50,000'] as const;
const TURN = 'longest turn of the event loop meanwhile';
/** How often the event loop is looked at, in milliseconds: as much is never late. */
const LOOK_MS = 1;

const measures: Measure[] = [];
const tell = (question: string, value: number, answers?: string) =>
  measures.push({ question, peer, unit: 'ms', value, ...(answers === undefined ? {} : { answers }) });

/** How long something takes, and the longest that the event loop is held up meanwhile. */
async function watch<T>(work: () => Promise<T>) {
  const late = monitorEventLoopDelay({ resolution: LOOK_MS });
  late.enable();
  await sleep(2 * LOOK_MS);
  const start = now();
  const answer = await work();
  const ms = (now() - start) / 1e6;
  await sleep(2 * LOOK_MS);
  late.disable();
  return { answer, ms, turnMs: Math.max(0, late.max / 1e6 - LOOK_MS) };
}

const all = QUESTIONS.findIndex(({ name }) => name === 'all');
const start = now();
const asked = toPeer(openAsServe(folder));
await ask(asked, 'count', all, false);
tell('opening, and the count of all', (now() - start) / 1e6);
for (const [question, { name }] of QUESTIONS.entries()) {
  const { answer, ms } = await watch(() => ask(asked, 'count', question, false));
  tell(`first count, ${name}`, ms, hashOf(answer));
}
tell('first page of all', (await watch(() => ask(asked, 'first page', all, false))).ms);
for (const kind of KINDS) {
  for (const [question, { name }] of QUESTIONS.entries()) {
    const seen = [];
    for (let round = 0; round < Number(rounds); round++) {
      seen.push(await watch(() => ask(asked, kind, question, true)));
    }
    tell(`${kind}, ${name}`, median(seen.map(({ ms }) => ms)));
    const turnMs = Math.min(...seen.map((round) => round.turnMs));
    measures.push({ question: `${kind}, ${name}`, peer: TURN, unit: 'ms', value: turnMs });
  }
}
measures.push({ question: 'memory', peer, unit: 'bytes', value: process.memoryUsage.rss() });
process.send?.(measures);
await asked.close();
process.disconnect();
