import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
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
    /** A file that has the events already, of which a copy is asked. */
    file: { type: 'string' },
    /**
     * How long a window may be open before somebody goes to the pages, in milliseconds. Chromium draws one of
     * its own by pages of its own, whose scripts take a processor for most of a second.
     */
    settle: { type: 'string', default: '0' },
    /** How long the server may make columns ahead before somebody comes, in seconds. */
    idle: { type: 'string', default: '30' },
  },
});
const BATCH_EVENTS = 10_000;
/** How many rows of a page are painted first. */
const FIRST_ROWS = 12;

/** All that a screen shows is of the last question: rows below it may follow a frame later. */
const SHOWN = `/\\d/.test(document.querySelector('.count strong')?.textContent ?? '') &&
  document.querySelector('.histogram[aria-busy=false] svg.chart') !== null &&
  document.querySelector('.groups [aria-busy=true]') === null &&
  (document.querySelector('.rows[aria-busy=false] button.opener') !== null ||
    document.querySelectorAll('button.opener').length === ${FIRST_ROWS})`;
const WHOLE = `document.querySelector('[aria-busy=true]') === null`;

/** Resolves when something holds and was painted: the tasks behind the callbacks of a frame run then. */
const WHEN_PAINTED = `const painted = (holds) => new Promise((done) => {
  const look = () => holds() ? setTimeout(() => done(performance.now())) : requestAnimationFrame(look);
  requestAnimationFrame(look);
});`;

/** From the beginning of a visit until anything is painted, all that a screen shows is, and all there is. */
const ARRIVAL = `(async () => {
  ${WHEN_PAINTED}
  const shown = await painted(() => ${SHOWN});
  const whole = await painted(() => ${WHOLE});
  return [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, shown, whole];
})()`;

/** From a click until what it asks for is painted. */
const clickUntil = (selector: string, ready: string) => `(async () => {
  ${WHEN_PAINTED}
  const began = performance.now();
  document.querySelector(${JSON.stringify(selector)}).click();
  return (await painted(() => ${ready})) - began;
})()`;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

async function fill(db: string): Promise<void> {
  if (values.file !== undefined) return copyFileSync(values.file, db);
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
    const { page } = await visits.open('#/explore/shop', {}, Number(values.settle));
    const [painted, shown, whole] = await page.evaluate<[number, number, number]>(ARRIVAL);
    note('first view: something is painted', painted);
    note('first view: count, bars and the rows of a screen are painted', shown);
    note('first view: all rows are', whole);
    await interact(page, note);
    await visits.leave();
  }
  for (const [what, found] of times) {
    console.log(
      `${median(found).toFixed(0).padStart(6)} ms ` +
        `(${Math.min(...found).toFixed(0)} to ${Math.max(...found).toFixed(0)})  ${what}`,
    );
  }
}

/**
 * Asks which paths the events have, and waits: the server reads each of them for that once after its start,
 * and takes a processor meanwhile.
 */
async function readAll(visits: Visits): Promise<void> {
  const { page } = await visits.open('#/keys/shop');
  const ms = await page.evaluate<number>(
    `fetch('/v1/admin/query/properties/shop', { headers: { 'X-Event-Query': 'dashboard' } })
      .then((answer) => answer.text())
      .then(() => performance.now())`,
  );
  console.log(`${ms.toFixed(0).padStart(6)} ms  once: all events were read for their paths`);
  await visits.leave();
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
  const another = async (what: string, selector: string) => {
    await page.evaluate(`globalThis.before = ${total}`);
    await time(what, selector, `${total} !== before && ${SHOWN}`);
    await page.locator('.rows[aria-busy=false]').waitFor();
  };
  await another('only one value: all that a screen shows is painted', '.bars li button');
  await another(
    'not this: all that a screen shows is painted',
    '.json [aria-label^="not this: properties.me"]',
  );
  await time(
    'the next page is there',
    '.pages button:last-of-type',
    `location.hash.includes('cursor') && ${SHOWN}`,
  );
}

const visits = await startVisits({ prepare: fill });
try {
  await sleep(Number(values.idle) * 1000);
  await readAll(visits);
  await measure(visits);
} finally {
  await visits.close();
}
