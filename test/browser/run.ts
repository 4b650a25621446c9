/**
 * The web SDKs as a browser runs them, against the built server: `npm run browser`. Every event that a page
 * hands to the browser has to be stored, those of a page that is left among them; every request and its
 * answer is printed. It wants Chromium (`CHROMIUM`, or Debian's) and this folder's packages; without
 * them it says so and fails.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { launchProfile, missingForChromium, type Page } from '../support/chromium.ts';
import { createFolder, removeUsedFolder } from '../support/file.ts';
import { startServer } from '../support/server-process.ts';
import { fetchAll, sorted } from '../support/traffic.ts';
import { createTenants } from './tenants.ts';
import { RETRIED, SENDER, startPages, WAYS, type Way } from './pages.ts';
import { startRecorder, type Exchange } from './recorder.ts';
import { toTable } from './table.ts';
import { tryWriteKey, WRITTEN } from './write-key.ts';

/** An event as a page handed it to the browser. */
interface Handed {
  readonly via: string;
  readonly path: string;
  readonly body: string;
  /** Whether the page has had the answer of a fetch. */
  readonly isAnswered: boolean;
}

const PACKAGES = new URL('package.json', import.meta.url);
const missing = missingForChromium(PACKAGES);
if (missing !== undefined) {
  console.log(`NOT TRIED: there is no ${missing}\n\n0 passed, 1 failed`);
  process.exit(1);
}

/** What must be among what a page sends, or the test has missed it. */
const EXPECTED: Readonly<Record<Way, readonly string[]>> = {
  'analytics-web': ['page_view', '_grain_heartbeat', '_grain_session_end by beacon', 'bought by'],
  tag: ['page_view', '_grain_session_end by beacon', 'bought by'],
  plain: ['left by beacon', 'left_as_json by beacon', 'no_cors by fetch', 'bought by beacon'],
};

/** How many events of a way Chromium may forget while its pages are left, see tryWay. */
const FORGOTTEN_AT_MOST = 2;
/** What of it a page sends when it is left. */
const AT_END = /^(left|_grain_session_end)/;
/** How long anything is waited for. */
const PATIENCE_MS = 30_000;

let passed = 0;
let failed = 0;
function check(what: string, holds: boolean, found: string): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? 'ok    ' : 'FAILED'}  ${what}: ${found}`);
}

const folder = createFolder();
const db = folder.file('events.db');
const tenants = createTenants(db, [...WAYS, RETRIED, SENDER, WRITTEN]);
const server = await startServer({ db });
const recorder = await startRecorder(server.origin);
const pages = await startPages(recorder.origin);
const profile = mkdtempSync(join(tmpdir(), 'event-query-chromium-'));
const context = await launchProfile(PACKAGES, profile);
const refused: string[] = [];
const made = new Map<Way, readonly Exchange[]>();
context.on('requestfailed', (request) => {
  refused.push(
    `${request.method()} ${new URL(request.url()).pathname}: ${request.failure()?.errorText ?? ''}`,
  );
});

try {
  for (const way of WAYS) await tryWay(way);
  await tryRetry();
  await trySender();
  await tryWriteKey(
    { context, db, server: server.origin, api: recorder.origin, site: pages.origin },
    tenants,
    check,
  );
} finally {
  await context.close();
  pages.close();
  recorder.close();
  await server.stop();
  folder.remove();
  await removeUsedFolder(profile);
}
console.log(`\nEvery request that the pages made, and its answer:\n\n${toTable(made)}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Visits a page twice: once it is left by a link, once its tab is closed. */
async function tryWay(way: Way): Promise<void> {
  const seen = recorder.exchanges.length;
  const first = await context.newPage();
  await visit(first, way);
  await first.goto(`${pages.origin}/empty`);
  const second = await context.newPage();
  await visit(second, way);
  // The last event is tracked at the moment of leaving: only the beacon can bring it.
  await second.evaluate('bought()');
  await second.close({ runBeforeUnload: true });
  // It is closed when it has done what it does at its end.
  await until(() => !context.pages().includes(second));
  const { sent, stored } = await readBoth(first, way);
  await first.evaluate('localStorage.clear()');
  await first.close();
  console.log(`\n${way}: every request and its answer`);
  for (const exchange of recorder.exchanges.slice(seen)) console.log(`  ${toLine(exchange)}`);
  for (const reason of refused.splice(0)) console.log(`  the browser says: ${reason}`);
  made.set(way, recorder.exchanges.slice(seen));
  const left = [...stored];
  const missing = sent.filter(({ text }) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  const names = new Map<string, number>();
  for (const name of sent.map(toName)) names.set(name, (names.get(name) ?? 0) + 1);
  console.log(`  handed: ${[...names].map(([name, times]) => `${name} (${times})`).join(', ')}`);
  // What is sent while a page is left needs a preflight of its own, and Chromium now and then forgets what
  // should follow it, or the last beacon of a tab that closes: such an event never comes to a server, which
  // could do nothing for it.
  const arrived = recorder.exchanges.slice(seen).flatMap(eventsIn);
  for (const { text } of sent.filter((each) => !missing.includes(each))) {
    const at = arrived.indexOf(text);
    if (at !== -1) arrived.splice(at, 1);
  }
  const forgotten = missing
    .filter(({ isAnswered, text }) => !isAnswered && !arrived.includes(text) && allowed(seen))
    .slice(0, FORGOTTEN_AT_MOST);
  console.log(`  forgotten by Chromium while a page was left: ${forgotten.length}`);
  const lost = missing.filter((each) => !forgotten.includes(each)).map(toName);
  check(
    `${way}: every event that the page handed to the browser is stored`,
    lost.length === 0 && sent.length > forgotten.length,
    `${sent.length} handed, ${stored.length} stored${lost.length > 0 ? `, lost: ${lost.join(', ')}` : ''}`,
  );
  check(`${way}: nothing is stored that was not sent`, left.length === 0, `${left.length} more`);
  for (const wanted of EXPECTED[way]) {
    const times = [...names].filter(([name]) => name.startsWith(wanted)).length;
    check(`${way}: sends ${wanted}`, times > 0, times > 0 ? 'yes' : 'no');
  }
}

/**
 * Clicks four times; the first batch has the beginning of the session too. The answer to the third click is
 * lost, after the server has stored its event, so the browser sends it again. Who sees the requests cannot
 * tell which of them were meant: they are the same.
 */
async function tryRetry(): Promise<void> {
  const seen = recorder.exchanges.length;
  const isBought = (text: string) => toName({ via: '', isAnswered: true, text }).startsWith('bought');
  const sent = () => recorder.exchanges.slice(seen).filter((each) => eventsIn(each).some(isBought));
  const page = await context.newPage();
  await page.goto(`${pages.origin}/${RETRIED}`);
  for (const click of [1, 2, 3, 4]) {
    if (click === 3) recorder.loseAnswer();
    const before = sent().length;
    await page.evaluate('bought()');
    // The browser sends the lost one again by itself.
    await until(() => sent().length === before + (click === 3 ? 2 : 1));
  }
  await page.close();
  const stored = (await fetchAll(server.origin, tenants[RETRIED])).map(toText).filter(isBought);
  const requests = new Set(
    sent()
      .slice(1)
      .map(({ headers, body }) => `${headers}\n\n${body}`),
  );
  console.log(`\n${RETRIED}: 4 clicks, 1 answer lost, ${sent().length} requests`);
  check(
    'retried: what comes again is the same as what was meant once more, and is stored',
    sent().length === 5 && requests.size === 1 && stored.length === 5,
    `${requests.size} different requests, ${stored.length} events stored`,
  );
}

/**
 * A page with a sender is used, hidden, and left in both ways; one answer is lost. Every event that was
 * appended is stored once, however often the browser sends it.
 */
async function trySender(): Promise<void> {
  const seen = recorder.exchanges.length;
  const first = await context.newPage();
  await first.goto(`${pages.origin}/${SENDER}`);
  recorder.loseAnswer();
  await first.evaluate('bought()');
  await until(() => recorder.exchanges.slice(seen).filter((each) => eventsIn(each).length > 0).length > 1);
  // More than the browser lets outlive a page: the sender divides it.
  await first.evaluate("for (let i = 0; i < 40; i++) track('large', { text: 'x'.repeat(10000) })");
  await first.evaluate('sender.flush()');
  const reported = await first.evaluate<string[]>('reported');
  await first.evaluate('bought()');
  await first.goto(`${pages.origin}/${SENDER}`);
  await first.evaluate('bought()');
  await first.goto(`${pages.origin}/empty`);
  const second = await context.newPage();
  await second.goto(`${pages.origin}/${SENDER}`);
  await second.evaluate('bought()');
  await second.close({ runBeforeUnload: true });
  await until(() => !context.pages().includes(second));
  let [appended, stored]: [number, readonly number[]] = [0, []];
  await until(async () => {
    appended = Number(await first.evaluate<string>("localStorage.getItem('appended')"));
    const events = await fetchAll(server.origin, tenants[SENDER]);
    stored = events.map(({ properties }) => (properties as { n: number }).n).sort((a, b) => a - b);
    return stored.length >= appended;
  });
  const sent = recorder.exchanges.slice(seen);
  console.log(`\n${SENDER}: every request and its answer`);
  for (const exchange of sent) console.log(`  ${toLine(exchange)}: ${eventsIn(exchange).length} events`);
  for (const reason of refused.splice(0)) console.log(`  the browser says: ${reason}`);
  const lost = Array.from({ length: appended }, (_, n) => n).filter((n) => !stored.includes(n));
  check(
    'sender: every event that the page appended is stored once',
    appended > 40 && isDeepStrictEqual(stored, [...stored.keys()]) && lost.length === 0,
    `${appended} appended, ${stored.length} stored${lost.length > 0 ? `, lost: ${lost.join(', ')}` : ''}`,
  );
  check('sender: nothing is reported', reported.length === 0, reported.join('; ') || 'nothing');
  const preflights = sent.filter(({ method }) => method === 'OPTIONS').length;
  check('sender: it needs no preflight', preflights === 0, `${preflights}`);
}

/** The events of a request that the server has seen. */
function eventsIn({ method, path, body }: Exchange): string[] {
  return method === 'POST' && path.endsWith('/multi') ? (JSON.parse(body) as object[]).map(toText) : [];
}

/** Whether every preflight since then allows the pages' origin what it asks for. */
function allowed(seen: number): boolean {
  return recorder.exchanges
    .slice(seen)
    .filter(({ method }) => method === 'OPTIONS')
    .every(
      ({ status, origin, answer }) => status === 204 && answer['access-control-allow-origin'] === origin,
    );
}

interface Sent extends Pick<Handed, 'via' | 'isAnswered'> {
  readonly text: string;
}

/** What pages have handed to the browser so far; `page` shares their storage. */
async function readHanded(page: Page): Promise<Sent[]> {
  const handed = await page.evaluate<string>("localStorage.getItem('handed') ?? '[]'");
  return (JSON.parse(handed) as Handed[])
    .filter(({ path }) => path.endsWith('/multi'))
    .flatMap(({ via, isAnswered, body }) =>
      (JSON.parse(body) as object[]).map((event) => ({ via, isAnswered, text: toText(event) })),
    );
}

/** What was handed to the browser, and what is stored, as soon as that is the same. */
async function readBoth(page: Page, way: Way): Promise<{ sent: Sent[]; stored: string[] }> {
  let sent: Sent[] = [];
  let stored: string[] = [];
  await until(async () => {
    sent = await readHanded(page);
    stored = (await fetchAll(server.origin, tenants[way])).map(toText);
    return isDeepStrictEqual([...stored].sort(), sent.map(({ text }) => text).sort());
  });
  return { sent, stored };
}

/** Goes to a page, buys there, and stays until it has handed over what no end of a page brings. */
async function visit(page: Page, way: Way): Promise<void> {
  await page.goto(`${pages.origin}/${way}`);
  await page.locator('#buy').click();
  await sleep(2500);
  const wanted = EXPECTED[way].filter((name) => !AT_END.test(name));
  await until(async () => {
    const names = (await readHanded(page)).map(toName);
    return wanted.every((each) => names.some((name) => name.startsWith(each)));
  });
}

/** Waits until something is so, in vain too: what is missing is said where it is judged. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  while (!(await isSo()) && Date.now() < endsAt) await sleep(100);
}

function toName({ via, text }: Sent): string {
  return `${(JSON.parse(text) as [string])[0]} by ${via}`;
}

/** An event as a text that is the same when it is sent and when it comes back. */
function toText(event: object): string {
  const {
    eventName,
    userId,
    properties = {},
  } = event as {
    eventName: string;
    userId: string;
    properties?: object;
  };
  return JSON.stringify([eventName, userId, sorted(properties)]);
}

function toLine({ method, path, origin, asksFor, contentType, body, status, answer }: Exchange): string {
  const names = [answer['access-control-allow-origin'], answer['access-control-allow-credentials']];
  const who = names.filter(Boolean).join(' ') || 'nobody';
  const what = asksFor === '' ? `${contentType} ${body.length} characters` : `asks for ${asksFor}`;
  return `${method} ${path} from ${origin} (${what.trim()}): ${status}, allows ${who}`;
}
