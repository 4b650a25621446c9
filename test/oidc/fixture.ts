import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoleRule } from '../../src/index.ts';
import { newPerson, type Person } from './person.ts';
import { startProvider, startServer, type RunningProvider, type RunningServer } from './processes.ts';

/** What the groups of the tests give. */
const ROLES: readonly RoleRule[] = [
  { value: 'admins', role: 'admin', aliases: null },
  { value: 'viewers', role: 'viewer', aliases: null },
  { value: 'mine=admins', role: 'admin', aliases: ['mine'] },
  { value: 'mine viewers', role: 'viewer', aliases: ['mine', 'nobody'] },
  { value: 'other viewers', role: 'viewer', aliases: ['other'] },
  { value: 'of none', role: 'viewer', aliases: ['nobody'] },
];

/** Who is in which group when a test begins. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ada: ['something else', 'admins'],
  eve: ['viewers'],
  bob: ['mine viewers'],
  mia: ['mine=admins', 'other viewers'],
  zoe: ['of none', '<b>\u202e'],
};

/** A provider, two servers on one store, and two tenants, `mine` and `other`. */
export interface World {
  readonly provider: RunningProvider;
  readonly servers: readonly RunningServer[];
  /** The server that the provider sends back to. */
  readonly host: string;
  readonly db: string;
  /** Moves the clock of all servers. */
  advance(ms: number): Promise<void>;
  /** Signs somebody in, in a browser of their own. */
  signIn(name: string): Promise<Person>;
  /** Starts one more server on the store. */
  startServer(more?: { readonly sealingSecret?: string }): Promise<RunningServer>;
  stop(): Promise<void>;
}

/** Starts all of it, on a file or on the PostgreSQL of an address. */
export async function startWorld(address?: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-oidc-'));
  const db = address ?? join(folder, 'events.db');
  const provider = await startProvider();
  let offsetMs = 0;
  const servers: RunningServer[] = [];
  const start: World['startServer'] = async (more = {}) => {
    const server = await startServer({ db, issuer: provider.issuer, roles: ROLES, offsetMs, ...more });
    servers.push(server);
    return server;
  };
  // The first makes the file.
  const { host } = await start();
  await start();
  const uris = servers.map((each) => `http://${each.host}/sign-in`);
  await provider.serve({
    redirectUris: uris,
    logoutUri: `http://${host}/v1/admin/back-channel-logout`,
  });
  await provider.set({ groups: GROUPS });

  const world: World = {
    ...{ provider, servers, host, db },
    startServer: start,
    advance: async (ms) => {
      offsetMs += ms;
      await Promise.all(servers.map((server) => server.advance(ms)));
    },
    signIn: async (name) => {
      await provider.set({ person: name });
      const person = newPerson();
      const { status, json } = await person.signIn(host);
      if (status !== 200) throw new Error(JSON.stringify(json));
      return person;
    },
    stop: async () => {
      await Promise.all([provider, ...servers].map((each) => each.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const ada = await world.signIn('ada');
  for (const alias of ['mine', 'other']) {
    const made = await ada.ask(host, 'tenants/create', { alias, plan: 'growth' });
    if (made.status !== 200) throw new Error(JSON.stringify(made.json));
  }
  return world;
}

/** The secret of a person's session at a host, to be sent to another process that serves the same. */
export function sessionOf(person: Person, host: string): string {
  const found = person.cookies.get(host)?.get(`__Host-event-query-${host.split(':')[1]}`);
  if (found === undefined) throw new Error('there is no session');
  return found;
}

/** Somebody's session at a host, as another process that serves the same is shown it. */
export function alsoAt(person: Person, other: string, at: string): void {
  const name = `__Host-event-query-${other.split(':')[1]}`;
  person.cookies.set(other, new Map([[name, sessionOf(person, at)]]));
}
