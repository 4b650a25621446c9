import { afterAll, beforeAll, beforeEach } from 'vitest';
import { launchChromium, type Browser, type Context } from '../support/chromium.ts';
import type { TestTenant } from '../support/file.ts';
import type { Gate, Passed } from './gate.ts';
import { startWebPage, type WebPage } from './web-page.ts';
import { startWorld, type StoredEvent, type World } from './world.ts';

/** What the tests of an SDK share, with a tenant for each of them. */
export interface Suite {
  readonly world: World;
  readonly gate: Gate;
  readonly tenant: TestTenant;
}

/** The same for a web SDK, with a context of Chromium for each test. */
export interface WebSuite extends Suite {
  /** The page that loads the SDK. */
  readonly site: WebPage;
  readonly context: Context;
  /** The origins that the browser has asked. */
  readonly hosts: Set<string>;
  /** What pages said as errors. */
  readonly errors: string[];
}

type Filled<T> = { -readonly [Name in keyof T]: T[Name] };

/** Starts a world before the tests of a file. `eventsIn` is that of `startWorld`. */
export function useWorld(eventsIn: (passed: Passed) => readonly StoredEvent[]): Suite {
  const suite = {} as Filled<Suite>;
  beforeAll(async () => {
    suite.world = await startWorld(eventsIn);
    suite.gate = suite.world.gate;
  });
  afterAll(() => suite.world.stop());
  beforeEach(async () => {
    suite.tenant = await suite.world.createTenant();
  });
  return suite;
}

/** Starts Chromium and a page too. `script` is the module that the page runs, which imports the SDK. */
export function useWebSdk(script: string, eventsIn: (passed: Passed) => readonly StoredEvent[]): WebSuite {
  const suite = useWorld(eventsIn) as Filled<WebSuite>;
  let browser: Browser;
  beforeAll(async () => {
    suite.site = await startWebPage(script);
    browser = await launchChromium(new URL('package.json', import.meta.url));
  });
  afterAll(async () => {
    await browser.close();
    suite.site.close();
  });
  beforeEach(async () => {
    const context = await browser.newContext();
    suite.context = context;
    suite.hosts = new Set();
    suite.errors = [];
    context.on('request', (request) => suite.hosts.add(new URL(request.url()).origin));
    context.on('console', (message) => message.type() === 'error' && suite.errors.push(message.text()));
    context.on('weberror', (error) => suite.errors.push(error.error().message));
    return () => context.close();
  });
  return suite;
}
