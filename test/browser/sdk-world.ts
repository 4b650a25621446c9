import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { builtCli } from '../support/built.ts';
import { launchChromium, type Browser, type Context, type Page } from '../support/chromium.ts';
import { createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { startServer } from '../support/server-process.ts';
import { fetchAll, sorted } from '../support/traffic.ts';
import { LOADED, startPages } from './pages.ts';
import { startRecorder, type Exchange, type Recorder } from './recorder.ts';

/** An event as it was sent or stored, without what the server adds. */
export interface PlainEvent {
  readonly eventName: string;
  readonly userId: string;
  readonly properties: unknown;
}

/** A page of the tests, and what its browser said of it. */
export interface Visit {
  readonly page: Page;
  readonly context: Context;
  /** What the console shows as an error or a warning, failed requests, and errors that nobody caught. */
  readonly complaints: readonly string[];
}

/** A server, a recorder in front of it, pages of another origin, and Chromium. */
export interface SdkWorld {
  readonly db: string;
  /** The server's own address. */
  readonly origin: string;
  readonly recorder: Recorder;
  createTenant(): Promise<TestTenant>;
  /** Lets a tenant take events and questions with tokens of `issuer` for `audience`, signed by a key. */
  setJwt(tenant: TestTenant, publicKeyPem: string): void;
  /** Opens a page that has loaded an SDK, by an address with this query string. */
  visit(sdk: keyof typeof LOADED, queryString?: string): Promise<Visit>;
  /** The requests of a tenant so far, without preflights. */
  requestsOf(tenant: TestTenant): readonly Exchange[];
  stored(tenant: TestTenant): Promise<PlainEvent[]>;
  stop(): Promise<void>;
}

/** Starts all of it. */
export async function startSdkWorld(): Promise<SdkWorld> {
  const folder = createFolder();
  const db = folder.file('events.db');
  await createTenant(db, 'first');
  const server = await startServer({ db });
  const recorder = await startRecorder(server.origin);
  const pages = await startPages(recorder.origin);
  const browser: Browser = await launchChromium(new URL('package.json', import.meta.url));
  let tenants = 0;
  return {
    db,
    origin: server.origin,
    recorder,
    createTenant: () => createTenant(db, `shop-${(tenants += 1)}`),
    setJwt: ({ alias }, publicKeyPem) => {
      const key = folder.file(`${alias}.pem`);
      writeFileSync(key, publicKeyPem);
      const settings = ['--jwt-issuer', 'issuer', '--jwt-audience', 'audience', '--jwt-public-key', key];
      const args = ['tenant', 'set', alias, '--auth', 'JWT', ...settings, '--db', db];
      execFileSync(process.execPath, [builtCli(), ...args], { stdio: 'ignore' });
    },
    visit: async (sdk, queryString = '') => {
      const context = await browser.newContext();
      const complaints: string[] = [];
      context.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(error.error().message));
      context.on('response', (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
      });
      context.on('requestfailed', (request) => complaints.push(`failed ${request.url()}`));
      const page = await context.newPage();
      await page.goto(`${pages.origin}/${LOADED[sdk]}${queryString}`);
      return { page, context, complaints };
    },
    requestsOf: ({ alias }) =>
      recorder.exchanges.filter(
        ({ method, path }) => method !== 'OPTIONS' && path.split('/').includes(alias),
      ),
    stored: async (tenant) =>
      (await fetchAll(server.origin, tenant)).map(({ eventName, userId, properties }) => ({
        eventName,
        userId,
        properties,
      })),
    stop: async () => {
      await browser.close();
      pages.close();
      recorder.close();
      await server.stop();
      folder.remove();
    },
  };
}

/** An event as a text that is the same when it is sent and when it comes back. */
export function toText({ eventName, userId, properties }: PlainEvent): string {
  return JSON.stringify([eventName, userId, sorted(properties ?? {})]);
}

/** What a request should have become: the events of a batch, or the event of the other paths. */
function expectedOf({ path, body }: Pick<Exchange, 'path' | 'body'>): PlainEvent[] {
  if (path.endsWith('/multi')) return JSON.parse(body) as PlainEvent[];
  if (path.endsWith('/properties')) {
    const { userId, ...properties } = JSON.parse(body) as { userId: string };
    return [{ eventName: 'user_properties_set', userId, properties }];
  }
  const { sessionId, timestamp, ...properties } = JSON.parse(body) as {
    sessionId: string;
    timestamp: number;
  };
  if (!Number.isInteger(timestamp)) throw new Error('a snapshot without its time');
  return [{ eventName: 'page_snapshot_taken', userId: sessionId, properties }];
}

/** A request that a page has handed to the browser. */
interface Handed {
  /** Its events, as they should be stored. */
  readonly events: readonly PlainEvent[];
  /** Whether a server saw it, or the page had its answer. */
  readonly hasArrived: boolean;
}

/** What a page has handed to the browser so far; `page` shares its storage. */
export async function handedBy(page: Page, seen: readonly Exchange[]): Promise<Handed[]> {
  const text = await page.evaluate<string>("localStorage.getItem('handed') ?? '[]'");
  const arrived = new Set(seen.map(({ body }) => body));
  return (JSON.parse(text) as { path: string; body: string; isAnswered: boolean }[]).map((each) => ({
    events: expectedOf(each),
    hasArrived: each.isAnswered || arrived.has(each.body),
  }));
}
