import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtCli } from '../support/built.ts';
import type { Locator, Page } from '../support/chromium.ts';
import { createFolder, createTenant, withAdmin } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { runInShell } from './shell.ts';
import { useVisits } from './use-visits.ts';
import { chooseEvent, copyBy, gone, hinder, listening } from './waits.ts';

const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'client', 'import', 'secret', 'watched']) await createTenant(db, alias);
    await withAdmin(db, async (admin) => {
      await admin.updateTenant('secret', { authStrategy: 'SERVER_SIDE' });
      const jwt = { issuer: 'https://id.example.com', audience: 'shop', jwksUrl: 'https://id.example.com/k' };
      await admin.createTenant({ alias: 'tokens', plan: 'growth' });
      await admin.updateTenant('tokens', { authStrategy: 'JWT', jwt });
    });
  },
});

/** Somebody who counts their clicks. */
function counting(page: Page) {
  let clicks = 0;
  return {
    click: async (what: Locator) => {
      clicks += 1;
      await what.click();
    },
    copy: async (what: Locator) => {
      clicks += 1;
      return copyBy(page, what);
    },
    clicks: () => clicks,
  };
}

async function open(place: string): Promise<Page> {
  const { page, context } = await visits().open(place);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
}
/** What the shown tab says to do. */
const code = (page: Page, label: string) => page.getByRole('region', { name: label }).innerText();

describe('an empty tenant', () => {
  it('leads from its making to the first event and to a first question in four clicks', async () => {
    const page = await open('#/tenants');
    const { click, copy, clicks } = counting(page);
    await click(page.getByRole('button', { name: 'New tenant' }));
    await page.getByRole('dialog').getByLabel('Alias').fill('fresh');
    await page.keyboard.press('Enter');
    const run = page.getByRole('region', { name: 'No events yet' });
    await run.getByText('Waiting for the first event…').waitFor();
    runInShell(await copy(run.getByRole('button', { name: 'Copy curl' })));
    await page.getByText('1 event received.').waitFor();
    await page.locator('.first-run .events').getByText('order_placed').waitFor();
    await click(page.getByRole('link', { name: 'Which events are there, from how many users?' }));
    await page.getByText('1 value, 1 distinct users, 1 event').waitFor();
    await page.getByText('1 event in total').waitFor();
    // The explorer knows the name that has arrived.
    await chooseEvent(page, 'order_placed');
    expect(clicks()).toBeLessThanOrEqual(4);
  });

  it('watches: it shows what comes later, and asks about the event and its user', async () => {
    const { page, expects } = await visits().open('#/keys/watched');
    // Looks that fail are made up for by the next one, also if the first that succeeds finds an event.
    expects(/ERR_FAILED/);
    let asked = 0;
    const letGo = await hinder(page, '**/query/count/watched', (route) => {
      asked += 1;
      // The explorer itself has to learn that there are none.
      return asked === 1 ? route.continue() : gone(route);
    });
    await page.getByRole('link', { name: 'Explorer', exact: true }).click();
    await page.getByText('Waiting for the first event…').waitFor();
    await expect.poll(() => asked).toBeGreaterThan(1);
    const [one, two] = accessLog(2);
    await sendBatch(visits().server.origin, 'watched', [one!]);
    letGo();
    await page.getByText('1 event received.').waitFor();
    await sendBatch(visits().server.origin, 'watched', [two!]);
    await page.getByText('2 events received.').waitFor();
    await expect.poll(() => page.locator('.first-run .opener').count()).toBe(2);
    await page.getByRole('link', { name: /^All events of/ }).click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });

  it('is told its own address in each way to send, and the client and the import do send', async () => {
    const page = await open('#/explore/client');
    const { origin } = visits().server;
    await page.getByRole('tab', { name: 'Web SDK' }).click();
    expect(await code(page, 'web SDK')).toContain(`tenantId: 'client',\n  apiUrl: '${origin}',\n});`);
    await page.getByRole('tab', { name: 'Client' }).click();
    const script = await code(page, 'client code');
    execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    await page.getByText('1 event received.').waitFor();

    const other = await open('#/explore/import');
    await other.getByRole('tab', { name: 'Import' }).click();
    const folder = createFolder();
    const event = { eventName: 'imported', userId: 'ada', eventTs: '2026-01-01T00:00:00.000Z' };
    writeFileSync(folder.file('events.ndjson'), `${JSON.stringify(event)}\n`);
    const command = (await code(other, 'import command'))
      .replace('npx event-query', `'${process.execPath}' '${builtCli()}'`)
      .replace('events.ndjson', folder.file('events.ndjson'));
    runInShell(command);
    await other.getByText('1 event received.').waitFor();
    folder.remove();
  });

  it('is told where its senders get a key or a token, by its strategy', async () => {
    const page = await open('#/explore/tokens');
    await page.getByText('access token from your identity provider').waitFor();
    const ways = [
      ['curl', 'curl', 'Authorization: Bearer <ACCESS_TOKEN>'],
      ['Client', 'client code', 'getToken: () => accessToken'],
      ['Web SDK', 'web SDK', "authStrategy: 'JWT'"],
      ['Import', 'import command', '--token-file token.txt'],
    ] as const;
    for (const [tab, label, says] of ways) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await code(page, label)).toContain(says);
    }
  });
});

describe('a task', () => {
  it('a key and its curl: three clicks', async () => {
    const page = await open('#/explore/secret');
    const { click, copy, clicks } = counting(page);
    await click(page.getByRole('button', { name: 'Generate a key' }));
    const dialog = page.getByRole('dialog');
    await click(dialog.getByRole('button', { name: 'Generate', exact: true }));
    runInShell(await copy(dialog.getByRole('button', { name: 'Copy curl' })));
    expect(clicks()).toBe(3);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('1 event received.').waitFor();
  });

  it('live while events come in: one click', async () => {
    const page = await open('#/explore/shop');
    const { click, clicks } = counting(page);
    await page.getByText('No events yet').waitFor();
    await click(page.getByRole('link', { name: 'Live', exact: true }));
    await listening(page);
    await sendBatch(visits().server.origin, 'shop', accessLog(5));
    await page.getByText('5 shown').waitFor();
    expect(clicks()).toBe(1);
  });
});
