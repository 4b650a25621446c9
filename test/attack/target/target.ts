import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { nodeRuntime } from '../../../adapters/node-http/index.ts';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import { createAdmin, PLANS, type Admin, type Plan } from '../../../src/index.ts';

/** What the other tenant has, all of it: no answer to anybody else may contain it. */
export const CANARY = 'canary-5b1f0c7e';
/** How many events the attacking tenant has. */
export const OWN_EVENTS = 20;

/**
 * A server as `serve` starts it, in a process of its own, with a tenant that attacks and one that is
 * attacked.
 */
export interface Target {
  readonly port: number;
  readonly origin: string;
  /** The folder of its file. */
  readonly folder: string;
  readonly file: string;
  /** Works on the file beside the server, as the commands do. */
  readonly admin: Admin;
  /** The attacker's own key for queries; its tenant has the alias `mallory` and no limits. */
  readonly key: string;
  /** The key of the tenant `victim`. */
  readonly victimKey: string;
  /** Everything that the server has printed, log included. */
  printed(): string;
  /** The largest memory that the process has had, in bytes. */
  peakBytes(): number;
  isRunning(): boolean;
  stop(): Promise<void>;
}

const UNLIMITED: Plan = { name: 'custom', queryApi: true, limits: null };
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

async function fill(origin: string, alias: string, events: readonly object[]): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(events);
  const answer = await fetch(`${origin}/v1/events/${alias}/multi`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`cannot fill ${alias}: ${await answer.text()}`);
}

const instant = (i: number) => new Date(Date.UTC(2024, 4, 1) + i * 60_000).toISOString();

function ownEvents(): object[] {
  return Array.from({ length: OWN_EVENTS }, (_, i) => ({
    eventName: i % 2 === 0 ? 'opened' : 'closed',
    userId: `u${i}`,
    eventTs: instant(i),
    insertId: `own-${i}`,
    properties: { n: i, text: `text ${i}`, nested: { flag: i % 3 === 0 } },
  }));
}

function victimEvents(): object[] {
  return Array.from({ length: 5 }, (_, i) => ({
    eventName: CANARY,
    userId: CANARY,
    eventTs: instant(i),
    insertId: `${CANARY}-${i}`,
    properties: { text: CANARY, [CANARY]: i },
  }));
}

/** Starts a server in a process of its own; `flags` go to `serve`. */
export async function startTarget(flags: readonly string[] = ['--log-level', 'trace']): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-attack-'));
  const file = join(folder, 'events.db');
  const runtime = nodeRuntime();
  const stores = sqliteStores({
    connect: () => new Database(file),
    clock: runtime,
  });
  const admin = createAdmin({ stores, runtime });
  await admin.createTenant({ alias: 'mallory', plan: UNLIMITED });
  await admin.createTenant({ alias: 'victim', plan: PLANS.scale });
  const key = (await admin.createKey('mallory', { name: 'own', permissions: ['query'] })).secret;
  const victimKey = (await admin.createKey('victim', { name: CANARY, permissions: ['query'] })).secret;

  const args = ['--import', 'tsx', 'adapters/cli/main.ts', '--db', file, 'serve', '--port', '0', ...flags];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const lines = createInterface(child.stdout);
  const listening = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      printed += `${line}\n`;
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the server did not start: ${printed}`)));
  });
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const origin = await listening;
  await fill(origin, 'mallory', ownEvents());
  await fill(origin, 'victim', victimEvents());
  return {
    port: Number(new URL(origin).port),
    origin,
    folder,
    file,
    admin,
    key,
    victimKey,
    printed: () => printed,
    peakBytes: () => Number(/VmHWM:\s+(\d+) kB/.exec(procStatus(child.pid))?.[1] ?? 0) * 1024,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      await stores.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Empty where the system does not tell. */
function procStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
