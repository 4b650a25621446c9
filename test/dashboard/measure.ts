import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtCli } from '../support/built.ts';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { accessLog } from './access-log.ts';
import { startVisits, type Visits } from './visits.ts';

/**
 * How long the pages take with many events: `node --import tsx test/dashboard/measure.ts`, `--events N` for
 * other than a million. It prints milliseconds as the browser has them, medians of some visits, and fails
 * nowhere: the figures are those of one machine.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    visits: { type: 'string', default: '7' },
    /** How long the server may make columns ahead before somebody comes, in seconds. */
    idle: { type: 'string', default: '30' },
  },
});
const BATCH_EVENTS = 10_000;

/** From the beginning of a visit until all that the explorer shows is there, and until anything is. */
const ARRIVAL = `new Promise((done) => {
  const look = () => {
    const ready = document.querySelector('.rows[aria-busy=false] button.opener') !== null &&
      document.querySelector('.histogram[aria-busy=false] svg.chart') !== null &&
      /\\d/.test(document.querySelector('.count strong')?.textContent ?? '');
    if (!ready) return requestAnimationFrame(look);
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
    done([painted, performance.now()]);
  };
  look();
})`;

/** From a click until what it asks for is there. */
const clickUntil = (selector: string, ready: string) => `new Promise((done) => {
  const began = performance.now();
  document.querySelector(${JSON.stringify(selector)}).click();
  const look = () => (${ready}) ? done(performance.now() - began) : requestAnimationFrame(look);
  requestAnimationFrame(look);
})`;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

async function fill(db: string): Promise<void> {
  await createTenant(db, 'shop');
  const file = `${db}.ndjson`;
  const out = openSync(file, 'w');
  for (let i = 0; i < Number(values.events) / BATCH_EVENTS; i++) {
    const lines = accessLog(BATCH_EVENTS, i + 1).map((event) =>
      JSON.stringify({ ...event, insertId: `${i}-${event.insertId}` }),
    );
    writeSync(out, `${lines.join('\n')}\n`);
  }
  closeSync(out);
  execFileSync(process.execPath, [builtCli(), 'import', 'shop', file, '--db', db], { stdio: 'ignore' });
}

async function measure(visits: Visits): Promise<void> {
  const times = new Map<string, number[]>();
  const note = (what: string, ms: number) => times.set(what, [...(times.get(what) ?? []), ms]);
  for (let i = 0; i < Number(values.visits); i++) {
    const { page } = await visits.open('#/explore/shop');
    const [painted, whole] = await page.evaluate<[number, number]>(ARRIVAL);
    note('first view: something is painted', painted);
    note('first view: count, bars and rows are there', whole);
    await interact(page, note);
    await visits.leave();
  }
  for (const [what, found] of times) {
    console.log(
      `${median(found).toFixed(0).padStart(6)} ms (most ${Math.max(...found).toFixed(0)})  ${what}`,
    );
  }
}

async function interact(page: Page, note: (what: string, ms: number) => void): Promise<void> {
  const time = async (what: string, selector: string, ready: string) =>
    note(what, await page.evaluate<number>(clickUntil(selector, ready)));
  await time('a row opens', 'button.opener', `document.querySelector('.json') !== null`);
  await time(
    'a breakdown by event name is there',
    '.groups .chip',
    `document.querySelectorAll('.bars li').length >= 2`,
  );
  const total = `document.querySelector('.count strong').textContent`;
  await page.evaluate(`globalThis.before = ${total}`);
  await time(
    'only one value: count, bars and rows are there',
    '.bars li button',
    `${total} !== before && ${total} !== '…' && document.querySelector('[aria-busy=true]') === null`,
  );
  await time(
    'the next page is there',
    '.pages button:last-of-type',
    `location.hash.includes('cursor') && document.querySelector('.rows[aria-busy=false]') !== null`,
  );
}

const visits = await startVisits({ prepare: fill });
try {
  await sleep(Number(values.idle) * 1000);
  await measure(visits);
} finally {
  await visits.close();
}
