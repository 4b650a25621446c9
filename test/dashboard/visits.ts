import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtCli } from '../support/built.ts';
import {
  launchChromium,
  launchFirefox,
  type Context,
  type ContextOptions,
  type Page,
} from '../support/chromium.ts';
import { createFolder } from '../support/file.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';

/** How a server is started for visits. */
export interface VisitsOptions {
  readonly command?: 'serve' | 'demo';
  /** What is done with the file before the server has it. */
  readonly prepare?: (db: string) => Promise<unknown>;
  /** What is done once the server listens. */
  readonly furnish?: (server: ServerProcess) => Promise<unknown>;
}

/** A server and a browser, and whoever visits. */
export interface Visits {
  readonly server: ServerProcess;
  readonly db: string;
  /**
   * A tab of somebody who is signed in as the owner, at a place such as `#/keys/shop`; `restMs` is how long
   * it was open before they went there.
   */
  open(place: string, options?: ContextOptions, restMs?: number): Promise<Visitor>;
  /** A tab of somebody who is not signed in. */
  stranger(options?: ContextOptions): Promise<Visitor>;
  /** A link that signs in once, as the command prints it. */
  printLink(): string;
  /** Closes all tabs; what their pages did that no page may do. */
  leave(): Promise<string[]>;
  close(): Promise<void>;
}

/** Somebody at a browser of their own. */
export interface Visitor {
  readonly page: Page;
  readonly context: Context;
  /** A refusal that is asked for: the browser's word of it is no complaint. */
  readonly expects: (refusal: RegExp) => void;
}

/** What is listened for in every page: what the policy of its content refused, and what moved by itself. */
const WATCH = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('refused by policy', violatedDirective, blockedURI, sample));
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput)
        moved.push({ value, what: sources.map(({ node }) => node?.className || node?.nodeName) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** What moves by itself may add up to this much: less than half of what is called good. */
const MOVED_MAX = 0.04;

/** Something that moved without having been asked to, and how much of what is seen it was. */
interface Moved {
  readonly value: number;
  readonly what: readonly string[];
}

/** Chromium, and whoever uses it; no page may ask another origin than those of `isOwn`. */
export async function openBrowser(isOwn: (origin: string) => boolean) {
  const launch = process.env.EVENT_QUERY_BROWSER === 'firefox' ? launchFirefox : launchChromium;
  const browser = await launch(new URL('package.json', import.meta.url));
  const complaints: { readonly text: string; readonly expected: readonly RegExp[] }[] = [];
  const contexts = new Set<Context>();

  async function stranger(options: ContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    contexts.add(context);
    const expected: RegExp[] = [];
    const complain = (text: string) => complaints.push({ text, expected });
    await context.addInitScript(WATCH);
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complain(message.text());
    });
    context.on('weberror', (error) => complain(String(error.error())));
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (!isOwn(origin) && protocol !== 'blob:') complain(`asked ${request.url()}`);
    });
    return { page: await context.newPage(), context, expects: (refusal) => expected.push(refusal) };
  }

  async function leave(): Promise<string[]> {
    for (const context of contexts) {
      await context.close();
    }
    contexts.clear();
    return complaints
      .splice(0)
      .filter(({ text, expected }) => !expected.some((each) => each.test(text)))
      .map(({ text }) => text);
  }

  return { stranger, leave, close: () => browser.close() };
}

/** Starts a server and Chromium, and signs somebody in. Throws an Error where there is no Chromium. */
export async function startVisits({ command = 'serve', prepare, furnish }: VisitsOptions): Promise<Visits> {
  const folder = createFolder();
  const db = folder.file('events.db');
  await prepare?.(db);
  const server = await startServer({ db, command, args: command === 'serve' ? ['--dashboard'] : [] });
  const { stranger, leave, close } = await openBrowser((origin) => origin === server.origin);

  function printLink(): string {
    const words = ['dashboard', 'link', '--db', db, '--port', String(server.port)];
    return linkIn(execFileSync(process.execPath, [builtCli(), ...words], { encoding: 'utf8' }).split('\n'));
  }

  await furnish?.(server);
  const owner = await stranger();
  await signIn(owner.page, printLink());
  const signedIn = await owner.context.storageState();
  return {
    server,
    db,
    stranger,
    printLink,
    leave,
    open: async (place, options = {}, restMs = 0) => {
      const visitor = await stranger({ storageState: signedIn, ...options });
      if (restMs > 0) await sleep(restMs);
      await visitor.page.goto(`${server.origin}/dashboard${place}`);
      return visitor;
    },
    close: async () => {
      await close();
      await server.stop();
      folder.remove();
    },
  };
}

/** The link among printed lines. Throws an Error where there is none. */
export function linkIn(lines: readonly string[]): string {
  const found = lines.map((line) => /^dashboard: (\S+)$/.exec(line)?.[1]).find((link) => link !== undefined);
  if (found === undefined) throw new Error(`no link in ${JSON.stringify(lines)}`);
  return found;
}

/** What moved on a page though nobody had asked for anything; nothing where all had its room. */
export async function movedOn(page: Page): Promise<readonly Moved[]> {
  const moved = await page.evaluate<readonly Moved[]>('globalThis.moved');
  return moved.reduce((sum, { value }) => sum + value, 0) > MOVED_MAX ? moved : [];
}

/** Opens a link and signs in by it. */
export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}
