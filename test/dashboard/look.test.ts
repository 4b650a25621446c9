import { describe, expect, it } from 'vitest';
import type { Box, Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';

const visits = useVisits({ command: 'demo' });

const colorOf = (page: Page, selector: string, part = 'null') =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}'), ${part}).backgroundColor`);

describe('the look that somebody chose', () => {
  it('is there before the pages are: a dark one is never white first', async () => {
    const { page } = await visits().open('#/usage/demo', { colorScheme: 'light' });
    await page.locator('.themes input').nth(2).check();
    const dark = await colorOf(page, 'body');
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/app.js', async (route) => {
      await held;
      await route.continue();
    });
    const reloaded = page.reload();
    await page.waitForResponse((response) => response.url().endsWith('/theme.js'));
    await expect.poll(() => colorOf(page, 'body')).toBe(dark);
    await expect.poll(() => page.locator('main h1').count()).toBe(0);
    letGo();
    await reloaded;
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await colorOf(page, 'body')).toBe(dark);
  });
});

describe('the colours of the system', () => {
  /** Puts a square into the corner of the page, in a colour of the system above its ground. */
  const addSwatch = (word: string) => `(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.swatch { position: fixed; inset: 0 auto auto 0; width: 9px; height: 9px;' +
      'z-index: 9;' +
      'forced-color-adjust: none; background: linear-gradient(${word}, ${word}), Canvas; color: ${word} }');
    document.adoptedStyleSheets = [sheet];
    document.body.append(Object.assign(document.createElement('div'), { className: 'swatch' }));
    return getComputedStyle(document.querySelector('.swatch')).color;
  })()`;

  it('are those of a meter, its bar apart from its ground, and of the mark of the chosen look', async () => {
    const { page, context, expects } = await visits().open('#/usage/demo');
    expects(/^asked data:/);
    const canvas = await context.newPage();
    /** What is painted within a box, at shares of its width, along its middle. */
    const paintedIn = async (clip: Box, ...places: readonly number[]) => {
      const picture = await page.screenshot({ clip });
      return canvas.evaluate<string[]>(`(async () => {
        const image = new Image();
        image.src = 'data:image/png;base64,${picture.toString('base64')}';
        await image.decode();
        const { width, height } = image;
        const paint = Object.assign(document.createElement('canvas'), { width, height })
          .getContext('2d', { willReadFrequently: true });
        paint.drawImage(image, 0, 0);
        return ${JSON.stringify(places)}.map((place) =>
          String(paint.getImageData(width * place, height / 2, 1, 1).data));
      })()`);
    };
    await page.emulateMedia({ forcedColors: 'active' });
    const meter = page.locator('progress').first();
    await meter.waitFor();
    // Half of it is left, whatever is used: what is looked at is how a bar and its ground look.
    await page.evaluate(`Object.assign(document.querySelector('progress'), { max: 2, value: 1 })`);
    const [bar, ground] = await paintedIn((await meter.boundingBox())!, 0.25, 0.75);
    const mark = (selector: string) => colorOf(page, `.themes input${selector} + span`);
    const marks = { chosen: await mark(':checked'), other: await mark(':not(:checked)') };

    const swatch = { x: 0, y: 0, width: 9, height: 9 };
    await page.evaluate(addSwatch('Highlight'));
    expect([bar]).toEqual(await paintedIn(swatch, 0.5));
    await page.evaluate(addSwatch('Canvas'));
    expect([ground]).toEqual(await paintedIn(swatch, 0.5));
    expect(bar).not.toBe(ground);
    const selected = await page.evaluate<string>(addSwatch('SelectedItem'));
    expect(marks.chosen).toBe(selected);
    expect(marks.other).not.toBe(selected);
  });
});
