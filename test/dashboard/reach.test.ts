import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DIST } from '../support/built.ts';
import type { Context, Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, settle, show, VIEWS } from './views.ts';
import { movedOn } from './visits.ts';

const SCRIPT_BYTES_MAX = 60_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const visits = useVisits({ command: 'demo', prepare: prepareViews });

/** What axe finds on a page, each as a line. It comes in by the browser's own tools: no policy lets it in. */
async function findings(page: Page, context: Context): Promise<string[]> {
  const tools = await context.newCDPSession(page);
  await tools.send('Runtime.evaluate', { expression: AXE });
  const { result } = (await tools.send('Runtime.evaluate', {
    expression: `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(' '))))`,
    awaitPromise: true,
    returnByValue: true,
  })) as { result: { value: string[] } };
  return result.value;
}

describe('every view', () => {
  it.each(Object.keys(VIEWS))('%s: axe finds nothing, light on a phone and dark on a desk', async (name) => {
    const view = VIEWS[name]!;
    const viewport = { width: 320, height: 640 };
    const { page, context } = await visits().open(view.place, { reducedMotion: 'reduce', viewport });
    await settle(page);
    expect(await movedOn(page)).toEqual([]);
    await show(page, view);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await findings(page, context)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await findings(page, context)).toEqual([]);
  });

  it('the way in: axe finds nothing', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    for (const place of ['/sign-in#eql_nothing', '/dashboard']) {
      await page.goto(visits().server.origin + place);
      await page.getByRole('heading').waitFor();
      expect(await findings(page, context)).toEqual([]);
    }
  });
});

describe('what is loaded', () => {
  it(`the script has at most ${SCRIPT_BYTES_MAX} bytes gzipped`, () => {
    expect(gzipSync(readFileSync(join(DIST, 'dashboard', 'app.js'))).length).toBeLessThan(SCRIPT_BYTES_MAX);
  });
});
