import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Context, Page } from '../support/chromium.ts';
import { startVisits } from './visits.ts';
import { prepareViews, settle } from './views.ts';

/**
 * Whether the pages grow as somebody goes round them: `node --import tsx test/dashboard/growth.ts`, or with
 * `--navigations N` for other than 300. After two rounds, in which all code loads, it counts at a small page
 * what the window holds once the garbage is collected, and again after each further round. It fails where
 * nodes or listeners are more at the end; the heap is printed.
 */
const { values } = parseArgs({ options: { navigations: { type: 'string', default: '300' } } });
/** Where is counted: a page that has next to nothing. */
const SMALL = '#/config/empty';
/** A page that was left may be held until its last answers are dropped, for some seconds. */
const LOOKS_MOST = 20;
const LOOK_MS = 500;

/** The pages of the menu and those below them, with what they have open. */
const PLACES = [
  '#/explore/demo?range=7d&by=properties.country&compare=before',
  '#/explore/demo?range=all&event=order_placed&by=properties.country&and=properties.plan',
  '#/live/fresh',
  '#/users/demo?range=all',
  '#/funnel/demo?range=all&steps=[{"event":"page_viewed"},{"event":"order_placed"}]',
  '#/retention/demo?range=all&steps=[{"event":"page_viewed"},{"event":"order_placed"}]',
  '#/properties/demo',
  '#/usage/fresh',
  '#/refusals/fresh',
  '#/tenant/demo',
  '#/authentication/fresh',
  '#/keys/demo',
  '#/config/fresh',
  '#/tenants',
  '#/people',
  '#/audit',
] as const;

/** What a window holds. */
interface Held {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Counts what the window of a page holds once its garbage is collected. */
async function counterOf(context: Context, page: Page): Promise<() => Promise<Held>> {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const look = async (): Promise<Held> => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = (await session.send('Performance.getMetrics')) as {
      readonly metrics: readonly { readonly name: string; readonly value: number }[];
    };
    const of = (name: string) => metrics.find((each) => each.name === name)!.value;
    return { heapBytes: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
  };
  return async () => {
    await go(page, SMALL);
    let least = await look();
    for (let looks = 0; looks < LOOKS_MOST; looks++) {
      await sleep(LOOK_MS);
      const held = await look();
      const isLess = held.nodes < least.nodes || held.heapBytes < least.heapBytes * 0.99;
      if (held.nodes <= least.nodes) least = held;
      if (!isLess && looks >= 3) break;
    }
    return least;
  };
}

async function go(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await settle(page);
}

const visits = await startVisits({ command: 'demo', prepare: prepareViews });
try {
  const { page, context } = await visits.open(PLACES[0]);
  await settle(page);
  const count = await counterOf(context, page);
  const print = (navigations: number, { heapBytes, nodes, listeners }: Held) =>
    console.log(
      `${String(navigations).padStart(5)} navigations: ${(heapBytes / 1e6).toFixed(2)} MB of heap, ` +
        `${nodes} nodes, ${listeners} listeners`,
    );
  for (const place of [...PLACES, ...PLACES]) await go(page, place);
  const before = await count();
  print(0, before);
  const rounds = Math.ceil(Number(values.navigations) / (PLACES.length + 1));
  let after = before;
  for (let round = 1; round <= rounds; round++) {
    for (const place of PLACES) await go(page, place);
    after = await count();
    print(round * (PLACES.length + 1), after);
  }
  const grown = (['nodes', 'listeners'] as const).filter((each) => after[each] > before[each]);
  if (grown.length > 0) throw new Error(`more ${grown.join(' and ')} than before`);
} finally {
  await visits.close();
}
