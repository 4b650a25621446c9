import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DIST } from '../support/built.ts';
import type { Context, Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, show, VIEWS } from './views.ts';

const SCRIPT_BYTES_MAX = 60_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const visits = useVisits({ command: 'demo', prepare: prepareViews });

/** What axe finds on a page, each as a line. It comes in by the browser's own tools: no policy lets it in. */
async function findings(page: Page, context: Context): Promise<string[]> {
  const tools = await context.newCDPSession(page);
  await tools.send('Runtime.evaluate', { expression: AXE });
  const { result } = (await tools.send('Runtime.evaluate', {
    expression: `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ': ' + failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  })) as { result: { value: string[] } };
  return result.value;
}

describe('axe finds nothing', () => {
  it.each(Object.keys(VIEWS))('on %s, light and dark, wide and on a phone', async (name) => {
    const view = VIEWS[name]!;
    const { page, context } = await visits().open(view.place, { reducedMotion: 'reduce' });
    await show(page, view);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await findings(page, context)).toEqual([]);
      }
    }
  });

  it('on the way in', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    for (const place of ['/sign-in#eql_nothing', '/dashboard']) {
      await page.goto(visits().server.origin + place);
      await page.getByRole('heading').waitFor();
      expect(await findings(page, context)).toEqual([]);
    }
  });
});

describe('nothing is wider than a phone', () => {
  it.each(Object.keys(VIEWS))('%s', async (name) => {
    const view = VIEWS[name]!;
    const { page } = await visits().open(view.place, { viewport: { width: 320, height: 640 } });
    await show(page, view);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});

/** Everything that a pointer could use and the keyboard has to reach; radio buttons of a group are one. */
const REACHABLE = `[...(document.querySelector('dialog[open]') ?? document).querySelectorAll(
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && (each.type !== 'radio' || each.checked))`;
/** Notes what has the focus, and says whether somebody sees it. */
const FOCUS = `(() => {
  const at = document.activeElement;
  (globalThis.reached ??= new Set()).add(at);
  const seen = at.matches(':focus-visible') ? getComputedStyle(at) : undefined;
  const beside = at.nextElementSibling && getComputedStyle(at.nextElementSibling);
  const hasRing = seen !== undefined && (seen.outlineStyle !== 'none' || beside?.outlineStyle !== 'none');
  return at === document.body ? 'out' : hasRing ? 'seen' : 'unseen ' + at.outerHTML.slice(0, 120);
})()`;

describe('the keyboard alone', () => {
  it.each(Object.keys(VIEWS))('reaches all of %s, and shows where it is', async (name) => {
    const view = VIEWS[name]!;
    const { page } = await visits().open(view.place);
    await show(page, view);
    const wanted = await page.evaluate<number>(`${REACHABLE}.length`);
    const unseen = new Set<string>();
    for (let i = 0; i < wanted + 5; i++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate<string>(FOCUS);
      if (found.startsWith('unseen')) unseen.add(found);
    }
    const missed = `${REACHABLE}.filter((each) => !reached.has(each)).map((each) => each.outerHTML.slice(0, 120))`;
    expect(await page.evaluate(missed)).toEqual([]);
    expect([...unseen]).toEqual([]);
  });

  /** Goes on by Tab until what has the focus has a name. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let i = 0; i < 200; i++) {
      const found = await page.evaluate<string>(
        `(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement)`,
      );
      if (name.test(found)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never comes to ${name}`);
  }

  it('makes a key, stores its secret, and comes back to where it was', async () => {
    const { page } = await visits().open('#/keys/fresh');
    await show(page, VIEWS['keys-empty']!);
    await tabTo(page, /^\s*Generate new secret/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('typed');
    await tabTo(page, /^Generate$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'The secret of typed' }).waitFor();
    await tabTo(page, /^I stored it/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /typed/ }).waitFor();
    await tabTo(page, /^Revoke typed/);
  });

  it('filters, opens a row, goes from row to row, and asks for what is not this', async () => {
    const { page } = await visits().open('#/explore/demo?event=order_placed');
    await show(page, VIEWS.explore!);
    await tabTo(page, /^\s*Filter$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Property$/);
    await page.keyboard.type('properties.country');
    await tabTo(page, /^Value$/);
    await page.keyboard.type('DE');
    await page.keyboard.press('Enter');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('properties.country');
    await page.locator('.rows[aria-busy=false]').waitFor();
    const first = page.locator('button.opener').first();
    await first.focus();
    await page.keyboard.press('ArrowDown');
    expect(
      await page.locator('button.opener').nth(1).evaluate('(each) => each === document.activeElement'),
    ).toBe(true);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Not properties.plan as here/);
    await page.keyboard.press('Enter');
    await expect.poll(() => decodeURIComponent(page.url())).toContain('NOT_EQUALS');
  });

  it('skips the menu', async () => {
    const { page } = await visits().open('#/tenants');
    await show(page, VIEWS.tenants!);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  });
});

describe('what is loaded', () => {
  it(`the script has at most ${SCRIPT_BYTES_MAX} bytes gzipped`, () => {
    expect(gzipSync(readFileSync(join(DIST, 'dashboard', 'app.js'))).length).toBeLessThan(SCRIPT_BYTES_MAX);
  });
});
