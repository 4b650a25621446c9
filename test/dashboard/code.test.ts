import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DIST } from '../support/built.ts';
import type { Context, Locator, Page, Route } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { gone, hinder } from './waits.ts';

const FOLDER = join(DIST, 'dashboard');
/** How many bytes after brotli, as they are sent, the scripts of the first view and of all pages may have. */
const FIRST_BYTES_MAX = 45_000;
const ALL_BYTES_MAX = 107_000;
const visits = useVisits({ command: 'demo' });

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const ALL = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
/** The scripts of the first view: what the page names, and what these load before they run. */
const FIRST = [...read('index.html').matchAll(/"dashboard\/([\w-]+\.js)"/g)].map(([, name = '']) => name);
const importsOf = (name: string) =>
  [...read(name).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map(([, found = '']) => found);
const bytesOf = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + brotliCompressSync(read(name)).length, 0);
/** The script of the page of keys. */
const KEYS = ALL.find((name) => read(name).includes('No keys yet'))!;

/** A tab at the explorer, where requests were hindered from the start until what it gives is called. */
async function openHindered(paths: string | RegExp, hindrance: (route: Route) => Promise<void>) {
  const visitor = await visits().open('#/explore/demo?range=all');
  const { page, context } = visitor;
  const letGo = await hinder(page, paths, hindrance);
  const loads = countLoads(context);
  await page.reload();
  await page.locator('.rows[aria-busy=false]').waitFor();
  return { ...visitor, letGo, loads };
}
const never = () => new Promise<void>(() => undefined);
const missing = (route: Route) => route.fulfill({ status: 404, body: '{"error":"Not found."}' });
const busy = (route: Route) => route.fulfill({ status: 503, body: '{"error":"Too busy."}' });
/** Counts how often a tab loads the pages from now on. */
function countLoads(context: Context): () => number {
  let loads = 0;
  context.on('request', (request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === '/dashboard') loads += 1;
  });
  return () => loads;
}

/** Goes to a place as a link in a page does. */
const goTo = (page: Page, place: string) => page.evaluate(`location.hash = '${place}'`);
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const newSecret = (page: Page) => page.getByRole('button', { name: 'Generate new secret' });
const alert = (page: Page) => page.getByRole('alert');
/** The scripts beside those of the first view that a page has asked for since it was loaded. */
async function laterScripts(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())`,
  );
  return [...new Set(names)].filter((name) => ALL.includes(name) && !FIRST.includes(name)).sort();
}

describe('what is loaded', () => {
  it('has few bytes: by the first view, and by all pages together', () => {
    expect(bytesOf(FIRST)).toBeLessThan(FIRST_BYTES_MAX);
    expect(bytesOf(ALL)).toBeLessThan(ALL_BYTES_MAX);
  });

  it('by the first view are three files, none of which waits for another', () => {
    expect(FIRST.length).toBe(3);
    for (const name of FIRST) for (const each of importsOf(name)) expect(FIRST).toContain(each);
  });

  it('by the explorer is no other page', async () => {
    const { page } = await openHindered(new RegExp(`/(?!${FIRST.join('|')})[\\w-]+\\.js$`), never);
    await page.locator('svg.chart').waitFor();
    await page.locator('button.opener').first().click();
    await page.locator('.json').waitFor();
    // Another page has its heading and its shape meanwhile, and the user can leave it.
    await goTo(page, '#/keys/demo');
    await heading(page, 'Keys').waitFor();
    await page.locator('main .skeleton[aria-busy=true]').waitFor();
    await goTo(page, '#/explore/demo?range=all');
    await page.locator('.rows[aria-busy=false]').waitFor();
  });
});

describe('the code of a page', () => {
  it.each([
    ['a pointer is', (link: Locator) => link.hover()],
    ['the focus is', (link: Locator) => link.focus()],
  ])('is loaded as soon as %s on its link', async (_, reach) => {
    // While a question has no answer, nothing is loaded for later.
    const { page } = await openHindered('**/query/count/demo', never);
    expect(await laterScripts(page)).toEqual([]);
    await reach(page.getByRole('link', { name: 'Keys' }));
    await expect.poll(() => laterScripts(page)).toContain(KEYS);
  });

  it('is there once the page is at rest, so that others open without the server', async () => {
    const { page, context, expects } = await visits().open('#/explore/demo?range=all');
    expects(/ERR_INTERNET_DISCONNECTED/);
    const later = ALL.filter((name) => !FIRST.includes(name) && !/^(?:first-run|sign-in)-/.test(name));
    await expect.poll(() => laterScripts(page)).toEqual(later.sort());
    await page.locator('.rows[aria-busy=false]').waitFor();
    await context.setOffline(true);
    for (const title of ['Keys', 'Usage', 'Audit']) {
      await page.getByRole('link', { name: title }).click();
      await page.locator('main .lead', { hasText: /\w/ }).waitFor();
      await heading(page, title).waitFor();
    }
    await alert(page).getByText('The server cannot be reached').first().waitFor();
    await context.setOffline(false);
    await page.getByRole('table').waitFor();
  });

  it('comes by itself, or by Retry, if the server could not be reached', async () => {
    const { page, letGo, expects } = await openHindered(`**/${KEYS}`, gone);
    expects(/ERR_FAILED/);
    const letPagesGo = await hinder(page, /\/(dashboard|icon\.svg)$/, gone);
    await goTo(page, '#/keys/demo');
    await alert(page).getByText('The server cannot be reached').waitFor();
    await expect.poll(() => alert(page).count()).toBe(1);
    await heading(page, 'Keys').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await alert(page).getByText('The server cannot be reached').waitFor();
    letGo();
    letPagesGo();
    await newSecret(page).waitFor();
    await expect.poll(() => alert(page).count()).toBe(0);
    expect(page.url()).toContain('#/keys/demo');
  });

  it('that the server no longer has makes the page load again, at the same place', async () => {
    const { page, letGo, loads, expects, context } = await openHindered(`**/${KEYS}`, missing);
    expects(/status of 404/);
    // The pages that are loaded then are those of the new version.
    context.on('request', (request) => {
      if (request.method() === 'HEAD') letGo();
    });
    const before = loads();
    await goTo(page, '#/keys/demo?from=here');
    await newSecret(page).waitFor();
    expect(loads()).toBe(before + 1);
    expect(page.url()).toContain('#/keys/demo?from=here');
  });

  it('that is never there is an error with Retry, and no page that loads forever', async () => {
    const { page, letGo, loads, expects } = await openHindered(`**/${KEYS}`, missing);
    expects(/status of 404/);
    const before = loads();
    await goTo(page, '#/keys/demo');
    await alert(page).getByText('This page could not be loaded.').waitFor();
    expect(loads()).toBe(before + 1);
    await heading(page, 'Keys').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(loads).toBe(before + 2);
    await alert(page).getByText('This page could not be loaded.').waitFor();
    // All other pages are there.
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('row', { name: /demo/ }).waitFor();
    expect(loads()).toBe(before + 2);
    letGo();
    await page.getByRole('link', { name: 'Keys' }).click();
    await newSecret(page).waitFor();
  });

  it('leaves the page as it is if the server has no pages at the moment', async () => {
    const { page, letGo, loads, expects } = await openHindered(`**/${KEYS}`, busy);
    expects(/status of 503/);
    const letPagesGo = await hinder(page, /\/dashboard$/, busy);
    const before = loads();
    await goTo(page, '#/keys/demo');
    await alert(page).getByText('The server answered 503.').waitFor();
    expect(loads()).toBe(before);
    letGo();
    letPagesGo();
    await page.getByRole('button', { name: 'Retry' }).click();
    await newSecret(page).waitFor();
  });
});
