import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, type TestTenant } from '../support/file.ts';
import { byNewest, sendBatch } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { runInShell } from './shell.ts';
import { useVisits } from './use-visits.ts';
import {
  addColumn,
  chooseEvent,
  copyBy,
  hold,
  openCustom,
  openShare,
  pathsKnown,
  typeFocused,
  WITHOUT_FILES,
} from './waits.ts';

const log = accessLog(2000);
const failed = log.filter((event) => statusOf(event) >= 400);
/** Events of 24 MB: of a file, a browser keeps pieces of 8 MB outside of the page. */
const large = accessLog(24).map((event) => ({ ...event, properties: { text: 'x'.repeat(1_000_000) } }));
let tenant: TestTenant;
const visits = useVisits({
  prepare: async (db) => {
    tenant = await createTenant(db, 'shop');
    await createTenant(db, 'large');
  },
  furnish: async ({ origin }) => {
    for (let i = 0; i < large.length; i += 8) await sendBatch(origin, 'large', large.slice(i, i + 8));
    for (let i = 0; i < log.length; i += 500) await sendBatch(origin, 'shop', log.slice(i, i + 500));
  },
});

const toText = (count: number) => count.toLocaleString('en');
const shows = (page: Page, count: number) =>
  page.locator('.count', { hasText: new RegExp(`^${toText(count)} events? match`) }).waitFor();
const asked = (page: Page) => new URL(page.url()).hash;
/** The place of a filter in the address. */
const filtered = (...filters: readonly object[]) =>
  `#/explore/shop?${new URLSearchParams({ filter: JSON.stringify(filters) }).toString()}`;
const FAILED = { property: 'properties.status', comparison: 'GREATER_THAN_OR_EQUALS', value: 400 };

/** Waits until the rows of the question that the address says are there. */
async function settled(page: Page): Promise<void> {
  await page.locator('.rows[aria-busy=false]').waitFor();
}

/** The user of each row. */
async function users(page: Page): Promise<string[]> {
  await settled(page);
  return page.locator('.events tbody tr:not(.whole) td:nth-child(3)').allInnerTexts();
}

describe('filters', () => {
  it('a person asks for status >= 400 and sees how many there are; the address says it', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.getByText(`${toText(log.length)} events in total`).waitFor();
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('properties.status');
    // What is known of the path is said: its types with counts, and examples.
    await page.getByText(`number in ${toText(log.length)} events`).waitFor();
    await page.getByLabel('Comparison').selectOption('GREATER_THAN_OR_EQUALS');
    await page.getByLabel('Value', { exact: true }).fill('400');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, failed.length);
    expect(asked(page)).toBe(filtered(FAILED));

    await page.reload();
    await shows(page, failed.length);
    await page.getByRole('button', { name: /Remove the filter/ }).click();
    await page.getByText(`${toText(log.length)} events in total`).waitFor();
    await page.goBack();
    await shows(page, failed.length);
  });

  it('whoever adds a filter goes on with its path, a second one too', async () => {
    const { page } = await visits().open('#/explore/shop');
    for (const path of ['properties.status', 'properties.bytes']) {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await typeFocused(page, path);
      await page.keyboard.press('Tab');
      await page.getByLabel('Comparison').selectOption('IS_NOT_NULL');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByLabel(`Remove the filter on ${path}`).waitFor();
    }
  });

  it('fields show what is asked when what was typed is discarded, or a filter before them goes', async () => {
    const { page } = await visits().open(
      filtered(
        { property: 'properties.bytes', comparison: 'IN', value: [1, 2] },
        { property: 'userId', comparison: 'IN', value: ['a'] },
      ),
    );
    const lists = page.locator('.condition textarea');
    await page.getByRole('button', { name: 'bytes is one of 1, 2' }).click();
    await expect.poll(() => lists.inputValue()).toBe('1\n2');
    const chip = page.getByRole('button', { name: 'userId is one of "a"' });
    await chip.click();
    await expect.poll(() => lists.inputValue()).toBe('a');
    await lists.fill('b');
    await page.getByRole('button', { name: 'Discard' }).click();
    await chip.click();
    await expect.poll(() => lists.inputValue()).toBe('a');
    await lists.fill('c');
    await page.getByLabel('Remove the filter on properties.bytes').click();
    await expect.poll(() => page.locator('.filter-chip').count()).toBe(1);
    await expect.poll(() => lists.inputValue()).toBe('c');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('"value":["c"]');
    await expect.poll(() => page.locator('.filter-chip').allInnerTexts()).toEqual(['userId is one of "c"']);
  });

  it('a path that was typed before anything is known of it gets its type when that is', async () => {
    const { page } = await visits().open('#/usage/shop');
    const answer = await hold(page, 'properties/shop');
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('properties.status');
    await page.getByLabel('Comparison').selectOption('GREATER_THAN_OR_EQUALS');
    await page.getByLabel('Value', { exact: true }).fill('400');
    await expect.poll(() => page.getByLabel('Type of the value').inputValue()).toBe('text');
    answer();
    await expect.poll(() => page.getByLabel('Type of the value').inputValue()).toBe('number');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, failed.length);
  });

  it('suggests the paths that events have, with their types', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').press('ArrowDown');
    const offered = page.getByRole('listbox', { name: 'paths' }).locator('li');
    const wanted = ['eventName', 'properties.agent.browser.name string', 'properties.bytes number'];
    const texts = async () => (await offered.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(await texts()).toEqual(expect.arrayContaining(wanted));
    // What begins with the typed text, at any level, comes before what only has it.
    await page.getByLabel('Property').fill('ma');
    expect((await texts())[0]).toBe('properties.agent.browser.major number');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.agent.browser.major');
    await expect.poll(() => page.getByLabel('Type of the value').inputValue()).toBe('number');
  });

  it('groups of any, all and not, in each other', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.getByRole('button', { name: 'Any of…', exact: true }).click();
    const group = page.locator('fieldset.group').first();
    await group.getByLabel('Property').fill('properties.status');
    await group.getByLabel('Value', { exact: true }).fill('500');
    await group.getByRole('button', { name: 'Filter', exact: true }).click();
    await group.getByLabel('Property').nth(1).fill('properties.bot');
    await group.getByLabel('Value', { exact: true }).nth(1).selectOption('true');
    await page.getByRole('button', { name: 'Apply' }).click();
    const either = log.filter((event) => statusOf(event) === 500 || event.properties.bot === true);
    await shows(page, either.length);
    await page.getByRole('button', { name: '(status = 500 or bot = true)' }).click();
    await page.getByLabel('Group operator').selectOption('not anyOf');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, log.length - either.length);
    await page.getByRole('button', { name: 'not (status = 500 or bot = true)' }).waitFor();
  });

  it('days in UTC, both included, and an event by its name', async () => {
    const { page } = await visits().open('#/explore/shop');
    await chooseEvent(page, 'page_viewed');
    await openCustom(page);
    await page.getByLabel('From (UTC)').fill('2026-05-18T00:00');
    await page.getByLabel('Until (UTC)').fill('2026-05-20T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    const within = log.filter(
      ({ eventName, eventTs }) =>
        eventName === 'page_viewed' && eventTs >= '2026-05-18' && eventTs < '2026-05-20',
    );
    await shows(page, within.length);
    // Whole days are asked for as days, both included, as links always did.
    expect(asked(page)).toContain('after=2026-05-18&before=2026-05-19');
  });

  it('a question that is refused is answered in words, and the page goes on', async () => {
    const { page, expects } = await visits().open(filtered({ ...FAILED, value: 'x', property: 'nothing' }));
    expects(/status of 400/);
    await page.getByRole('alert').first().waitFor();
    await expect.poll(() => page.getByRole('alert').first().innerText()).toContain('nothing');
    await page.getByRole('button', { name: /Remove the filter/ }).click();
    await page.getByText(`${toText(log.length)} events in total`).waitFor();
  });
});

describe('time', () => {
  it('a drag over the bars asks the server for those days, a click for one', async () => {
    const { page } = await visits().open('#/explore/shop?unit=day');
    const chart = page.locator('svg.chart');
    // What comes above it and beside it has its place then.
    await page.getByText(`${toText(log.length)} events in total`).waitFor();
    await chart.waitFor();
    await settled(page);
    const { x, y, width, height } = (await chart.boundingBox())!;
    const day = (i: number) => x + (width / 4) * (i + 0.5);
    await page.mouse.move(day(1), y + height / 2);
    await page.mouse.down();
    await page.mouse.move(day(2), y + height / 2, { steps: 4 });
    await page.mouse.up();
    const on = (from: string, before: string) =>
      log.filter(({ eventTs }) => eventTs >= from && eventTs < before).length;
    await shows(page, on('2026-05-18', '2026-05-20'));
    await page.getByText('Showing 2026-05-18 00:00 to 2026-05-20 00:00 (UTC).').waitFor();

    // Two days are shown by the hour now; what is dragged over are hours then.
    await page.getByLabel('Interval').selectOption('hour');
    await page.locator('.histogram[aria-busy=false] svg.chart[aria-label^="48 "]').waitFor();
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.up();
    await shows(page, on('2026-05-18T00', '2026-05-18T01'));
  });

  it('the same figures stand in a table, whose rows ask as well', async () => {
    const { page } = await visits().open('#/explore/shop?unit=day');
    await page.getByText('Show as table').click();
    const table = page.getByRole('region', { name: 'Events over time' });
    const cells = await table.locator('tbody td.number').allInnerTexts();
    expect(cells.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0)).toBe(log.length);
    await table.getByRole('button', { name: 'Only this: Sun 2026-05-17' }).click();
    await shows(page, log.filter(({ eventTs }) => eventTs < '2026-05-18').length);
  });

  it('a month is asked for from its first day through its last', async () => {
    const { page } = await visits().open('#/explore/shop?unit=month');
    await page.getByText('Show as table').click();
    await page.getByRole('button', { name: 'Only this: 2026-05-01' }).click();
    await expect.poll(() => asked(page)).toContain('after=2026-05-01&before=2026-05-31');
  });
});

describe('breakdown', () => {
  it('by status: each value with events and distinct users, and a click on one asks for it', async () => {
    const { page } = await visits().open(filtered(FAILED));
    await page.getByLabel('By the values of').fill('properties.status');
    await page.keyboard.press('Enter');
    for (const status of [404, 500]) {
      const of = log.filter((event) => statusOf(event) === status);
      const distinct = new Set(of.map(({ userId }) => userId)).size;
      const bar = page.locator('.bars li', { hasText: new RegExp(`^${status}`) });
      await bar.getByText(toText(of.length)).waitFor();
      await bar.getByText(`${distinct} users`).waitFor();
    }
    await page.getByRole('button', { name: 'not: 404' }).click();
    await shows(page, log.filter((event) => statusOf(event) === 500).length);
    expect(asked(page)).toContain('by=properties.status');
  });

  it('the groups of the path before, while others are on their way, ask by their own path', async () => {
    const { page } = await visits().open(`${filtered(FAILED)}&by=properties.status`);
    await page.getByRole('button', { name: 'only: 404' }).waitFor();
    const answer = await hold(page, 'breakdown/shop');
    await page.getByLabel('By the values of').fill('properties.agent.browser.name');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'only: 404' }).click();
    await shows(page, log.filter((event) => statusOf(event) === 404).length);
    answer();
    await page.getByRole('button', { name: 'only: 404' }).waitFor({ state: 'detached' });
  });

  it('a value that is asked for already is not asked for once more', async () => {
    const { page } = await visits().open('#/explore/shop?by=properties.method');
    await page.getByRole('button', { name: 'only: GET' }).click();
    await shows(page, log.filter(({ properties }) => properties.method === 'GET').length);
    const before = asked(page);
    await page.getByRole('button', { name: 'only: GET' }).click();
    expect(asked(page)).toBe(before);
    await expect.poll(() => page.locator('.filter-chip').count()).toBe(1);
  });

  it('what is missing is one thing, other values are another', async () => {
    const { page } = await visits().open('#/explore/shop?by=properties.referrer.host');
    const without = log.filter(({ properties }) => properties.referrer === undefined);
    await page
      .locator('.bars li', { hasText: 'missing or null' })
      .getByText(toText(without.length))
      .waitFor();
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop?by=properties.page`);
    await page.locator('.bars li.other', { hasText: 'other values' }).waitFor();
  });
});

describe('rows', () => {
  it('open to the whole event; "not this" and "only this" ask by the value', async () => {
    const { page } = await visits().open(filtered(FAILED));
    await settled(page);
    const [newest] = [...failed].sort(byNewest);
    await page.locator('button.opener').first().click();
    const json = page.locator('.json');
    await json.getByText(newest!.insertId).waitFor();
    await json.getByRole('button', { name: 'not this: properties.method' }).click();
    const others = failed.filter(({ properties }) => properties.method !== newest!.properties.method);
    await shows(page, others.length);
    await page.goBack();
    await shows(page, failed.length);
    // What was open is open still.
    await json.getByRole('button', { name: 'only this: properties.status' }).click();
    await shows(page, failed.filter((event) => statusOf(event) === statusOf(newest!)).length);
  });

  it('a value of a list is asked for as one of the list', async () => {
    const { page } = await visits().open('#/explore/shop');
    await settled(page);
    const [newest] = [...log].sort(byNewest);
    const [section] = newest!.properties.sections as [string];
    await page.locator('button.opener').first().click();
    await page.getByRole('button', { name: 'only this: properties.sections' }).first().click();
    await shows(
      page,
      log.filter(({ properties }) => (properties.sections as string[])[0] === section).length,
    );
  });

  it('lead to what else happened around them, of the same user and of everybody', async () => {
    const { page } = await visits().open(filtered(FAILED));
    await settled(page);
    const [newest] = [...failed].sort(byNewest);
    const at = Date.parse(newest!.eventTs);
    const around = log.filter(({ eventTs }) => Math.abs(Date.parse(eventTs) - at) < 300_000);
    await page.locator('button.opener').first().click();
    await page.getByRole('link', { name: 'of everybody' }).click();
    await shows(page, around.length);
    await page.goBack();
    await shows(page, failed.length);
    await page.getByRole('link', { name: 'of this user' }).click();
    await shows(page, around.filter(({ userId }) => userId === newest!.userId).length);
  });

  it('come in the order of a column of numbers by clicks on its head', async () => {
    const { page } = await visits().open('#/explore/shop?columns=properties.status,properties.method');
    await settled(page);
    const firstStatus = () => page.locator('.events tbody tr').first().locator('td').nth(3).innerText();
    const statuses = log.map(statusOf);
    const head = page.getByRole('columnheader', { name: /status/ });
    const sorted = () => head.getAttribute('aria-sort');
    expect(await page.getByRole('columnheader', { name: /method/ }).getAttribute('aria-sort')).toBeNull();
    await head.getByRole('button').click();
    await expect.poll(sorted).toBe('descending');
    await expect.poll(firstStatus).toBe(String(Math.max(...statuses)));
    await head.getByRole('button').click();
    await expect.poll(sorted).toBe('ascending');
    await expect.poll(firstStatus).toBe(String(Math.min(...statuses)));
    await head.getByRole('button').click();
    await expect.poll(sorted).toBe('none');
    expect(new URL(page.url()).hash).not.toContain('of=');
  });

  it('columns are chosen, dropped and kept in the address', async () => {
    const { page } = await visits().open('#/explore/shop');
    await addColumn(page, 'properties.agent.browser.name');
    const head = page.getByRole('columnheader', { name: /agent.browser.name/ });
    await head.waitFor();
    await page.reload();
    await settled(page);
    const cells = await page.locator('.events tbody td:nth-child(4)').allInnerTexts();
    const newest = [...log].sort(byNewest).slice(0, 50);
    expect(cells).toEqual(
      newest.map(({ properties }) => (properties.agent as { browser: { name: string } }).browser.name),
    );
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('button', { name: /Remove the column/ }).click();
    await head.waitFor({ state: 'detached' });
  });

  it('pages by cursor: no event twice, none left out; another question begins anew', async () => {
    const { page } = await visits().open(filtered(FAILED));
    const wanted = [...failed].sort(byNewest).map(({ userId }) => userId);
    const showsPage = (at: number) =>
      expect.poll(() => users(page)).toEqual(wanted.slice(50 * at, 50 * (at + 1)));
    await showsPage(0);
    for (let at = 1; at < 3; at++) {
      await page.getByRole('button', { name: 'Next 50' }).click();
      await showsPage(at);
      // It is read from its first row on.
      const top = `document.querySelector('.rows').getBoundingClientRect().top`;
      expect(Math.abs(await page.evaluate<number>(top))).toBeLessThan(450);
    }
    await page.goBack();
    await showsPage(1);
    await chooseEvent(page, 'page_viewed');
    await expect.poll(() => asked(page)).not.toContain('cursor');
  });
});

describe('what is taken along', () => {
  it('curl, body, client code and command, run as they were copied, find the same events', async () => {
    // An apostrophe ends a word of a shell.
    const others = { property: 'userId', comparison: 'NOT_EQUALS', value: "O'Brien; exit 1" };
    const { page, context } = await visits().open(filtered(FAILED, others));
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openShare(page);
    await page.getByRole('button', { name: 'Copy query' }).click();
    const dialog = page.getByRole('dialog');
    const copied = async (tab: string, name: string) => {
      await dialog.getByRole('tab', { name: tab }).click();
      return copyBy(page, dialog.getByRole('button', { name: `Copy ${name}` }));
    };
    const newest = [...failed].sort(byNewest).map(({ insertId }) => insertId);
    const idsOf = (text: string) =>
      (JSON.parse(text) as { insertId: string }[]).map(({ insertId }) => insertId);

    const curl = (await copied('curl', 'curl')).replace('<SECRET>', tenant.secret);
    const byCurl = idsOf(runInShell(curl));
    expect(byCurl).toEqual(newest.slice(0, byCurl.length));
    expect(byCurl.length).toBeGreaterThan(0);

    expect(JSON.parse(await copied('Body', 'request body'))).toEqual({ filterSet: [FAILED, others] });

    const code = (await copied('Client', 'client code')).replace("'event-query/client'", `'${clientUrl()}'`);
    const byClient = runInShell(`node --input-type=module -e "$CODE"`, {
      API_KEY: tenant.secret,
      CODE: `${code}\nconsole.log(JSON.stringify(events));`,
    });
    expect(idsOf(byClient)).toEqual(byCurl);

    const command = (await copied('Command', 'CLI command')).replace('npx event-query', `node ${cliPath()}`);
    const byCommand = runInShell(command, { EVENT_QUERY_DB: visits().db });
    for (const id of byCurl.slice(0, 5)) expect(byCommand).toContain(id);

    // Tab reaches only the chosen tab; the arrow keys lead to the others, in a ring.
    await dialog.getByRole('tab', { name: 'Command' }).press('ArrowRight');
    await dialog.getByRole('tab', { name: 'curl', selected: true }).press('ArrowLeft');
    await dialog.getByRole('tab', { name: 'Command', selected: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('what else is on the screen is copied as well: the count, the chart and the groups', async () => {
    const question = new URLSearchParams({
      filter: JSON.stringify([FAILED]),
      range: 'all',
      by: 'properties.method',
    });
    const { page, context } = await visits().open(`#/explore/shop?${question.toString()}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await shows(page, failed.length);
    await openShare(page);
    await page.getByRole('button', { name: 'Copy query' }).click();
    const dialog = page.getByRole('dialog');
    const answerTo = async (what: string) => {
      await dialog.getByLabel('What is copied').selectOption(what);
      const curl = await copyBy(page, dialog.getByRole('button', { name: 'Copy curl' }));
      return JSON.parse(runInShell(curl.replace('<SECRET>', tenant.secret))) as unknown;
    };
    expect(await answerTo('Count')).toEqual({ count: failed.length });
    expect(await answerTo('Over time')).toMatchObject({ total: failed.length });
    const methods = new Map<unknown, number>();
    for (const { properties } of failed)
      methods.set(properties.method, (methods.get(properties.method) ?? 0) + 1);
    const { groups } = (await answerTo('Break down by method')) as {
      readonly groups: readonly { readonly key: unknown; readonly count: number }[];
    };
    expect(new Map(groups.map(({ key, count }) => [key, count]))).toEqual(methods);
    await dialog.getByRole('tab', { name: 'Client' }).click();
    const text = await copyBy(page, dialog.getByRole('button', { name: 'Copy client code' }));
    const code = text.replace("'event-query/client'", `'${clientUrl()}'`);
    const byClient = runInShell(`node --input-type=module -e "$CODE"`, {
      API_KEY: tenant.secret,
      CODE: `${code}\nconsole.log(JSON.stringify(breakdown.groups));`,
    });
    expect(JSON.parse(byClient)).toEqual(groups);
  });

  it('exports every event that matches, whole, where no page may write files', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${filtered(FAILED)}`);
    await shows(page, failed.length);
    const save = async (form: string) => {
      const saved = page.waitForEvent('download');
      await openShare(page);
      await page.getByRole('button', { name: `Export ${form}` }).click();
      const download = await saved;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const { name, text } = await save('NDJSON');
    expect(name).toBe('shop_all-time_filtered.ndjson');
    const exported = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as (typeof log)[number]);
    const whole = (events: readonly (typeof log)[number][]) =>
      [...events]
        .sort(byNewest)
        .map(({ insertId, userId, properties }) => ({ insertId, userId, properties }));
    expect(whole(exported)).toEqual(whole(failed));
    const csv = await save('CSV');
    expect(csv.text.trimEnd().split('\r\n').length).toBe(failed.length + 1);
  });

  it('exports a file of several pieces with each event once', async () => {
    const { page, context } = await visits().open('#/keys/large');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard#/explore/large?range=all`);
    await page.getByText('24 events in total').waitFor();
    const saved = page.waitForEvent('download');
    await openShare(page);
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    const ids = [...text.matchAll(/"insertId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids.sort()).toEqual(large.map(({ insertId }) => insertId).sort());
  });

  it('exports into the chosen file, where pages may, and leaves it where that is stopped', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    // Who chooses is a person; the file is one of the browser's own.
    await context.addInitScript(`globalThis.showSaveFilePicker = async ({ suggestedName }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${filtered(FAILED)}`);
    await shows(page, failed.length);
    const saved = () =>
      page.evaluate<string>(`navigator.storage.getDirectory()
        .then((folder) => folder.getFileHandle('shop_all-time_filtered.ndjson'))
        .then((file) => file.getFile())
        .then((file) => file.text(), () => '')`);
    const ids = (text: string) =>
      [...text.matchAll(/"insertId":"([^"]+)"/g)].map(([, id]) => id!).sort((a, b) => (a < b ? -1 : 1));
    const ofFailed = ids(failed.map((event) => JSON.stringify(event)).join('\n'));
    await openShare(page);
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    await expect.poll(async () => ids(await saved())).toEqual(ofFailed);
    await expect.poll(() => page.getByText('This browser holds the file').count()).toBe(0);

    await page.getByRole('button', { name: /Remove the filter/ }).click();
    await page.getByText(`${toText(log.length)} events in total`).waitFor();
    const answer = await hold(page, 'export/shop');
    await openShare(page);
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    answer();
    expect(ids(await saved())).toEqual(ofFailed);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('an export whose page is left is not asked for any further', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${filtered(FAILED)}`);
    await shows(page, failed.length);
    const answer = await hold(page, 'export/shop');
    const ended = new Promise<string>((resolve) =>
      context.on('requestfailed', (request) => {
        if (request.url().includes('/export/')) resolve(request.failure()!.errorText);
      }),
    );
    await openShare(page);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    expect(await ended).toContain('ERR_ABORTED');
    answer();
  });
});

/** Where the built client is: what was copied names the package, which is not installed here. */
function clientUrl(): string {
  return new URL('../../dist/client.js', import.meta.url).href;
}

function cliPath(): string {
  return new URL('../../dist/cli.js', import.meta.url).pathname;
}
