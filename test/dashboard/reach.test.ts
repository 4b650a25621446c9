import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Context, Debugging, Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, settle, show, VIEWS } from './views.ts';
import { movedOn } from './visits.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const visits = useVisits({ command: 'demo', prepare: prepareViews });

const PHONE = { width: 320, height: 640 };
const TABLET = { width: 768, height: 1000 };
const DESK = { width: 1440, height: 900 };

/**
 * Rows of events are alike: what the first ones have not, no other has. Those are hidden while axe looks,
 * since it compares the place of each thing on a page with those of all others, whatever it is to leave out.
 */
const LIKE_OTHERS = '.events tbody tr:nth-child(n + 8)';
const hide = (display: string) =>
  `for (const row of document.querySelectorAll('${LIKE_OTHERS}')) row.style.display = '${display}';`;

/** Evaluates in a page by the browser's own tools: no policy lets axe in otherwise. */
async function judge<T>(tools: Debugging, expression: string): Promise<T> {
  const asked = { expression, awaitPromise: true, returnByValue: true };
  const { result } = (await tools.send('Runtime.evaluate', asked)) as { result: { value: T } };
  return result.value;
}

/** What axe finds on a page, each as a line; `isLook` asks by the rules alone that a look can change. */
async function findings(tools: Debugging, isLook = false): Promise<string[]> {
  const rules = isLook ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  await tools.send('Runtime.evaluate', { expression: hide('none') });
  const found = await judge<string[]>(
    tools,
    `globalThis.axe === undefined ? ['no axe'] :
      axe.run(document, ${options}).then(({ violations }) => violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(' '))))`,
  );
  await tools.send('Runtime.evaluate', { expression: hide('') });
  return found;
}

async function openTools(page: Page, context: Context): Promise<Debugging> {
  const tools = await context.newCDPSession(page);
  await tools.send('Runtime.evaluate', { expression: AXE });
  return tools;
}

/** What axe finds in both looks: all of it in the one that is there, and what another look can change. */
async function inBothLooks(page: Page, tools: Debugging): Promise<string[]> {
  const found = await findings(tools);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await findings(tools, true)));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** All that a pointer could use and the keyboard has to reach; radio buttons of a group and tabs are one. */
const REACHABLE = `[...(document.querySelector('dialog[open]') ?? document).querySelectorAll(
  'a[href], button:enabled, input:enabled, select:enabled, textarea, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && (each.type !== 'radio' || each.checked) &&
    (each.role !== 'tab' || each.ariaSelected === 'true'))`;
/** Notes what gets the focus, and where nobody would see that. */
const NOTE_FOCUS = `globalThis.reached = new Set(); globalThis.unseen = [];
  document.addEventListener('focusin', ({ target: at }) => {
    reached.add(at);
    if (![at, at.nextElementSibling].some((each) => each && getComputedStyle(each).outlineStyle !== 'none'))
      unseen.push(at.outerHTML.slice(0, 120));
  });`;

/** Goes through a page by Tab, as fast as it can; what was never reached, and what was reached unseen. */
async function walkByTab(page: Page, tools: Debugging): Promise<string[]> {
  await page.evaluate(NOTE_FOCUS);
  const wanted = await page.evaluate<number>(`${REACHABLE}.length`);
  const tab = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  // A field for a day is several stops.
  const presses = Array.from({ length: wanted + 20 }, () =>
    ['rawKeyDown', 'keyUp'].map((type) => tools.send('Input.dispatchKeyEvent', { type, ...tab })),
  );
  await Promise.all(presses.flat());
  const missed = `${REACHABLE}.filter((each) => !reached.has(each)).map((each) => each.outerHTML)`;
  return page.evaluate<string[]>(`[...${missed}, ...new Set(unseen)]`);
}

describe('every view', () => {
  it.each(Object.keys(VIEWS))('%s: axe finds nothing, in both looks, and Tab reaches all', async (name) => {
    const view = VIEWS[name]!;
    const { page, context } = await visits().open(view.place, { reducedMotion: 'reduce', viewport: PHONE });
    await settle(page);
    expect(await movedOn(page)).toEqual([]);
    await page.setViewportSize(DESK);
    await page.reload();
    await settle(page);
    expect(await movedOn(page)).toEqual([]);
    await show(page, view);
    const tools = await openTools(page, context);
    expect(await inBothLooks(page, tools)).toEqual([]);
    expect(await walkByTab(page, tools)).toEqual([]);
    for (const viewport of [TABLET, PHONE]) {
      await page.setViewportSize(viewport);
      // The chart is drawn again once it has seen its new room.
      const wide = () => page.evaluate('document.documentElement.scrollWidth');
      await expect.poll(wide).toBeLessThanOrEqual(viewport.width);
    }
    // The colours are those of the desk, in both looks.
    expect(await findings(tools)).toEqual([]);
  });

  it('the way in: axe finds nothing', async () => {
    const { page, context, expects } = await visits().stranger({ reducedMotion: 'reduce' });
    expects(/status of 401/);
    for (const place of ['/sign-in#eql_nothing', '/dashboard']) {
      await page.goto(visits().server.origin + place);
      await page.getByRole('heading').waitFor();
      const tools = await openTools(page, context);
      for (const viewport of [DESK, PHONE]) {
        await page.setViewportSize(viewport);
        expect(await inBothLooks(page, tools)).toEqual([]);
      }
    }
  });
});

describe('the menu as a bar of icons', () => {
  it.each([false, true])('axe finds nothing, opened: %s', async (isOpen) => {
    const { page, context } = await visits().open('#/keys/fresh', {
      reducedMotion: 'reduce',
      viewport: TABLET,
    });
    await settle(page);
    if (isOpen) await page.getByRole('button', { name: 'Menu' }).click();
    expect(await inBothLooks(page, await openTools(page, context))).toEqual([]);
  });
});
