import { describe, expect, it } from 'vitest';
import { useVisits } from './use-visits.ts';
import { linkIn, signIn } from './visits.ts';
import { openTime } from './waits.ts';

const visits = useVisits({ command: 'demo' });

describe('the first minute of the demo', () => {
  it('the printed link leads to an explorer with the events of the demo', async () => {
    const { page, expects } = await visits().stranger();
    expects(/status of 401/);
    const link = linkIn(visits().server.printed);
    await signIn(page, link);
    await page.getByRole('heading', { name: 'Explorer' }).waitFor();
    await page.locator('.count', { hasText: 'events match in the last 24 hours' }).waitFor();
    expect(page.url()).toBe(`${visits().server.origin}/dashboard`);
    await openTime(page);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByText('5,000 events in total').waitFor();

    const other = await visits().stranger();
    other.expects(/status of 401/);
    await other.page.goto(link);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('alert').waitFor();
    await other.page.getByText('You sign in by a link').waitFor();
  });

  it('each of its questions is one click away and has an answer', async () => {
    const { page } = await visits().open('');
    const first = page.getByRole('complementary', { name: 'Getting started' });
    const steps = first.getByRole('listitem').getByRole('link');
    await steps.first().waitFor();
    const texts = await steps.allInnerTexts();
    expect(texts.length).toBe(3);
    for (const [i] of texts.entries()) {
      await steps.nth(i).click();
      await expect.poll(() => steps.nth(i).getAttribute('aria-current')).toBe('step');
      await page.locator('.count', { hasText: /[1-9][\d,]* events match/ }).waitFor();
      await page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
    }
    // What was asked before is marked as done.
    const marks = async () => (await first.getByRole('listitem').allInnerTexts()).map((text) => text[0]);
    await expect.poll(marks).toEqual(['✓', '✓', '3']);
    await page.getByRole('columnheader', { name: 'plan' }).waitFor();
    await first.getByRole('button', { name: 'Close getting started' }).click();
    await page.reload();
    await page.getByText('events match').waitFor();
    await expect.poll(() => first.count()).toBe(0);
  });
});
