import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVisits, type Visits } from './visits.ts';
import { prepareViews, show, VIEWS } from './views.ts';

/**
 * Pictures of every view, to be looked at: `node --import tsx test/dashboard/pictures.ts` takes them at three
 * widths, light and dark, into a new folder, or `--to` one; `--only WORD` those whose name has the word.
 * With `--pages` it makes those that the README and the page of the dashboard show instead.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    to: { type: 'string' },
    pages: { type: 'boolean', default: false },
  },
});
const SHOWN = new URL('pictures/', import.meta.url).pathname;
const to = values.to ?? (values.pages ? SHOWN : mkdtempSync(join(tmpdir(), 'event-query-pictures-')));
mkdirSync(to, { recursive: true });

const SIZES = [
  { width: 390, height: 780 },
  { width: 768, height: 1000 },
  { width: 1440, height: 900 },
];

async function takeAll(visits: Visits): Promise<void> {
  for (const [name, view] of Object.entries(VIEWS)) {
    if (!name.includes(values.only)) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of SIZES) {
        const { page } = await visits.open(view.place, { colorScheme, viewport, reducedMotion: 'reduce' });
        await show(page, view);
        await page.screenshot({ path: join(to, `${name}-${viewport.width}-${colorScheme}.png`) });
      }
    }
    await visits.leave();
  }
  if (!'sign-in'.includes(values.only)) return;
  const ways = { 'sign-in-link': visits.printLink(), 'sign-in': `${visits.server.origin}/dashboard` };
  for (const [name, address] of Object.entries(ways)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of SIZES) {
        const { page } = await visits.stranger({ colorScheme, viewport });
        await page.goto(address);
        await page.getByRole('heading').waitFor();
        await page.getByRole('button').first().waitFor();
        await page.screenshot({ path: join(to, `${name}-${viewport.width}-${colorScheme}.png`) });
      }
    }
    await visits.leave();
  }
}

/** What the pages of the repository show: small, and none of what comes and goes. */
async function takeShown(visits: Visits): Promise<void> {
  const asked = '#/explore/demo?by=properties.country&range=7d';
  const wide = await visits.open(asked, { viewport: { width: 1360, height: 900 } });
  await wide.page.getByRole('button', { name: 'Close getting started' }).click();
  await wide.page.locator('.bars li').first().waitFor();
  await show(wide.page, VIEWS.explore!);
  await wide.page.mouse.move(0, 0);
  await wide.page.screenshot({ path: join(to, 'explorer.png') });

  const viewport = { width: 1120, height: 560 };
  const dark = await visits.open('#/keys/fresh', { viewport, colorScheme: 'dark' });
  await show(dark.page, VIEWS['keys-new']!);
  await dark.page.screenshot({ path: join(to, 'keys.png') });

  // Where no pointer hovers, the buttons of a value are always there.
  const ofPhone = { viewport: { width: 390, height: 720 }, isMobile: true, hasTouch: true };
  const phone = await visits.open(asked, { ...ofPhone, colorScheme: 'dark' });
  await phone.page.getByRole('button', { name: 'Close getting started' }).click();
  await show(phone.page, VIEWS['explore-row']!);
  await phone.page.locator('.rows').first().waitFor();
  await phone.page.evaluate(`document.querySelector('.rows').scrollIntoView()`);
  await phone.page.mouse.move(0, 0);
  await phone.page.screenshot({ path: join(to, 'phone.png') });
}

const visits = await startVisits({ command: 'demo', prepare: prepareViews });
try {
  await (values.pages ? takeShown(visits) : takeAll(visits));
} finally {
  await visits.close();
}
console.log(to);
