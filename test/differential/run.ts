import * as fc from 'fast-check';
import { parseArgs } from 'node:util';
import { newTenantId } from '../conformance/runner.ts';
import { answersOf, type Answer } from './answers.ts';
import { definedStore } from './definition.ts';
import { casesOf, examplesOf, readKinds, type Example } from './examples.ts';
import { openAll, type Asked } from './stores.ts';

/** `EVENT_QUERY_SEED`, as for the other random tests; by chance where none is named. */
const SEED = process.env.EVENT_QUERY_SEED ?? String(Math.floor(Math.random() * 0x7fff_ffff));

/**
 * Asks all stores the same questions about the same events, and the definition too: `npm run differential --
 * --cases 100000`; `--seed N` asks the same again, `--shards` asks two shards of ClickHouse too. Of five
 * cases one is of any kind, as `examples.ts` lists them, and four are counts that ClickHouse is asked a
 * hundred at a time. `--only measure,sequence` asks these kinds alone, without counts.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    only: { type: 'string' },
    shards: { type: 'boolean', default: false },
    seed: { type: 'string', default: SEED },
  },
});
const cases = Number(values.cases);
const only = values.only === undefined ? undefined : readKinds(values.only);
const examples = examplesOf(only);
const seed = Number(values.seed);

/** How many examples one call of fast-check makes. */
const CHUNK = 2;
/** How many wrong answers are shown. */
const SHOWN_MAX = 10;

const definition = definedStore();
const spent = new Map<string, number>();
let wrong = 0;
let compared = 0;

async function timed({ name, store }: Asked, tenantId: string, example: Example): Promise<Answer[]> {
  const start = performance.now();
  const answers = await answersOf(store, tenantId, example);
  spent.set(name, (spent.get(name) ?? 0) + performance.now() - start);
  return answers;
}

async function compare(asked: readonly Asked[], example: Example, place: string): Promise<void> {
  const tenantId = newTenantId();
  const expected = await answersOf(definition, tenantId, example);
  await definition.drop(tenantId);
  const check = async (one: Asked) => {
    const answers = await timed(one, tenantId, example);
    answers.forEach(({ to, text }, i) => {
      if (text === expected[i]?.text) return;
      wrong += 1;
      if (wrong > SHOWN_MAX) return;
      console.log(`WRONG   ${one.name} (${place}): ${to}\n  is     ${text}\n  should ${expected[i]?.text}`);
    });
    compared += answers.length;
  };
  await Promise.all(asked.map(check));
}

/** Whoever ends the run gets what was compared so far, and no engine stays behind. */
const stopping = new AbortController();
const isStopped = () => stopping.signal.aborted;
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort());

console.log(`seed ${seed}`);
const asked = await openAll(values);
try {
  for (let done = 0, from = seed; done < cases && !isStopped(); from++) {
    for (const [i, example] of fc.sample(examples, { seed: from, numRuns: CHUNK }).entries()) {
      if (done >= cases || isStopped()) break;
      await compare(asked, example, `seed ${from}, example ${i}`);
      done += casesOf(only);
    }
    console.log(`${done} cases, ${wrong} wrong answers`);
  }
} finally {
  for (const { close } of asked) await close();
}
for (const [name, ms] of spent) console.log(`${name.padEnd(12)}${(ms / 1000).toFixed(1)} s`);
console.log(
  `${compared} answers of ${asked.length} stores were compared: ${asked.map(({ name }) => name).join(', ')}`,
);
console.log(`\n${Math.max(0, compared - wrong)} passed, ${wrong} failed`);
process.exitCode = wrong === 0 && !isStopped() ? 0 : 1;
