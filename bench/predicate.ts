import { createRequire } from 'node:module';
import type { CountBody, JsonObject } from '../src/index.ts';
import { compilePredicate, parseCountBody, type EventQuery, type EventView } from '../src/store-kit.ts';
import { sampleViews } from './events.ts';
import { checkAnswers, hashOf, loadPeer, now, median, readFlags, report, timeInTurn } from './harness.ts';
import type { Measure, Target } from './harness.ts';
import { PREDICATE_CASES, type PredicateCase } from './predicate-cases.ts';

type Predicate = (event: EventView) => boolean;
/** Compiles a case for one peer; its cold time is what `compile` takes. */
type Compile = (filter: PredicateCase) => Predicate;

const flags = readFlags();
const EVENTS = flags.small ? 2000 : 20_000;
const ROUNDS = flags.small ? 3 : 21;
const SLICE_MS = flags.small ? 5 : 30;

const events = sampleViews(EVENTS);
const queryOf = ({ body }: PredicateCase): EventQuery => parseCountBody(body);

const own: Record<string, Compile> = {
  'hand-written': ({ handWritten }) => handWritten,
  'compiled, generated': (filter) => compilePredicate(queryOf(filter), { codeGeneration: true }),
  'compiled, closures': (filter) => compilePredicate(queryOf(filter), { codeGeneration: false }),
};

async function loadLibraries(): Promise<Record<string, Compile>> {
  const sift = await loadPeer<{ default: unknown }>('sift');
  const mingo = await loadPeer<{ Query: new (query: JsonObject) => { test(event: unknown): boolean } }>(
    'mingo',
  );
  const ucast = await loadPeer<{ guard: (query: JsonObject) => Predicate }>('@ucast/mongo2js');
  const logic = await loadPeer<{ default: { apply(rule: unknown, data: unknown): unknown } }>(
    'json-logic-js',
  );
  const libraries: Record<string, Compile> = {};
  if (sift !== undefined) {
    // In CommonJS the function itself is the module, which an import wraps once more.
    const create = createRequire(import.meta.url)('sift') as { default: (query: JsonObject) => Predicate };
    libraries.sift = ({ mongo }) => create.default(mongo);
  }
  if (mingo !== undefined) {
    libraries.mingo = ({ mongo }) => {
      const query = new mingo.Query(mongo);
      return (event) => query.test(event);
    };
  }
  if (ucast !== undefined) libraries['@ucast/mongo2js'] = ({ mongo }) => ucast.guard(mongo);
  if (logic !== undefined) {
    libraries['json-logic-js'] =
      ({ jsonLogic }) =>
      (event) =>
        Boolean(logic.default.apply(jsonLogic, event));
  }
  return libraries;
}

/** One loop for all peers: like a scan of a log, it calls whatever predicate it was given. */
function countMatching(predicate: Predicate): number {
  let count = 0;
  for (const event of events) if (predicate(event)) count += 1;
  return count;
}

function measureCompile(): Measure[] {
  return PREDICATE_CASES.flatMap(({ name, body }) => {
    const text = JSON.stringify(body);
    const times = timeInTurn(
      {
        'JSON.parse of the body': () => JSON.parse(text) as unknown,
        'parse the query': () => parseCountBody(JSON.parse(text) as CountBody),
      },
      { rounds: ROUNDS, sliceMs: SLICE_MS / 3 },
    );
    const question = `${name}: compile`;
    const query = parseCountBody(body);
    return [
      ...[...times].map(([peer, value]): Measure => ({ question, peer, unit: 'ns', value })),
      ...[true, false].map((codeGeneration): Measure => {
        const peer = `compile, ${codeGeneration ? 'generated' : 'closures'}`;
        return { question, peer, unit: 'ns', value: timeCompile(query, codeGeneration) };
      }),
    ];
  });
}

/** Compiles a query and asks the new predicate once. */
function timeCompile(query: EventQuery, codeGeneration: boolean): number {
  const samples = Array.from({ length: 400 }, () => {
    const start = now();
    compilePredicate(query, { codeGeneration })(events[0]!);
    return now() - start;
  });
  return median(samples);
}

async function run(): Promise<void> {
  const libraries = await loadLibraries();
  const measures: Measure[] = [];
  const targets: Target[] = [];
  for (const filter of PREDICATE_CASES) {
    const compiled = Object.entries({ ...own, ...libraries }).map(
      ([peer, compile]) => [peer, compile(filter)] as const,
    );
    const times = timeInTurn(
      Object.fromEntries(compiled.map(([peer, predicate]) => [peer, () => countMatching(predicate)])),
      { rounds: ROUNDS, sliceMs: SLICE_MS },
    );
    for (const [peer, predicate] of compiled) {
      const answers = hashOf(events.filter(predicate).map(({ insertId }) => insertId));
      const value = (times.get(peer) ?? NaN) / events.length;
      measures.push({ question: filter.name, peer, unit: 'ns', value, answers });
    }
    const of = (peer: string) => times.get(peer) ?? NaN;
    const add = (what: string, ratio: number, bound: Target['bound'], target: number) =>
      targets.push({ what: `${filter.name}: ${what}`, ratio, bound, target });
    add('generated / hand-written', of('compiled, generated') / of('hand-written'), 'at most', 1.2);
    const fastest = Math.min(...Object.keys(libraries).map(of));
    if (Number.isFinite(fastest)) {
      add('fastest library / generated', fastest / of('compiled, generated'), 'at least', 15);
      add('fastest library / closures', fastest / of('compiled, closures'), 'at least', 5);
    }
  }
  checkAnswers(measures);
  report({
    bench: 'predicate',
    settings: { events: EVENTS, rounds: ROUNDS },
    measures: [...measures, ...measureCompile()],
    targets: flags.small ? [] : targets,
    notes: Object.keys(libraries).length === 4 ? [] : ['some libraries are missing: npm ci --prefix bench'],
  });
}

await run();
