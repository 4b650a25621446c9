import { ApiError, type Admin, type Stores } from '../../../src/index.ts';
import { isSecret } from '../../../src/core/access/key.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { startTestServer, type LogEntry, type TestServer } from '../../support/test-server.ts';
import { USER } from './samples.ts';

/** How a tenant takes events in. */
const KINDS = ['open', 'server', 'token', 'page', 'small'] as const;
export type Kind = (typeof KINDS)[number];

/** A tenant that is attacked. */
export interface Prey {
  readonly kind: Kind;
  readonly alias: string;
  readonly id: string;
  /** A key for queries, a secret for ingestion, and a public write key. */
  readonly query: string;
  readonly ingest: string;
  readonly write: string;
  /** How many events it has to have. */
  stored: number;
}

/** The access token of `USER`, and one that is not valid. */
export const TOKEN = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl${'A'.repeat(40)}`;
export const BAD_TOKEN = `${TOKEN}B`;

/** What the tenant `small` takes in a minute. */
const SMALL = { eventsPerMinute: 12, bytesPerMinute: 40_000 };

/** The page for which the keys of `page` are valid, and the one name of its events. */
export const ORIGIN = 'https://shop.example';
export const PAGE_EVENT = 'Paid';

/** A server with the tenants of each lane. */
export interface Arena {
  readonly server: TestServer;
  /** Makes the tenants of a lane. */
  createPrey(lane: string): Promise<Prey[]>;
  /** How many events a tenant has, by its store. */
  count(prey: Prey): Promise<number>;
  /** The line of the log about a request, taken out of it; undefined where there is none. */
  takeLine(requestId: string): LogEntry['fields'] | undefined;
  /** Whether anything was taken from the limits of a tenant since the last time. */
  hasPaid(prey: Prey): boolean;
  /** What is wrong with the log since the last time. */
  takeFaults(): string[];
}

const everything = parseCountBody({});

/** Notes in `paid` whose limits gave something away. */
function noting({ limits }: Stores, paid: Set<string>): Stores['limits'] {
  return {
    take: async (id, windows, cost) => {
      const state = await limits.take(id, windows, cost);
      if (state.allowed && cost !== 0) paid.add(id);
      return state;
    },
    erase: (ids) => limits.erase(ids),
  };
}

/** Starts the server. It hears a valid token as `USER`'s. */
export async function openArena(): Promise<Arena> {
  const paid = new Set<string>();
  const server = await startTestServer({
    accessLog: true,
    wrapStores: (stores) => ({ ...stores, limits: noting(stores, paid) }),
    tokens: {
      verify: (token) =>
        token === TOKEN ? Promise.resolve(USER) : Promise.reject(new ApiError('invalidToken')),
    },
  });
  const { admin, log, stores } = server;
  const lines = new Map<string, LogEntry['fields']>();
  const secrets: string[] = [TOKEN];
  let faults: string[] = [];

  /** Sorts what was logged, so that the log never grows. */
  function sort(): void {
    for (const { level, fields, message } of log.entries.splice(0)) {
      const text = JSON.stringify(fields, (_, value: unknown) =>
        value instanceof Error ? value.stack : value,
      );
      if (level === 'error') faults.push(`the log has the error ${message}: ${text.slice(0, 2_000)}`);
      faults.push(...tellsIn(text, secrets).map((secret) => `the log tells ${secret}: ${text}`));
      if (message === 'request') lines.set(fields.requestId as string, fields);
    }
  }

  return {
    server,
    createPrey: async (lane) => {
      const all: Prey[] = [];
      for (const kind of KINDS) {
        const prey = await createTenant(admin, kind, `${lane}-${kind}`);
        secrets.push(prey.query, prey.ingest);
        all.push(prey);
      }
      return all;
    },
    count: ({ id }) => stores.events.count(id, everything),
    hasPaid: ({ id }) => paid.delete(id),
    takeLine: (requestId) => {
      sort();
      const line = lines.get(requestId);
      lines.delete(requestId);
      return line;
    },
    takeFaults: () => {
      sort();
      const taken = faults;
      faults = [];
      return taken;
    },
  };
}

/** The secrets that a text tells, each by its beginning: whole, or without some characters at an end. */
export function tellsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => text.includes(secret.slice(8, -8))).map((secret) => secret.slice(0, 12));
}

async function createTenant(admin: Admin, kind: Kind, alias: string): Promise<Prey> {
  const { id } = await admin.createTenant({
    alias,
    plan: 'custom',
    limits: null,
  });
  const jwt = {
    issuer: 'i',
    audience: 'a',
    jwksUrl: 'https://id.example/keys',
  };
  const authStrategy =
    kind === 'token' ? 'JWT' : kind === 'server' || kind === 'page' ? 'SERVER_SIDE' : 'NONE';
  await admin.updateTenant(alias, {
    jwt,
    authStrategy,
    ingestion: kind === 'small' ? SMALL : null,
  });
  const create = async (permission: 'query' | 'ingest' | 'write') => {
    const free = { eventsPerMinute: 100_000_000, eventsPerDay: 100_000_000 };
    const narrow = { origins: [ORIGIN], eventNames: [PAGE_EVENT], ...free };
    const restrictions = kind === 'page' ? narrow : { origins: ['*'], ...free };
    const options = { name: permission, permissions: [permission] };
    const { secret, key } = await admin.createKey(
      alias,
      permission === 'write' ? { ...options, restrictions } : options,
    );
    if (!isSecret(secret, permission)) throw new Error('a key of another form');
    // Only the public key opens this tenant, so that nothing but what it allows may be stored.
    if (kind === 'page' && permission === 'ingest') await admin.revokeKey(alias, key.id);
    return secret;
  };
  const keys = {
    query: await create('query'),
    ingest: await create('ingest'),
    write: await create('write'),
  };
  return { kind, alias, id, ...keys, stored: 0 };
}
