import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';

const NOW = '2026-05-20T12:00:00.000Z';
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-05-01T12:00:00.000Z');

/** Something that a user does so many hours after the first of May at noon. */
const did = (eventName: string, user: number, hours: number, properties: object = {}): SentEvent => ({
  ...{ eventName, userId: `u${String(user).padStart(2, '0')}`, insertId: `${eventName}-${user}-${hours}` },
  ...{ eventTs: new Date(START_MS + hours * HOUR_MS).toISOString(), properties: { ...properties } },
});
const users = (count: number) => Array.from({ length: count }, (_, i) => i);
/**
 * Thirty look, twenty of them fill a cart after an hour, and eight of these buy after two days more. Six
 * read, each a day after the one before.
 */
const events: readonly SentEvent[] = [
  ...users(30).map((i) => did('looked', i, i / 10, { plan: i % 3 === 0 ? 'pro' : 'free' })),
  ...users(20).map((i) => did('filled', i, i / 10 + 1)),
  ...users(8).map((i) => did('bought', i, i / 10 + 49, { total: i })),
  ...users(6).map((i) => did('read', i, i * 24)),
];

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', events),
});

const asked = (page: Page) => decodeURIComponent(new URL(page.url()).hash);
const stepsText = (names: readonly string[]) => JSON.stringify(names.map((event) => ({ event })));
const placeOf = (names: readonly string[], more = '') =>
  `#/funnel/shop?range=all&steps=${encodeURIComponent(stepsText(names))}${more}`;
/** How many users each step has, as the page shows it. */
const counts = async (page: Page) => {
  const texts = await page.locator('.funnel[aria-busy=false] .reached .bar-figure').allInnerTexts();
  return texts.map((text) => Number(text.split(/\s/)[0]));
};
const choose = async (page: Page, label: string, text: string) => {
  await page.getByRole('combobox', { name: label }).fill(text);
  // Only a name that is offered can be taken, so the names must have come. Any path can.
  if (label.startsWith('Event')) await page.getByRole('option', { name: text }).first().waitFor();
  await page.keyboard.press('Enter');
};
const ALL = ['looked', 'filled', 'bought'];

describe('a funnel', () => {
  it('is made of steps that one chooses, and its address survives a reload and the way back', async () => {
    const { page } = await openAt(visits(), NOW, '#/funnel/shop?range=all');
    await page.getByText('Choose what each step is').waitFor();
    await choose(page, 'Event of step 1', 'looked');
    await choose(page, 'Event of step 2', 'filled');
    await expect.poll(() => counts(page)).toEqual([30, 20]);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await choose(page, 'Event of step 3', 'bought');
    await expect.poll(() => counts(page)).toEqual([30, 20, 8]);
    expect(asked(page)).toContain(stepsText(ALL));
    await page.getByText('40% of the step before').waitFor();
    await page.getByText('2 d, 2 d after it').waitFor();
    await page.reload();
    await expect.poll(() => counts(page)).toEqual([30, 20, 8]);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => counts(page)).toEqual([30, 20]);
  });

  it('has steps in another order by a button and by a drag', async () => {
    const { page } = await openAt(visits(), NOW, placeOf(ALL));
    await expect.poll(() => counts(page)).toEqual([30, 20, 8]);
    await page.getByRole('button', { name: 'Move up step 2' }).click();
    // Nobody looks after the cart is full.
    await expect.poll(() => counts(page)).toEqual([20, 0, 0]);
    const boxOf = async (at: number) => (await page.locator('.step .step-number').nth(at).boundingBox())!;
    const [from, to] = [await boxOf(0), await boxOf(1)];
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => counts(page)).toEqual([30, 20, 8]);
    expect(asked(page)).toContain(stepsText(ALL));
    await page.getByRole('button', { name: 'Remove step 3' }).click();
    await expect.poll(() => counts(page)).toEqual([30, 20]);
    await expect.poll(() => page.getByRole('button', { name: 'Remove step 2' }).isDisabled()).toBe(true);
  });

  it('takes a time for all steps, filters of a step, and groups', async () => {
    const { page } = await openAt(visits(), NOW, placeOf(ALL));
    await page.getByLabel('Within').selectOption('1 day');
    await expect.poll(() => counts(page)).toEqual([30, 20, 0]);
    await page.getByLabel('Within').selectOption('any time');
    await page.locator('.step').nth(2).getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Property' }).fill('properties.total');
    await page.getByLabel('Comparison').selectOption('GREATER_THAN_OR_EQUALS');
    await page.locator('.draft .value').fill('5');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => counts(page)).toEqual([30, 20, 3]);
    await choose(page, 'Groups by', 'properties.plan');
    const rows = page.getByRole('region', { name: 'Groups by step' }).locator('tbody tr');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
    const texts = (await rows.allInnerTexts()).map((text) => text.split(/\s+/).slice(0, 4));
    const isPro = (i: number) => i % 3 === 0;
    const of = (count: number, pro: boolean) => users(count).filter((i) => isPro(i) === pro).length;
    const bought = (pro: boolean) => [5, 6, 7].filter((i) => isPro(i) === pro).length;
    expect(texts).toEqual([
      ['free', `${of(30, false)}`, `${of(20, false)}`, `${bought(false)}`],
      ['pro', `${of(30, true)}`, `${of(20, true)}`, `${bought(true)}`],
    ]);
  });

  it('takes an offered path by Enter, and what is typed is none of the page that comes next', async () => {
    const { page } = await openAt(visits(), NOW, placeOf(ALL));
    await expect.poll(() => counts(page)).toEqual([30, 20, 8]);
    const field = page.getByRole('combobox', { name: 'Groups by' });
    await field.click();
    await page.keyboard.type('pla');
    await page.getByRole('option', { name: /properties\.plan/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Groups by step' }).waitFor();
    expect(asked(page)).toContain('by=properties.plan');
    await expect.poll(() => field.inputValue()).toBe('properties.plan');
    // Whoever goes on typing types in place of it.
    await field.click();
    await page.keyboard.type('tot');
    await expect.poll(() => field.inputValue()).toBe('tot');
    await page.evaluate(`location.hash = '#/explore/shop?range=all'`);
    await page.locator('.rows[aria-busy=false]').waitFor();
    expect(asked(page)).toBe('#/explore/shop?range=all');
  });

  it('says what is asked of all its steps, which can be taken off; those who stopped alike', async () => {
    const filter = JSON.stringify([{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }]);
    const more = new URLSearchParams({ filter, event: 'looked' }).toString();
    const { page } = await openAt(visits(), NOW, placeOf(ALL.slice(0, 2), `&${more}`));
    await expect.poll(() => counts(page)).toEqual([10, 0]);
    await page.getByText('Event: looked').waitFor();
    await page.getByRole('button', { name: 'plan = "pro"' }).waitFor();
    await page.getByRole('link', { name: 'Who stopped here: 10' }).click();
    await page.getByRole('heading', { name: 'Users who stopped at step 1' }).waitFor();
    await expect.poll(() => page.locator('td a.user').count()).toBe(10);
    await page.getByText('Event: looked').waitFor();
    await page.getByRole('link', { name: 'Show the funnel' }).click();
    await page.getByRole('button', { name: 'Remove the filter on properties.plan' }).click();
    await expect.poll(() => counts(page)).toEqual([30, 0]);
    await page.getByRole('button', { name: 'Remove the event' }).click();
    await expect.poll(() => counts(page)).toEqual([30, 20]);
    expect(asked(page)).not.toContain('event=');
  });

  it('begins with the question of the explorer, to which the menu leads back', async () => {
    const filter = JSON.stringify([{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }]);
    const question = new URLSearchParams({ event: 'looked', filter, range: 'all' }).toString();
    const { page } = await openAt(visits(), NOW, `#/explore/shop?${question}`);
    await page.locator('.count', { hasText: '10 events match' }).waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await expect.poll(() => page.locator('td a.user').count()).toBe(10);
    await page.getByRole('link', { name: 'Retention' }).click();
    await page.getByRole('button', { name: 'plan = "pro"' }).waitFor();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Event of start' }).inputValue())
      .toBe('looked');
    await page.getByRole('link', { name: 'Funnel' }).click();
    await choose(page, 'Event of step 2', 'looked');
    await expect.poll(() => counts(page)).toEqual([10, 0]);
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.locator('.count', { hasText: '10 events match' }).waitFor();
  });

  it('leads from a step to those who stopped there', async () => {
    const { page } = await openAt(visits(), NOW, placeOf(ALL, '&zone=Asia%2FKolkata'));
    await page.getByRole('link', { name: 'Who stopped here: 12' }).click();
    await page.getByRole('heading', { name: 'Users who stopped at step 2' }).waitFor();
    const named = () => page.locator('td a.user').allInnerTexts();
    await expect.poll(named).toEqual(
      users(20)
        .slice(8)
        .map((i) => `u${String(i).padStart(2, '0')}`),
    );
    await page.reload();
    await expect.poll(async () => (await named()).length).toBe(12);
    await page.getByRole('link', { name: 'Show the funnel' }).click();
    await page.getByRole('link', { name: 'Who came through' }).click();
    await page.getByRole('heading', { name: 'Users who reached step 3' }).waitFor();
    await expect.poll(async () => (await named()).length).toBe(8);
    await page.locator('td a.user').first().click();
    await page.getByRole('heading', { name: 'u00' }).waitFor();
  });

  it('leads to those of its own moment, however long it was open', async () => {
    const place = placeOf(['looked', 'filled']).replace('range=all', 'range=24h');
    const { page, setClock } = await openAt(visits(), '2026-05-02T13:27:00.000Z', place);
    // The first half of the looks is more than a day old, and an hour later only five are not.
    await expect.poll(() => counts(page)).toEqual([15, 5]);
    await setClock('2026-05-02T14:27:00.000Z');
    await page.getByRole('link', { name: 'Who stopped here: 10' }).click();
    await page.getByRole('heading', { name: 'Users who stopped at step 1' }).waitFor();
    const stopped = users(30).slice(20);
    const named = () => page.locator('td a.user').allInnerTexts();
    await expect.poll(named).toEqual(stopped.map((i) => `u${i}`));
    await page.reload();
    await expect.poll(named).toEqual(stopped.map((i) => `u${i}`));
  });

  it('leads to those of its days, and of no other', async () => {
    const place = placeOf(['read', 'looked']).replace('range=all', 'after=2026-05-02&before=2026-05-03');
    const { page } = await openAt(visits(), NOW, place);
    await expect.poll(() => counts(page)).toEqual([2, 0]);
    await page.getByRole('link', { name: 'Who stopped here: 2' }).click();
    await page.getByRole('heading', { name: 'Users who stopped at step 1' }).waitFor();
    await expect.poll(() => page.locator('td a.user').allInnerTexts()).toEqual(['u01', 'u02']);
  });

  it('has users with the time of the asked step, also of those who came further', async () => {
    const place = placeOf(ALL, '&reached=2').replace('funnel', 'users');
    const { page } = await openAt(visits(), NOW, place);
    await page.getByRole('heading', { name: 'Users who reached step 2' }).waitFor();
    const times = () => page.locator('td[data-label="Step 2"] time').allInnerTexts();
    const filled = users(20).map((i) => did('filled', i, i / 10 + 1).eventTs);
    await expect.poll(times).toEqual(filled.map((iso) => iso.slice(0, 19).replace('T', ' ')));
  });

  it('of an address that holds none says so', async () => {
    const { page } = await openAt(visits(), NOW, '#/funnel/shop?steps=%5B');
    await page.getByText('This link contains an unreadable step.').waitFor();
  });
});

describe('a retention', () => {
  const cells = async (page: Page) => {
    await page.locator('[aria-busy=false] .cohorts').waitFor();
    return page.evaluate<string[][]>(
      `[...document.querySelectorAll('.cohorts tbody tr')].map((row) =>
        [...row.cells].map((cell) => cell.textContent.trim()))`,
    );
  };
  const START = `#/retention/shop?range=all&steps=${encodeURIComponent(stepsText(['looked', 'bought']))}`;

  it('is a table of cohorts, whose address survives a reload', async () => {
    const { page } = await openAt(visits(), NOW, '#/retention/shop?range=all');
    await page.getByText('Choose what a start and a return are').waitFor();
    await choose(page, 'Event of start', 'looked');
    await choose(page, 'Event of return', 'bought');
    await page.getByLabel('Cohorts by').selectOption('Day');
    await page.getByLabel('How many').selectOption('4');
    await expect.poll(() => cells(page)).toEqual([['2026-05-01', '30', '0% 0', '0% 0', '26.7% 8', '0% 0']]);
    await page.getByLabel('Returns').selectOption('In it or later');
    const later = [['2026-05-01', '30', '26.7% 8', '26.7% 8', '26.7% 8', '0% 0']];
    await expect.poll(() => cells(page)).toEqual(later);
    await page.reload();
    await expect.poll(() => cells(page)).toEqual(later);
    expect(asked(page)).toContain('cohort=day');
  });

  it('has days of the zone, or windows from each start', async () => {
    const { page, go } = await openAt(visits(), NOW, `${START}&cohort=day&periods=4`);
    await cells(page);
    // In Kiritimati, 14 hours ahead, the looks from ten o'clock UTC on are of the next day.
    await go(`${START}&cohort=day&periods=4&zone=Pacific%2FKiritimati`);
    await expect.poll(() => cells(page)).toEqual([['2026-05-02', '30', '0% 0', '0% 0', '26.7% 8', '0% 0']]);
    await page.getByLabel('Periods', { exact: true }).selectOption('From each start, of 24 hours');
    // Two days and an hour after the look is within the third window.
    await expect.poll(() => cells(page)).toEqual([['2026-05-02', '30', '0% 0', '0% 0', '26.7% 8', '0% 0']]);
    await page.getByText('Start (Pacific/Kiritimati)').waitFor();
  });

  it('has weeks from each start where the address says months, which have no length', async () => {
    const { page } = await openAt(visits(), NOW, `${START}&cohort=month&windows=start&periods=4`);
    await expect.poll(() => cells(page)).toEqual([['2026-04-27', '30', '26.7% 8', '0% 0', '0% 0', '0% 0']]);
    expect(await page.getByLabel('Cohorts by').inputValue()).toBe('week');
  });

  it('counts anew for each choice of periods', async () => {
    const filled = START.replace('bought', 'filled');
    // In Brisbane it is midnight at 14 o'clock UTC: after twenty looks, and after ten of their carts.
    const zone = 'zone=Australia%2FBrisbane';
    const { page } = await openAt(visits(), NOW, `${filled}&cohort=day&periods=4&${zone}`);
    const late = ['2026-05-02', '10', '0% 0', '0% 0', '0% 0', '0% 0'];
    const ofCalendar = [['2026-05-01', '20', '50% 10', '50% 10', '0% 0', '0% 0'], late];
    await expect.poll(() => cells(page)).toEqual(ofCalendar);
    const periods = page.getByLabel('Periods', { exact: true });
    await periods.selectOption('From each start, of 24 hours');
    const fromStarts = [['2026-05-01', '20', '100% 20', '0% 0', '0% 0', '0% 0'], late];
    await expect.poll(() => cells(page)).toEqual(fromStarts);
    await periods.selectOption('Of the calendar, in the zone');
    await expect.poll(() => cells(page)).toEqual(ofCalendar);
  });

  it('leaves out what lies in the future, and marks what is not over', async () => {
    const { page } = await openAt(visits(), '2026-05-02T18:00:00.000Z', `${START}&cohort=day&periods=4`);
    await expect.poll(() => cells(page)).toEqual([['2026-05-01', '30', '0% 0', '0% 0', '26.7% 8', '']]);
    await expect.poll(() => page.locator('.cohorts em').count()).toBe(2);
  });
});
