import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVisits, type Visits } from './visits.ts';
import { prepareViews, show, VIEWS } from './views.ts';

/**
 * Pictures of every view, to be looked at: `node --import tsx test/dashboard/pictures.ts` takes them at three
 * widths, light and dark, into a new folder, or `--to` one; `--only WORD` those whose name has the word.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, to: { type: 'string' } } });
const to = values.to ?? mkdtempSync(join(tmpdir(), 'event-query-pictures-'));
mkdirSync(to, { recursive: true });

const SIZES = [
  { width: 390, height: 844 },
  { width: 820, height: 1100 },
  { width: 1440, height: 1000 },
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
  const { page } = await visits.stranger({ viewport: { width: 820, height: 600 } });
  await page.goto(visits.printLink());
  await page.screenshot({ path: join(to, 'sign-in-link.png') });
  await page.goto(`${visits.server.origin}/dashboard`);
  await page.screenshot({ path: join(to, 'sign-in.png') });
}

const visits = await startVisits({ command: 'demo', prepare: prepareViews });
try {
  await takeAll(visits);
} finally {
  await visits.close();
}
console.log(to);
