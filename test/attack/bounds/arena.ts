import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { builtCli } from '../../support/built.ts';
import { createFolder, type TestTenant } from '../../support/file.ts';
import { defectsIn, startServer, type ServerProcess } from '../../support/server-process.ts';
import { quantile } from '../live/report.ts';
import { startOrdinary, type OrdinaryReport } from './ordinary-client.ts';

/** What an attack says of itself when it is over. */
export interface Outcome {
  /** How much was sent, in words with figures. */
  readonly size: string;
  /** What became of it, such as statuses with their numbers. */
  readonly answers: string;
  /** What must not have happened, and did. */
  readonly wrong: readonly string[];
}

/** A server with default limits, an ordinary tenant on it, and what an attack needs to make others. */
export interface Arena {
  readonly db: string;
  /** A path in the folder of the database. */
  readonly file: (name: string) => string;
  /** The server as it runs now. */
  readonly server: () => ServerProcess;
  /** Runs a command on the database; what it printed. */
  readonly cli: (...args: string[]) => Promise<string>;
  /** Makes a tenant without limits, unless flags of `tenant create` say others, and a key for queries. */
  readonly tenant: (alias: string, ...flags: string[]) => Promise<TestTenant>;
  /** Stops the server and starts it again on the same file. */
  readonly restart: () => Promise<void>;
  /** Starts to measure the ordinary tenant, which is done from the beginning unless an attack prepares. */
  readonly measure: () => Promise<void>;
  /** The server's time on processors so far, in seconds. */
  readonly cpuSeconds: () => number;
  /** How long the ordinary tenant's median count takes now, in milliseconds. */
  readonly medianCountMs: () => Promise<number>;
}

/** An attack on a server. */
export interface LiveAttack {
  /** A short name, by which it can be asked for. */
  readonly name: string;
  readonly what: string;
  /** Whether the attack fills a store first and says itself when the ordinary tenant begins. */
  readonly prepares?: boolean;
  readonly serveFlags?: readonly string[];
  /** Whether nobody reads what the server logs. */
  readonly unread?: boolean;
  run(arena: Arena, options: { readonly quick: boolean }): Promise<Outcome>;
}

/** What an attack did to the server and to the ordinary tenant. */
export interface Measured {
  readonly name: string;
  readonly what: string;
  readonly size: string;
  readonly answers: string;
  readonly slowestMs: number;
  /** The slowest of each kind, in words. */
  readonly slowestOf: string;
  readonly peakMiB: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly lagMs: number;
  readonly wrong: readonly string[];
}

/** The promise of the README: what the process may take, and how long others may wait. */
const MEMORY_MIB_MAX = 1024;
const WAIT_MS_MAX = Number(process.env.ATTACK_WAIT_MS ?? 250);
/** On a shared machine of CI only those defects show that make others wait for many seconds. */
const QUICK_WAIT_MS_MAX = Number(process.env.ATTACK_WAIT_MS ?? 8000);

/** Said of a tenant whose ingestion is limited although its attack prepares others. */
export const DEFAULT_LIMITS = '--default-limits';

const run = promisify(execFile);

/** Runs an attack on a server of its own. */
export async function measureAttack(attack: LiveAttack, quick: boolean): Promise<Measured> {
  const folder = createFolder();
  const db = folder.file('events.db');
  const cli: Arena['cli'] = async (...args) => {
    const { stdout } = await run(process.execPath, [builtCli(), ...args, '--db', db]);
    return stdout.trim();
  };
  const knowsIngestion = (await cli('tenant', 'create', '--help')).includes('--ingestion');
  const tenant: Arena['tenant'] = async (alias, ...flags) => {
    const plan = flags.includes('--plan') ? [] : ['--plan', 'custom'];
    // What is stored beforehand is not what is tried: a limit would make minutes of it.
    const prepared = attack.prepares === true && !flags.includes(DEFAULT_LIMITS);
    const ingestion = prepared && knowsIngestion ? ['--ingestion', 'none'] : [];
    const own = flags.filter((flag) => flag !== DEFAULT_LIMITS);
    await cli('tenant', 'create', alias, ...plan, ...ingestion, ...own);
    const secret = await cli('key', 'create', alias, '--name', 'k', '--permission', 'query');
    return { alias, secret };
  };
  const start = () => startServer({ db, args: attack.serveFlags ?? [], unread: attack.unread ?? false });
  const shop = await tenant('shop');
  let server = await start();
  let peakBefore = 0;
  await fillOrdinary(server.origin, shop.alias);
  const begin = () => startOrdinary({ origin: server.origin, ...shop, sends: true });
  let ordinary = attack.prepares === true ? undefined : await begin();
  const reports: OrdinaryReport[] = [];
  const pauseOrdinary = async () => {
    if (ordinary !== undefined) reports.push(await ordinary.stop());
    ordinary = undefined;
  };
  const arena: Arena = {
    db,
    file: (name) => folder.file(name),
    server: () => server,
    cli,
    tenant,
    restart: async () => {
      const measured = ordinary !== undefined;
      await pauseOrdinary();
      peakBefore = Math.max(peakBefore, peakMiBOf(server.pid));
      await server.stop();
      server = await start();
      if (measured) ordinary = await begin();
    },
    measure: async () => {
      ordinary ??= await begin();
    },
    cpuSeconds: () => cpuSecondsOf(server.pid),
    medianCountMs: async () => {
      const alone = await begin();
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return quantile((await alone.stop()).counts, 0.5);
    },
  };
  try {
    const outcome = await attack.run(arena, { quick });
    await pauseOrdinary();
    const wrong = [...outcome.wrong];
    const alive = server.child.exitCode === null && server.child.signalCode === null;
    if (!alive) wrong.push('THE SERVER HAS ENDED');
    const peakMiB = Math.max(peakBefore, alive ? peakMiBOf(server.pid) : 0);
    if (alive) wrong.push(...(await afterwards(server, db, shop.alias, reports)));
    const defects = defectsIn(server.log);
    if (defects.length > 0)
      wrong.push(`${defects.length} defects in the log: ${JSON.stringify(defects[0]).slice(0, 300)}`);
    return judge(attack, outcome, reports, peakMiB, wrong, quick);
  } finally {
    await pauseOrdinary().catch(() => undefined);
    await server.stop('SIGKILL');
    folder.remove();
  }
}

function judge(
  { name, what }: LiveAttack,
  { size, answers }: Outcome,
  reports: readonly OrdinaryReport[],
  peakMiB: number,
  wrong: string[],
  quick: boolean,
): Measured {
  const refused: Record<string, number> = {};
  for (const report of reports) {
    for (const [reason, times] of Object.entries(report.refused))
      refused[reason] = (refused[reason] ?? 0) + times;
  }
  const slowest = (of: (report: OrdinaryReport) => number) => Math.max(0, ...reports.map(of));
  const count = slowest(({ counts }) => Math.max(0, ...counts));
  const send = slowest(({ sends }) => Math.max(0, ...sends));
  const health = slowest(({ healths }) => Math.max(0, ...healths));
  const newcomer = slowest(({ newcomers }) => Math.max(0, ...newcomers));
  const stolen = slowest(({ slowestStolenMs }) => slowestStolenMs);
  const slowestMs = Math.max(count, send, health, newcomer);
  const slowestOf =
    `count ${Math.round(count)}, send ${Math.round(send)}, health ${Math.round(health)}, ` +
    `newcomer's send ${Math.round(newcomer)} ms` +
    (stolen > 0 ? `, ${Math.round(stolen)} ms while the host took processors` : '');
  const lagMs = slowest((report) => report.lagMs);
  const waitMax = quick ? QUICK_WAIT_MS_MAX : WAIT_MS_MAX;
  if (slowestMs > waitMax + lagMs) {
    wrong.push(`an ordinary request waited ${Math.round(slowestMs)} ms, where ${waitMax} are promised`);
  }
  const refusals = Object.entries(refused).map(([reason, times]) => `${reason} (${times})`);
  if (refusals.length > 0) wrong.push(`ordinary requests failed: ${refusals.slice(0, 5).join(', ')}`);
  if (peakMiB > MEMORY_MIB_MAX)
    wrong.push(`memory reached ${Math.round(peakMiB)} MiB, where ${MEMORY_MIB_MAX} are promised`);
  return { name, what, size, answers, slowestMs, slowestOf, peakMiB, refused, lagMs, wrong };
}

/** What is wrong with the server when the attack is over: it serves, and has all that it acknowledged. */
async function afterwards(
  server: ServerProcess,
  db: string,
  alias: string,
  reports: readonly OrdinaryReport[],
): Promise<string[]> {
  const wrong: string[] = [];
  const health = await fetch(`${server.origin}/healthz`, { signal: AbortSignal.timeout(30_000) }).catch(
    (error: unknown) => ({ status: String(error) }),
  );
  if (health.status !== 200) wrong.push(`/healthz afterwards: ${health.status}`);
  const acknowledged = Math.max(0, ...reports.map((report) => report.acknowledged));
  const { stdout } = await run(process.execPath, [builtCli(), 'tenant', 'show', alias, '--json', '--db', db]);
  const { events } = JSON.parse(stdout) as { events: number };
  if (events < ORDINARY_EVENTS + acknowledged)
    wrong.push(`${ORDINARY_EVENTS + acknowledged - events} acknowledged events are lost`);
  return wrong;
}

const ORDINARY_EVENTS = 1000;

async function fillOrdinary(origin: string, alias: string): Promise<void> {
  const events = Array.from({ length: ORDINARY_EVENTS }, (_, i) => ({
    eventName: i % 2 === 0 ? 'seen' : 'bought',
    userId: `user-${i % 50}`,
    properties: { amount: i },
  }));
  const answer = await fetch(`${origin}/v1/events/${alias}/multi`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(events),
  });
  if (answer.status !== 200) throw new Error(`cannot fill: ${await answer.text()}`);
}

function peakMiBOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Clock ticks of Linux, of which there are 100 a second on every machine that Node runs on. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The size of a file in MiB; 0 where there is none. */
export function mebibytesOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1_048_576;
}
