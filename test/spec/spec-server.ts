import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { joseTokenVerifier } from '../../adapters/jose/index.ts';
import { createNodeServer } from '../../adapters/node-http/index.ts';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { createAdmin, createApi, type Admin } from '../../src/index.ts';
import type { PlanName } from '../../src/store-kit.ts';
import { testResources } from '../support/resources.ts';

/** A real server on a real file, with a clock that stands still until a test moves it. */
export interface SpecServer {
  /** The spec's `{base_url}`. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly admin: Admin;
  /** Moves the server's clock. */
  advance(seconds: number): void;
  /** The server's clock in epoch milliseconds. */
  now(): number;
  /** Makes a tenant with a key for queries; the key's secret. */
  createTenant(alias: string, plan?: PlanName): Promise<string>;
  /** Sends events without credentials. */
  send(alias: string, events: readonly object[], headers?: Record<string, string>): Promise<Response>;
  /** POSTs a JSON body below the base address. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the whole service as `serve` does, on a free port. */
export async function startSpecServer(): Promise<SpecServer> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-spec-'));
  let nowMs = Date.now();
  const now = () => nowMs;
  const resources = testResources({ runtime: { now } });
  const { runtime } = resources;
  const connect = () => new Database(join(folder, 'events.db'));
  const stores = sqliteStores({ connect, resources });
  const tokens = joseTokenVerifier({ now });
  const admin = createAdmin({ stores, runtime, tokens });
  const api = createApi({ stores, tokens, resources });
  const server = createNodeServer({ api });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${port}`;
  const baseUrl = `${origin}/v1/api/query`;
  const json = { 'Content-Type': 'application/json' };
  return {
    baseUrl,
    origin,
    admin,
    advance: (seconds) => {
      nowMs += seconds * 1000;
    },
    now,
    createTenant: async (alias, plan = 'scale') => {
      await admin.createTenant({ alias, plan });
      return (await admin.createKey(alias, { name: 'spec', permissions: ['query'] })).secret;
    },
    send: (alias, events, headers = {}) =>
      fetch(`${origin}/v1/events/${alias}/multi`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: JSON.stringify(events),
      }),
    post: (path, body, headers = {}) =>
      fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(`${baseUrl}${path}`, { headers }),
    close: async () => {
      await server.close();
      await stores.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A key pair for access tokens, the public half as PEM. */
export function createSigner(): { readonly privateKey: KeyObject; readonly publicKeyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}
