import { describe, expect, it } from 'vitest';
import type { Request } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { chooseEvent, listening, typeFocused } from './waits.ts';

const visits = useVisits({ prepare: (db) => createTenant(db, 'shop') });
const log = accessLog(1300);

const send = (from: number, to: number) => sendBatch(visits().server.origin, 'shop', log.slice(from, to));

describe('the live page', () => {
  it('shows what arrives, late events too; pauses, says how many wait, and keeps the last 500', async () => {
    const { page } = await visits().open('#/live/shop');
    await page.getByText('No events have arrived').waitFor();
    await listening(page);
    // Their time is long ago: the page goes by arrival.
    await send(0, 3);
    await page.getByText('3 shown').waitFor();
    const [newest] = await page.locator('.events tbody tr td:nth-child(3)').allInnerTexts();
    expect(newest).toBe(log[2]!.userId);

    await page.getByRole('button', { name: 'Pause' }).click();
    await send(3, 10);
    await page.getByRole('button', { name: 'Resume (7 waiting)' }).waitFor();
    await page.getByText('3 shown').waitFor();
    await page.getByRole('button', { name: /Resume/ }).click();
    await page.getByText('10 shown').waitFor();
    const shown = await page.locator('.events tbody tr td:nth-child(3)').allInnerTexts();
    expect(shown).toEqual(
      log
        .slice(0, 10)
        .map(({ userId }) => userId)
        .reverse(),
    );

    for (let i = 10; i < 610; i += 100) await send(i, i + 100);
    await page.getByText('500 shown').waitFor();
    await page.locator('.events tbody tr').first().getByText(log[609]!.userId).waitFor();
    await expect.poll(() => page.locator('.events tbody tr').count()).toBe(100);
    await page.getByText('100 of 500 events').waitFor();
    await page.getByRole('button', { name: 'Show 400 more' }).click();
    await expect.poll(() => page.locator('.events tbody tr').count()).toBe(500);
  });

  it('what arrives can be asked for at once, by its name and its paths', async () => {
    const { page } = await visits().open('#/live/shop');
    await listening(page);
    const event = { ...log[0]!, insertId: 'first', eventName: 'first_of_its_name', properties: { fresh: 7 } };
    await sendBatch(visits().server.origin, 'shop', [event]);
    await page.getByText('1 shown').waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await typeFocused(page, 'fre');
    await page.getByRole('option', { name: /^properties.fresh/ }).waitFor();
    await chooseEvent(page, 'first_of_its_name');
  });

  it('asks by filters, and opens a row as the explorer does', async () => {
    const filter = JSON.stringify([{ property: 'properties.bot', comparison: 'EQUALS', value: true }]);
    const { page } = await visits().open(`#/live/shop?${new URLSearchParams({ filter }).toString()}`);
    await listening(page);
    await send(610, 700);
    const bots = log.slice(610, 700).filter(({ properties }) => properties.bot === true);
    await page.getByText(`${bots.length} shown`).waitFor();
    await page.locator('button.opener').first().click();
    await page.locator('.json').getByText(bots.at(-1)!.insertId).waitFor();

    // What is read stays where it is.
    await send(1200, 1300);
    const more = log.slice(1200, 1300).filter(({ properties }) => properties.bot === true);
    await page.getByRole('button', { name: `Resume (${more.length} waiting)` }).waitFor();
    await page.getByText(`Paused. ${bots.length} shown`).waitFor();
  });

  it('says whether it listens: not while there is no network, and at once when there is one', async () => {
    const { page, context, expects } = await visits().open('#/live/shop');
    expects(/ERR_INTERNET_DISCONNECTED/);
    await page.getByText('Listening.').waitFor();
    await context.setOffline(true);
    await page.getByText('Not connected.').waitFor();
    await expect.poll(() => page.getByText('Listening.').count()).toBe(0);
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    await send(700, 702);
    await context.setOffline(false);
    await page.getByText('Listening. 2 shown').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('asks nothing while it is hidden, and goes on where it was', async () => {
    const { page, context } = await visits().open('#/tenants');
    const longPoll = context.waitForEvent('request', { predicate: isLongPoll });
    await page.evaluate(`location.hash = '#/live/shop'`);
    const asked = await longPoll;
    const ended = context.waitForEvent('requestfailed', { predicate: (request) => request === asked });
    await page.evaluate(sight('hidden'));
    expect((await ended).failure()!.errorText).toContain('ERR_ABORTED');
    await send(702, 705);
    await page.evaluate(sight('visible'));
    await page.getByText('Listening. 3 shown').waitFor();
  });

  it('asks nothing if it is hidden while it waits for its turn to ask', async () => {
    const { page, context } = await visits().open('#/tenants');
    const longPolls: string[] = [];
    context.on('request', (request) => isLongPoll(request) && longPolls.push(request.url()));
    await page.evaluate(`
      const request = navigator.locks.request.bind(navigator.locks);
      navigator.locks.request = async (...asked) => {
        if (globalThis.wasHidden) return request(...asked);
        globalThis.wasHidden = true;
        ${sight('hidden')};
        const answer = await request(...asked);
        globalThis.passed = true;
        return answer;
      };
      location.hash = '#/live/shop';`);
    await expect.poll(() => page.evaluate<boolean>('globalThis.passed === true')).toBe(true);
    expect(longPolls).toEqual([]);
    await send(709, 712);
    await page.evaluate(sight('visible'));
    await page.getByText('Listening. 3 shown').waitFor();
  });

  it('in many windows leaves connections to the others, and misses nothing in any', async () => {
    const first = await visits().open('#/live/shop');
    const { context } = first;
    /** How many answers are waited for, not counting those that come at once. */
    const waiting = new Set<unknown>();
    let most = 0;
    context.on('request', (request) => {
      if (isLongPoll(request)) waiting.add(request);
      most = Math.max(most, waiting.size);
    });
    context.on('response', (response) => waiting.delete(response.request()));
    context.on('requestfailed', (request) => waiting.delete(request));
    const pages = [first.page];
    for (let i = 0; i < 7; i++) {
      const page = await context.newPage();
      await page.goto(`${visits().server.origin}/dashboard#/live/shop`);
      pages.push(page);
    }
    for (const page of pages) await page.getByText('Listening.').waitFor();
    await send(705, 709);
    for (const page of pages) await page.getByText('4 shown').waitFor();
    expect(most).toBeGreaterThan(0);
    // Of a browser's six connections to a server some are free; what is told of them may come late.
    expect(most).toBeLessThan(6);
  });
});

/** Whether a request waits on the server for events. */
const isLongPoll = (request: Request) =>
  request.url().includes('/tail/') && request.headers().prefer === undefined;

/** Puts a tab out of sight, or back into it, as a browser with a screen would. */
const sight = (state: 'hidden' | 'visible') => `Object.defineProperties(document, {
  visibilityState: { value: '${state}', configurable: true },
  hidden: { value: ${state === 'hidden'}, configurable: true },
}); document.dispatchEvent(new Event('visibilitychange'))`;
