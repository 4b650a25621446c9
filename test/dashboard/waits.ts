import { expect } from 'vitest';
import type { Context, Locator, Page, Route } from '../support/chromium.ts';

/**
 * Waits until a live page has its first answer, which says where it goes on: nothing after it is missed. The
 * page is asked what it has: the answer may have come before anybody could wait for it.
 */
export async function listening(page: Page): Promise<void> {
  const asked = `performance.getEntriesByType('resource').map(({ name }) => name).join()`;
  await expect.poll(() => page.evaluate<string>(asked)).toContain('/query/tail/');
}

/**
 * Presses a button that copies, and waits until it has said so; what was copied. What it says is noted in the
 * page, since it says so for a moment only.
 */
export async function copyBy(page: Page, button: Locator): Promise<string> {
  await page.evaluate(`globalThis.said = new Set();
    new MutationObserver((changes) => changes.forEach(({ target }) => said.add(target.ariaLabel)))
      .observe(document.body, { subtree: true, attributeFilter: ['aria-label'] });
    navigator.clipboard.writeText('')`);
  await button.click();
  await expect.poll(() => page.evaluate<string[]>('[...said]')).toContain('Copied');
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/**
 * Types a text into the field that gets the focus. A page draws what a click opens a moment after the click,
 * as fast as nobody types: keys that come before go to what was clicked.
 */
export async function typeFocused(page: Page, text: string): Promise<void> {
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(text);
}

/** The addresses that pages ask the API from now on. Files of pages are left out: they come at any time. */
export function listAsked(context: Context): string[] {
  const asked: string[] = [];
  context.on('request', (request) => {
    if (request.url().includes('/v1/')) asked.push(request.url());
  });
  return asked;
}

/** Has its way with the requests at paths that match, until what it gives is called. */
export async function hinder(
  page: Page,
  paths: string | RegExp,
  hindrance: (route: Route) => Promise<void>,
): Promise<() => void> {
  let isOver = false;
  await page.route(paths, (route) => (isOver ? route.continue() : hindrance(route)));
  return () => void (isOver = true);
}

/** Lets a request fail as if there were no server. */
export const gone = (route: Route) => route.abort();

/** Keeps the questions at a path from the server until what it gives is called. */
export async function hold(page: Page, path: string): Promise<() => void> {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(`**/v1/admin/query/${path}*`, async (route) => {
    await held;
    await route.continue();
  });
  return () => letGo();
}

/** Chooses an event name, once the page knows it. */
export async function chooseEvent(page: Page, name: string): Promise<void> {
  await page.getByLabel('Event', { exact: true }).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}

/** Waits until the explorer knows which paths events have, of which this is one. */
export async function pathsKnown(page: Page, path = 'properties.status'): Promise<void> {
  const field = page.getByLabel('By the values of');
  await field.click();
  await page.getByRole('option', { name: new RegExp(`^${path}`) }).waitFor();
  await field.press('Escape');
}

/** Adds a column by its path, in the menu of columns. */
export async function addColumn(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: /^Columns/ }).click();
  await page.getByLabel('Column path').fill(path);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

/** A script for pages of a browser that lets them write into no file that somebody chooses. */
export const WITHOUT_FILES = 'delete globalThis.showSaveFilePicker';

/** Opens the choices of a range of time. */
export async function openTime(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Custom…' }).waitFor();
}

/** Opens the fields of a range of time. */
export async function openCustom(page: Page): Promise<void> {
  await openTime(page);
  const fields = page.getByRole('button', { name: 'Custom…' });
  if ((await fields.getAttribute('aria-expanded')) === 'false') await fields.click();
}

/** Opens what is done with a question: its link, its other forms, and its exports. */
export async function openShare(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Share', exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}
