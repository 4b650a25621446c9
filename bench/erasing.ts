import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { median, readFlags, report, type BenchResult, type Measure } from './harness.ts';
import { forkProgram } from './process.ts';
import { startServe } from './serve.ts';
import { createClient, type Alias } from './streams/client.ts';
import { freshEvents, prepareFile, settle } from './streams/file.ts';

/** One user of many events is erased by a command, while others ask a server and send to it. */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 1_000_000);
const ROUNDS = flags.small ? 1 : 5;
const PAUSE_MS = flags.small ? 200 : 2000;
/** The busiest user of the sample events. */
const USER = 'user_0';

/** The longest and the middle wait of each kind of request, in milliseconds. */
type Waits = ReadonlyMap<string, { readonly longest: number; readonly middle: number }>;

interface Round {
  readonly before: Waits;
  readonly during: Waits;
  /** What the asking process itself was late by at most, in milliseconds. */
  readonly lateMs: number;
  /** What the host took of one core meanwhile, at most, in percent. */
  readonly stolen: number;
  readonly erased: number;
  /** In how many places of the file the user's name stands afterwards, once it was compacted. */
  readonly traces: number;
}

const FILE = 'events.db';
const OWN = 'count of the user';

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
let result: BenchResult;
try {
  const secrets = await prepareFile(folder, ROWS);
  await makeColumns(secrets);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await eraseOnce(secrets));
  result = toResult(rounds);
} finally {
  rmSync(folder, { recursive: true });
}
report(result);

/** Lets a server make in idle time what it keeps in the file: so it is there when each round begins. */
async function makeColumns(secrets: Record<Alias, string>): Promise<void> {
  const server = await startServe({ args: ['--no-access-log'], env: { EVENT_QUERY_DB: join(folder, FILE) } });
  await createClient(server.origin, secrets).countOf('bench', {});
  await settle(server.pid, flags.small);
  await server.end();
}

/** In a copy of the file, so that each round has as much to do as the first. */
async function eraseOnce(secrets: Record<Alias, string>): Promise<Round> {
  const own = join(folder, 'round');
  mkdirSync(own);
  const file = join(own, FILE);
  copyFileSync(join(folder, FILE), file);
  const env = { EVENT_QUERY_DB: file };
  const server = await startServe({ args: ['--no-access-log'], env });
  try {
    const client = createClient(server.origin, secrets);
    const body = { filterSet: [{ property: 'userId', comparison: 'EQUALS', value: USER }] };
    const erased = await client.countOf('bench', body);
    await client.ask('bench', '', { pagination: { size: 1000 } });
    await settle(server.pid, flags.small);
    const asks = createAsks(client, body);
    const before = await watch(asks, () => pause(PAUSE_MS));
    const late = monitorEventLoopDelay({ resolution: 2 });
    late.enable();
    const stolen = watchSteal();
    const during = await watch(asks, async () => {
      await run(env, 'erase', 'bench', '--user', USER, '--yes');
      await pause(PAUSE_MS);
    });
    late.disable();
    const share = stolen();
    for (const count of asks.seen)
      if (count !== 0 && count !== erased) throw new Error('a reader saw some of them');
    await server.end();
    await run(env, 'compact');
    const traces = readFileSync(file).toString('latin1').split(`"${USER}"`).length - 1;
    return { before, during, lateMs: late.max / 1e6, stolen: share, erased, traces };
  } finally {
    await server.end();
    rmSync(own, { recursive: true });
  }
}

/** What is asked meanwhile, and which counts of the user were answered. */
function createAsks(client: ReturnType<typeof createClient>, body: object) {
  const seen = new Set<number>();
  const plans = { filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] };
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    [OWN]: async () => seen.add(await client.countOf('bench', body)),
    probe: client.probe,
    batch: () => client.send('other', freshEvents(5)),
    "other tenant's count": () => client.countOf('other', plans),
  };
  return { seen, kinds };
}

/** How long each kind of request takes while some work is done. */
async function watch({ kinds }: ReturnType<typeof createAsks>, work: () => Promise<unknown>): Promise<Waits> {
  let isDone = false;
  const watching = Object.entries(kinds).map(async ([kind, ask]) => {
    const waits: number[] = [];
    while (!isDone) {
      const start = performance.now();
      await ask();
      waits.push(performance.now() - start);
      await pause(2);
    }
    return [kind, { longest: Math.max(...waits), middle: median(waits) }] as const;
  });
  await work();
  isDone = true;
  return new Map(await Promise.all(watching));
}

/** Notes from when on; what the host has taken of a core since, in percent: of the one that lost most. */
function watchSteal(): () => number {
  const read = () =>
    readFileSync('/proc/stat', 'utf8')
      .split('\n')
      .filter((line) => /^cpu\d/.test(line))
      .map((line) => line.trim().split(/\s+/).slice(1, 9).map(Number));
  const before = read();
  return () => {
    const shares = read().map((ticks, core) => {
      const own = ticks.map((each, i) => each - before[core]![i]!);
      return (
        own[7]! /
        Math.max(
          1,
          own.reduce((sum, each) => sum + each, 0),
        )
      );
    });
    return 100 * Math.max(...shares);
  };
}

async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const child = forkProgram('../adapters/cli/main', import.meta.url, args, env);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args[0]} ended with ${String(code)}`);
}

function toResult(rounds: readonly Round[]): BenchResult {
  const measures: Measure[] = [];
  const note = (question: string, value: number) =>
    measures.push({ question, peer: 'serve', unit: 'ms', value });
  const longestOf = (kind: string) => rounds.map(({ during }) => during.get(kind)!.longest);
  for (const kind of rounds[0]!.before.keys()) {
    note(`the longest ${kind} before`, median(rounds.map(({ before }) => before.get(kind)!.longest)));
    note(`the middle ${kind} while a user is erased`, median(rounds.map((r) => r.during.get(kind)!.middle)));
    note(`the longest ${kind} while a user is erased`, median(longestOf(kind)));
  }
  const others = rounds.map(({ during }) =>
    Math.max(...[...during].filter(([kind]) => kind !== OWN).map(([, { longest }]) => longest)),
  );
  return {
    bench: 'erasing',
    settings: { events: ROWS, erased: rounds[0]!.erased, 'texts of the user left': rounds[0]!.traces },
    measures,
    targets: flags.small
      ? []
      : [
          {
            what: 'one user erased: the longest wait of others / 50 ms',
            ratio: median(others) / 50,
            bound: 'at most',
            target: 1,
          },
          {
            what: 'one user erased: the longest wait of the tenant itself / 50 ms',
            ratio: median(longestOf(OWN)) / 50,
            bound: 'at most',
            target: 1,
          },
        ],
    notes: rounds.map(({ during, lateMs, stolen }, round) => {
      const waits = [...during].map(([kind, { longest }]) => `${kind} ${Math.round(longest)}`);
      const rest = `the client late by ${Math.round(lateMs)}, the host took ${stolen.toFixed(1)} % of a core`;
      return `round ${round + 1}, the longest in ms: ${waits.join(', ')}; ${rest}`;
    }),
  };
}
