import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
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
    expect(await page.locator('main').count()).toBe(0);
    letGo();
    await reloaded;
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await colorOf(page, 'body')).toBe(dark);
  });
});

describe('the colours of the system', () => {
  it('leave meters their bars, and the chosen look its mark', async () => {
    const { page, context, expects } = await visits().open('#/usage/demo');
    expects(/^asked data:/);
    const canvas = await context.newPage();
    /** The colours of a picture in the middle of its first lines, and of its last line. */
    const colorsOf = (picture: Buffer) =>
      canvas.evaluate<string[]>(`(async () => {
        const image = new Image();
        image.src = 'data:image/png;base64,${picture.toString('base64')}';
        await image.decode();
        const { width, height } = image;
        const paint = Object.assign(document.createElement('canvas'), { width, height })
          .getContext('2d', { willReadFrequently: true });
        paint.drawImage(image, 0, 0);
        return [3, height - 1].map((y) => String(paint.getImageData(width / 2, y, 1, 1).data));
      })()`);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.locator('progress').first().waitFor();
    const box = (await page.locator('progress').first().boundingBox())!;
    const [bar, beside] = await colorsOf(await page.screenshot({ clip: { ...box, height: 40 } }));
    expect(bar).not.toBe(beside);
    expect(await colorOf(page, '.themes input:checked + span')).not.toBe(
      await colorOf(page, '.themes input:not(:checked) + span'),
    );
  });
});
