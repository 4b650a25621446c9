import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Debian's Chromium by playwright-core, which test/browser and test/dashboard install for themselves: what
 * they use of it is said here, so that the types of the repository hold without those packages.
 */

/**
 * Where Debian puts it. The shell draws no windows around pages, and so needs half the time for each; what
 * stands in /usr/bin for it is a script, which ends without it.
 */
const INSTALLED = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];

/** Where Chromium is: `CHROMIUM`, or what is installed. */
export const CHROMIUM =
  process.env.CHROMIUM ?? INSTALLED.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** It runs as root, without a screen, and asks no host for news of itself. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long anything of a page is waited for: a busy machine is no reason to fail. */
const WAIT_MS = 100_000;

interface Role {
  readonly name?: string | RegExp;
  readonly exact?: boolean;
  readonly selected?: boolean;
}

/** Where something is looked for: a page, or what was found on it. */
export interface Finder {
  locator(selector: string, options?: { readonly hasText?: string | RegExp }): Locator;
  getByRole(role: string, options?: Role): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
}

/** Something on a page, looked for again each time that it is used. */
export interface Locator extends Finder {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  check(): Promise<void>;
  hover(): Promise<void>;
  focus(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  innerText(): Promise<string>;
  allInnerTexts(): Promise<string[]>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  or(other: Locator): Locator;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  filter(options: { readonly hasText: string | RegExp }): Locator;
  waitFor(options?: { readonly state: 'attached' | 'detached' | 'visible' | 'hidden' }): Promise<void>;
  boundingBox(): Promise<Box | null>;
}

/** Where something stands on a page, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A tab. */
export interface Page extends Finder {
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
  };
  readonly mouse: {
    move(x: number, y: number, options?: { readonly steps: number }): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
  };
  goto(url: string): Promise<Response | null>;
  reload(): Promise<Response | null>;
  goBack(): Promise<unknown>;
  url(): string;
  frames(): Frame[];
  content(): Promise<string>;
  evaluate<T>(script: string): Promise<T>;
  waitForEvent(event: 'download'): Promise<Download>;
  /** Has its way with the requests of a pattern, such as to let them wait. */
  route(url: string | RegExp, handle: (route: Route) => Promise<void>): Promise<unknown>;
  waitForResponse(matches: (response: Response) => boolean): Promise<Response>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(media: {
    readonly colorScheme?: 'light' | 'dark';
    readonly forcedColors?: 'active' | 'none';
    readonly media?: 'print' | 'screen';
  }): Promise<void>;
  on(event: 'dialog', listener: (dialog: BrowserDialog) => void): void;
  screenshot(options: {
    readonly path?: string;
    readonly fullPage?: boolean;
    readonly clip?: Box;
  }): Promise<Buffer>;
  close(options?: { readonly runBeforeUnload: boolean }): Promise<void>;
}

/** A request that a test has in hand. */
export interface Route {
  continue(): Promise<void>;
  /** Lets it fail as if there were no server. */
  abort(): Promise<void>;
  /** Answers it instead of the server. */
  fulfill(answer: { readonly status: number; readonly body: string }): Promise<void>;
}

/** What the browser itself asks, such as whether a page may be left. */
interface BrowserDialog {
  type(): string;
  accept(): Promise<void>;
  dismiss(): Promise<void>;
}

/** A file that a page saves. */
export interface Download {
  path(): Promise<string>;
  suggestedFilename(): string;
}

/** A request that the browser makes. */
export interface Request {
  method(): string;
  url(): string;
  headers(): Readonly<Record<string, string | undefined>>;
  postData(): string | null;
  failure(): { readonly errorText: string } | null;
}

/** What it was answered with. */
export interface Response {
  request(): Request;
  status(): number;
  url(): string;
  text(): Promise<string>;
  headers(): Readonly<Record<string, string>>;
}

/** A document on a page: its own, or that of a frame. */
export interface Frame {
  url(): string;
  evaluate<T>(script: string): Promise<T>;
}

/** Tabs that share cookies, as those of one person do. */
export interface Context {
  newPage(): Promise<Page>;
  pages(): Page[];
  on(event: 'request' | 'requestfailed', listener: (request: Request) => void): void;
  on(event: 'response', listener: (response: Response) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'weberror', listener: (error: { error(): Error }) => void): void;
  waitForEvent(
    event: 'request' | 'requestfailed',
    options: { readonly predicate: (request: Request) => boolean },
  ): Promise<Request>;
  addInitScript(script: string): Promise<unknown>;
  cookies(): Promise<readonly Cookie[]>;
  addCookies(cookies: readonly object[]): Promise<void>;
  clearCookies(): Promise<void>;
  storageState(): Promise<object>;
  newCDPSession(page: Page): Promise<Debugging>;
  grantPermissions(permissions: readonly string[]): Promise<void>;
  setOffline(isOffline: boolean): Promise<void>;
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

/** A cookie as the browser keeps it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: string;
  readonly path: string;
}

/** The protocol of the browser's own tools. */
export interface Debugging {
  send(method: string, parameters?: object): Promise<unknown>;
}

/** How a context is made. */
export interface ContextOptions {
  readonly storageState?: object;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce';
  readonly deviceScaleFactor?: number;
  readonly hasTouch?: boolean;
}

/** A browser. */
export interface Browser {
  newContext(options?: ContextOptions): Promise<Context>;
  close(): Promise<void>;
}

interface Launcher {
  launch(options: object): Promise<Browser>;
  launchPersistentContext(folder: string, options: object): Promise<Context>;
}

interface Playwright {
  readonly chromium: Launcher;
  readonly firefox: Launcher;
}

/** What of a test's folder is missing for a browser, in words; nothing where all is there. */
export function missingForChromium(packageFile: URL): string | undefined {
  if (!existsSync(CHROMIUM)) return `Chromium at ${CHROMIUM}; install it with: apt-get install chromium`;
  if (existsSync(new URL('node_modules/playwright-core', packageFile))) return undefined;
  const folder = new URL('.', packageFile).pathname;
  return `package below ${folder}; install it with: npm ci --prefix ${folder}`;
}

/** Starts a browser with the packages of a test's folder. Throws an Error that says what is missing. */
export async function launchChromium(packageFile: URL): Promise<Browser> {
  return withPatience(await playwrightOf(packageFile).chromium.launch({ ...LAUNCH }));
}

/** Where Debian puts the Firefox that it maintains. */
const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** The same with Firefox, by WebDriver BiDi, so that it may be any Firefox. */
export async function launchFirefox(packageFile: URL): Promise<Browser> {
  const options = { ...{ channel: 'moz-firefox', executablePath: FIREFOX }, timeout: WAIT_MS };
  return withPatience(await playwrightOf(packageFile).firefox.launch(options));
}

function withPatience(browser: Browser): Browser {
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(WAIT_MS);
      return context;
    },
    close: () => browser.close(),
  };
}

/** The same with a profile in a folder, which outlives its pages. */
export function launchProfile(packageFile: URL, folder: string): Promise<Context> {
  return playwrightOf(packageFile).chromium.launchPersistentContext(folder, { ...LAUNCH });
}

const LAUNCH = { executablePath: CHROMIUM, headless: true, args: FLAGS, timeout: WAIT_MS };

function playwrightOf(packageFile: URL): Playwright {
  const missing = missingForChromium(packageFile);
  if (missing !== undefined) throw new Error(`NOT TRIED: there is no ${missing}`);
  return createRequire(packageFile)('playwright-core') as Playwright;
}
