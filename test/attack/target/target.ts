import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { joseTokenVerifier } from '../../../adapters/jose/index.ts';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import { createAdmin, type Admin } from '../../../src/index.ts';
import { createFolder } from '../../support/file.ts';
import { startServer } from '../../support/server-process.ts';
import { testResources } from '../../support/resources.ts';

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
  const folder = createFolder();
  const file = folder.file('events.db');
  const resources = testResources();
  const { runtime } = resources;
  const stores = sqliteStores({
    connect: () => new Database(file),
    resources,
  });
  const admin = createAdmin({ stores, runtime, tokens: joseTokenVerifier() });
  await admin.createTenant({ alias: 'mallory', plan: 'custom' });
  await admin.createTenant({ alias: 'victim', plan: 'scale' });
  const key = (await admin.createKey('mallory', { name: 'own', permissions: ['query'] })).secret;
  const victimKey = (await admin.createKey('victim', { name: CANARY, permissions: ['query'] })).secret;

  const server = await startServer({ db: file, args: flags });
  const { origin, port } = server;
  await fill(origin, 'mallory', ownEvents());
  await fill(origin, 'victim', victimEvents());
  return {
    port,
    origin,
    folder: folder.path,
    file,
    admin,
    key,
    victimKey,
    printed: () => server.log.map((line) => JSON.stringify(line)).join('\n'),
    peakBytes: () => Number(/VmHWM:\s+(\d+) kB/.exec(procStatus(server.pid))?.[1] ?? 0) * 1024,
    isRunning: () => server.child.exitCode === null && server.child.signalCode === null,
    stop: async () => {
      await server.stop();
      await stores.close();
      folder.remove();
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
