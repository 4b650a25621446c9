import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';

/** What every bench understands on its command line. */
export interface BenchFlags {
  /** Few rows and rounds, so that CI can run it: it proves that the bench works, not how fast anything is. */
  readonly small: boolean;
  /** How many events the stores hold; undefined for the bench's own number. */
  readonly rows: number | undefined;
  /** The benches to run, all where absent; with `against`, parts of the names of operations. */
  readonly only: readonly string[] | undefined;
  /** Parts of the names of the store bench's peers that are measured, all where absent. */
  readonly peers: readonly string[] | undefined;
  /** The folder of another build, which this one is compared with. */
  readonly against: string | undefined;
}

export function readFlags(args: readonly string[] = process.argv.slice(2)): BenchFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      small: { type: 'boolean' },
      rows: { type: 'string' },
      only: { type: 'string' },
      peers: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const rows = values.rows === undefined ? undefined : Number(values.rows.replaceAll('_', ''));
  if (rows !== undefined && !(Number.isInteger(rows) && rows > 0)) throw new Error('--rows takes a number');
  return {
    small: values.small === true,
    rows,
    only: values.only?.split(','),
    peers: values.peers?.split(','),
    against: values.against,
  };
}

/** One line of a result: what was measured for one peer, in its unit. */
export interface Measure {
  readonly question: string;
  readonly peer: string;
  readonly unit: 'ms' | 'ns' | 'requests/s' | 'events/s' | 'bytes';
  readonly value: number;
  /** Names the answers: peers with one hash gave the same ones. */
  readonly answers?: string;
}

/** A target of the project, and what was reached. */
export interface Target {
  readonly what: string;
  readonly ratio: number;
  readonly bound: 'at most' | 'at least';
  readonly target: number;
}

export interface BenchResult {
  readonly bench: string;
  readonly settings: Readonly<Record<string, number | string>>;
  readonly measures: readonly Measure[];
  readonly targets: readonly Target[];
  /** Peers that were not installed, or questions that a peer cannot answer. */
  readonly notes: readonly string[];
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)], sorted[middle]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}

/** A short name for an answer: equal answers have equal names. */
export function hashOf(answer: unknown): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('hex').slice(0, 12);
}

/** Nanoseconds on a clock that never steps. */
export function now(): number {
  return Number(process.hrtime.bigint());
}

/**
 * Measures peers in turn, so that whatever else the machine does falls on all of them: each round calls every
 * peer's `run` for about `sliceMs`, the next round in reverse order. Returns the median over the rounds of
 * nanoseconds a call.
 */
export function timeInTurn(
  peers: Readonly<Record<string, () => unknown>>,
  { rounds, sliceMs }: { rounds: number; sliceMs: number },
): Map<string, number> {
  const names = Object.keys(peers);
  const calls = new Map(names.map((name) => [name, calibrate(peers[name] as () => unknown, sliceMs)]));
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const run = peers[name] as () => unknown;
      const count = calls.get(name) ?? 1;
      const start = now();
      for (let i = 0; i < count; i++) keep(run());
      samples.get(name)?.push((now() - start) / count);
    }
  }
  return new Map(names.map((name) => [name, median(samples.get(name) ?? [])]));
}

/** As `timeInTurn`, for calls that have to be waited for, one after the other. */
export async function timeInTurnAsync(
  peers: Readonly<Record<string, () => Promise<unknown>>>,
  { rounds, calls }: { rounds: number; calls: number },
): Promise<Map<string, number>> {
  const names = Object.keys(peers);
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const run = peers[name]!;
      const start = now();
      for (let i = 0; i < calls; i++) keep(await run());
      // The round before the first warms up.
      if (round >= 0) samples.get(name)?.push((now() - start) / calls);
    }
  }
  return new Map(names.map((name) => [name, median(samples.get(name) ?? [])]));
}

/** Warms a function up and finds how often it runs in a slice. */
function calibrate(run: () => unknown, sliceMs: number): number {
  const start = now();
  let calls = 0;
  while (now() - start < sliceMs * 2e6 || calls < 3) {
    keep(run());
    calls += 1;
  }
  return Math.max(1, Math.round((calls * sliceMs * 1e6) / (now() - start)));
}

let kept: unknown;

/** Uses a value where the optimiser cannot see that nobody does. */
export function keep(value: unknown): void {
  kept = value;
  if (kept === keep) throw new Error('a bench returned the function that keeps its results');
}

/**
 * A package of `bench/package.json`, or undefined when it is not installed. The name is a variable for the
 * compiler, because the types are checked without these packages too.
 */
export async function loadPeer<T>(name: string): Promise<T | undefined> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Hands a result to whoever ran the bench: to the runner by its channel, to a person on the screen. */
export function report(result: BenchResult): void {
  if (process.send !== undefined) process.send(result);
  else console.log(describeResult(result));
}

/** A result as text for a screen: one row a question, one column a peer. */
export function describeResult(result: BenchResult): string {
  const { bench, settings, targets, notes } = result;
  const lines = [`# ${bench} ${JSON.stringify(settings)}`];
  for (const { peers, rows } of toTables(result)) {
    peers.forEach((peer, i) => lines.push(`  (${i + 1}) ${peer}`));
    lines.push(`${' '.repeat(44)}${peers.map((_, i) => `(${i + 1})`.padStart(9)).join('')}`);
    for (const { question, unit, values } of rows) {
      const cells = values.map((value) => (value === undefined ? '-' : round(value)).padStart(9));
      lines.push(`${`${question}, ${unit}`.padEnd(44)}${cells.join('')}`);
    }
  }
  for (const { what, ratio, bound, target } of targets) {
    lines.push(
      `${isReached(ratio, bound, target) ? 'reached' : 'MISSED '} ${what}: ${round(ratio)}, ` +
        `${bound} ${target}`,
    );
  }
  return [...lines, ...notes.map((note) => `note: ${note}`)].join('\n');
}

/** Whether a ratio keeps to its bound. */
export function isReached(ratio: number, bound: Target['bound'], target: number): boolean {
  return bound === 'at most' ? ratio <= target : ratio >= target;
}

/** The measures of one result that have the same peers. */
export interface Table {
  readonly peers: readonly string[];
  readonly rows: readonly {
    readonly question: string;
    readonly unit: Measure['unit'];
    readonly values: readonly (number | undefined)[];
  }[];
}

/** Sets measures side by side: questions that were put to the same peers share a table. */
export function toTables({ measures }: BenchResult): Table[] {
  const questions = [...new Set(measures.map(({ question }) => question))];
  const tables = new Map<string, { peers: string[]; rows: Table['rows'][number][] }>();
  for (const question of questions) {
    const own = measures.filter((measure) => measure.question === question);
    const peers = own.map(({ peer }) => peer);
    const table = tables.get(peers.join()) ?? { peers, rows: [] };
    tables.set(peers.join(), table);
    table.rows.push({ question, unit: own[0]?.unit ?? 'ms', values: own.map(({ value }) => value) });
  }
  return [...tables.values()];
}

/** Three significant digits. */
export function round(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

/** Throws unless all peers gave the same answers to each question. */
export function checkAnswers(measures: readonly Measure[]): void {
  const answers = new Map<string, Measure>();
  for (const measure of measures) {
    if (measure.answers === undefined) continue;
    const first = answers.get(measure.question) ?? measure;
    answers.set(measure.question, first);
    if (first.answers !== measure.answers) {
      throw new Error(`${measure.question}: ${measure.peer} does not answer what ${first.peer} does`);
    }
  }
}
