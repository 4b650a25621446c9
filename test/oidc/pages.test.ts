import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Visitor } from '../dashboard/visits.ts';
import { listening } from '../dashboard/waits.ts';
import type { Page } from '../support/chromium.ts';
import { GROUPS, startWorld, type World } from './fixture.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
/** Where somebody is who comes back. */
const PLACE = '#/explore/mine?by=eventName&event=hello';

let world: World;
let origin: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  world = await startWorld();
  origin = `http://${world.host}`;
  browser = await openBrowser((asked) => [origin, world.provider.issuer].includes(asked));
  await send('hello');
}, 120_000);
afterEach(async () => {
  await world.provider.set({ groups: GROUPS, down: false, asks: false });
  expect(await browser.leave()).toEqual([]);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function send(eventName: string): Promise<void> {
  const body = JSON.stringify([{ eventName, userId: 'ada' }]);
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${origin}/v1/events/mine/multi`, { method: 'POST', headers, body });
  expect(status).toBe(200);
}

/** Goes to a place as somebody whom the provider does not know yet, and signs in there by its page. */
async function signIn(name: string, place = PLACE): Promise<Visitor> {
  await world.provider.set({ person: name, asks: true });
  const visitor = await browser.stranger();
  visitor.expects(/status of 40[134]/);
  await visitor.page.goto(`${origin}/dashboard${place}`);
  await visitor.page.getByRole('button', { name: /^Sign in with localhost/ }).click();
  await visitor.page.getByRole('button', { name: 'Sign in at the provider' }).click();
  return visitor;
}

const frame = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
const hash = (page: Page) => new URL(page.url()).hash;
const ended = (page: Page) =>
  page.getByText('Your session has ended. This page may be out of date').waitFor();
/** Asks something of the server that shows whether one is still in. */
const look = (page: Page) => page.getByRole('button', { name: 'Refresh' }).click();

/**
 * Puts a tab out of sight, or in sight again. The driver of the browser keeps every tab in sight, so the
 * page is told what it would be told; all that it does then is its own.
 */
const sight = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`Object.defineProperties(document, {
    visibilityState: { value: '${state}', configurable: true },
    hidden: { value: ${state === 'hidden'}, configurable: true },
  }); document.dispatchEvent(new Event('visibilitychange'))`);

describe('a person at the pages', () => {
  it('signs in by the page of the provider and comes back to where they wanted to be', async () => {
    const { page, context } = await signIn('mia');
    await frame(page);
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    expect(page.url()).toBe(`${origin}/dashboard${PLACE}`);
    await page.getByText('mia <b>of</b> test').waitFor();
    // Nothing of the way there stays in the browser: neither in its history nor in a cookie.
    const own = (await context.cookies()).filter(({ name }) => name.startsWith('__Host-'));
    expect(own.map(({ name, sameSite }) => [name, sameSite])).toEqual([
      [`__Host-event-query-${new URL(origin).port}`, 'Strict'],
    ]);
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
    expect(await page.evaluate<string>(kept)).not.toMatch(/code=|state=|eyJ|eqs_/);
    await page.reload();
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
  });

  it('whose groups give nothing is told which came, and tries again as somebody else', async () => {
    const { page } = await signIn('zoe');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/groups holds "of none"/);
    expect(page.url()).toBe(`${origin}/sign-in`);
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
    // The provider knows zoe, and would send her back at once; for another account, it asks who comes.
    await world.provider.set({ person: 'ada' });
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByRole('button', { name: 'Sign in at the provider' }).click();
    await frame(page);
    await page.getByText('ada <b>of</b> test').waitFor();
  });

  it('who looks on when the session ends is told, and comes back by Reload to the same place', async () => {
    const { page } = await signIn('ada');
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    await world.advance(13 * HOUR);
    await page.getByLabel('Event', { exact: true }).click();
    await page.getByRole('option', { name: 'all events' }).click();
    await ended(page);
    const place = hash(page);
    expect(place).toBe('#/explore/mine?by=eventName');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: /^Sign in with/ }).click();
    // The provider knows them still.
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    expect(page.url()).toBe(`${origin}/dashboard${place}`);
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0);
  });

  it('whose session ends while the tab sleeps is back where they were when it wakes', async () => {
    const { page } = await signIn('ada');
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    const asked = page.waitForResponse((response) => response.url().endsWith('/sign-in'));
    await sight(page, 'hidden');
    await world.advance(13 * HOUR);
    await sight(page, 'visible');
    expect((await asked).status()).toBe(200);
    await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    expect(page.url()).toBe(`${origin}/dashboard${PLACE}`);
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0);
  });

  it('does not lose a secret that is shown once to a tab that slept', async () => {
    const { page } = await signIn('ada', '#/keys/mine');
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    await page.getByLabel('Name').fill('kept');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    const secret = await page.getByRole('region', { name: 'secret' }).innerText();
    await sight(page, 'hidden');
    await world.advance(13 * HOUR);
    const refused = page.waitForResponse((response) => response.status() === 401);
    await sight(page, 'visible');
    await refused;
    await page.getByText('Your session has ended').waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'secret' }).innerText()).toBe(secret);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
  });

  it('is noted by what the provider knows them as, whatever they call themselves', async () => {
    const { page } = await signIn('ada', '#/keys/mine');
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    await page.getByLabel('Name').fill('noted');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('link', { name: 'Audit' }).click();
    const who = page.getByRole('row', { name: /created a key.*noted/ }).locator('details.id');
    await expect.poll(() => who.locator('summary').innerText()).toBe('ada');
    await who.locator('summary').click();
    await expect.poll(() => who.innerText()).toContain(world.provider.issuer);
    await expect.poll(() => who.locator('code').innerText()).toMatch(/^[\w-]{8,}$/);
  });

  it('who loses what a group gave sees it gone, and with the last group is out', async () => {
    const { page } = await signIn('mia', '#/usage/mine');
    await page.getByRole('heading', { name: 'Incoming events' }).waitFor();
    await world.provider.set({ groups: { ...GROUPS, mia: ['other viewers'] } });
    await world.advance(245 * SECOND);
    await look(page);
    await page.getByText('You have no access to a tenant “mine”').waitFor();
    await page.goto(`${origin}/dashboard#/usage/other`);
    await page.getByRole('heading', { name: 'Incoming events' }).waitFor();
    await world.provider.set({ groups: { ...GROUPS, mia: [] } });
    await world.advance(245 * SECOND);
    await look(page);
    await ended(page);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: /^Sign in with/ }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/groups holds nothing/);
  });

  it('goes on while the provider is down, is told when that has lasted, and goes on after it', async () => {
    const { page, expects } = await signIn('ada', '#/usage/mine');
    expects(/status of 503/);
    await page.getByRole('heading', { name: 'Incoming events' }).waitFor();
    await world.provider.set({ down: true });
    await world.advance(250 * SECOND);
    const answered = page.waitForResponse((response) => response.url().includes('/usage/'));
    await look(page);
    expect((await answered).status()).toBe(200);
    await world.advance(400 * SECOND);
    await look(page);
    await page.getByText('The service is temporarily unavailable').waitFor();
    // It is no end of the session: nobody is sent to a provider that is not there.
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0);
    await world.provider.set({ down: false });
    await world.advance(5 * SECOND);
    await look(page);
    await page.getByRole('heading', { name: 'Incoming events' }).waitFor();
  });

  it('who signs out at the provider sees nothing more here', async () => {
    const { page, context } = await signIn('ada', '#/live/mine');
    await frame(page);
    await listening(page);
    const other = await context.newPage();
    await other.goto(`${world.provider.issuer}/session/end`);
    await other.getByRole('button', { name: 'Sign out of the provider' }).click();
    await expect.poll(async () => await page.evaluate<number>(STATUS)).toBe(401);
    // What arrives now was asked for by a session that was good then.
    await send('unseen');
    await ended(page);
    await expect.poll(() => page.getByRole('main').innerText()).not.toContain('unseen');
  });

  it('who signs out here does so at the provider too, and in every tab', async () => {
    const { page, context } = await signIn('ada', '#/usage/mine');
    await frame(page);
    const other = await context.newPage();
    await other.goto(`${origin}/dashboard${PLACE}`);
    await frame(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out of the provider' }).click();
    // The provider knows nobody any more, and has led back.
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
    expect(page.url()).toBe(`${origin}/sign-in`);
    // A tab that wakes goes nowhere by itself: somebody has signed out.
    await other.getByRole('button', { name: /^Sign in with/ }).waitFor();
    for (const state of ['hidden', 'visible'] as const) await sight(other, state);
    await other.getByRole('button', { name: /^Sign in with/ }).click();
    await other.getByRole('button', { name: 'Sign in at the provider' }).waitFor();
  });
});

/** What the server says to who asks with the cookie of the page. */
const STATUS = `fetch('/v1/admin/session', { headers: { 'X-Event-Query': 'dashboard' } })
  .then((r) => r.status)`;
