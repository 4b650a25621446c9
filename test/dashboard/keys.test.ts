import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, withAdmin } from '../support/file.ts';
import { ask, sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { runInShell } from './shell.ts';
import { useVisits } from './use-visits.ts';
import { signIn } from './visits.ts';
import { copyBy } from './waits.ts';

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', accessLog(120)),
});

/** Generates a key as a person would, and leaves its secret open. */
async function generate(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Generate new secret' }).click();
  const form = page.getByRole('dialog', { name: 'Generate new secret' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Generate', exact: true }).click();
  return readSecret(page, name);
}

async function readSecret(page: Page, name: string): Promise<string> {
  const shown = page.getByRole('dialog', { name: `The secret of ${name}` });
  return (await shown.getByRole('region', { name: 'secret' }).innerText()).trim();
}

async function statusWith(secret: string): Promise<number> {
  const { status } = await ask(visits().server.origin, '/v1/api/query/events/shop', {
    method: 'GET',
    headers: { 'X-API-Key': secret },
  });
  return status;
}

describe('the page of keys', () => {
  it('shows a secret once: it opens the API, and nothing brings it back', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const secret = await generate(page, 'reports');
    expect(secret).toMatch(/^eqk_/);
    const dialog = page.getByRole('dialog');
    expect(await copyBy(page, dialog.getByRole('button', { name: 'Copy secret' }))).toBe(secret);
    const curl = await dialog.getByRole('region', { name: 'curl' }).innerText();
    expect(JSON.parse(runInShell(curl))).toEqual({ count: 120 });

    // Neither Escape, pressed as often as somebody likes, nor the way back closes its one view unseen.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await expect.poll(() => dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await dialog.waitFor({ state: 'detached' });

    const answers: Promise<string>[] = [];
    context.on('response', (response) => answers.push(response.text().catch(() => '')));
    const gone = async () => {
      await page.getByRole('row', { name: /reports/ }).waitFor();
      expect(await page.content()).not.toContain(secret);
    };
    await gone();
    await page.reload();
    await gone();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.goBack();
    await gone();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page
      .getByRole('row', { name: /created a key/ })
      .first()
      .waitFor();
    expect((await Promise.all(answers)).filter((text) => text.includes(secret))).toEqual([]);
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])';
    expect(await page.evaluate<string>(kept)).not.toContain(secret);
    expect(await page.content()).not.toContain(secret);
  });

  it('makes a key that reads only some events, and says so in its row', async () => {
    const { db, server } = visits();
    const { page } = await visits().open('#/keys/shop');
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    const form = page.getByRole('dialog', { name: 'Generate new secret' });
    await form.getByLabel('Name').fill('partner');
    await form.getByLabel('Reads only these events').fill('no_such_event\n other ');
    await form.getByRole('button', { name: 'Generate', exact: true }).click();
    const secret = await readSecret(page, 'partner');
    await page.getByRole('dialog').getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('row', { name: /partner/ });
    await expect.poll(() => row.innerText()).toContain('only eventName is one of "no_such_event", "other"');
    const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
    const { body } = await ask(server.origin, '/v1/api/query/count/shop', { headers, body: '{}' });
    expect(body).toEqual({ count: 0 });
    expect(await statusWith(secret)).toBe(403);
    const [stored] = await withAdmin(db, async (admin) =>
      (await admin.listKeys('shop')).filter(({ name }) => name === 'partner'),
    );
    const value = ['no_such_event', 'other'];
    expect(stored!.filterSet).toEqual([{ property: 'eventName', comparison: 'IN', value }]);
  });

  it('makes a public write key, which pages send with, and which can be copied again', async () => {
    const { db, server } = visits();
    const { page, context } = await visits().open('#/keys/shop');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await withAdmin(db, (admin) => admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' }));
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    const form = page.getByRole('dialog', { name: 'Generate new secret' });
    await form.getByLabel('Name').fill('pages');
    await form.getByRole('checkbox', { name: /write/ }).check();
    // It has no other permission, and what it is restricted to comes into view.
    await expect.poll(() => form.locator('input[type=checkbox]:checked').count()).toBe(1);
    await form.getByLabel('Origins').fill('https://shop.example\n\n http://localhost:3000 ');
    await form.getByLabel('Event names').fill('page_viewed');
    await form.getByLabel('Events a minute').fill('2');
    await form.getByRole('button', { name: 'Generate', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'The write key pages' });
    const key = (await shown.getByRole('region', { name: 'write key' }).innerText()).trim();
    expect(key).toMatch(/^eqw_[0-9a-f]{64}$/);
    await shown.getByRole('button', { name: 'Close', exact: true }).last().click();
    await shown.waitFor({ state: 'detached' });

    const row = page.getByRole('row', { name: /pages/ });
    await expect
      .poll(() => row.innerText())
      .toContain('https://shop.example, http://localhost:3000; page_viewed');
    expect(await copyBy(page, row.getByRole('button', { name: 'Copy the write key' }))).toBe(key);
    const [stored] = await withAdmin(db, async (admin) =>
      (await admin.listKeys('shop')).filter(({ name }) => name === 'pages'),
    );
    expect(stored!.restrictions).toEqual({
      origins: ['https://shop.example', 'http://localhost:3000'],
      eventNames: ['page_viewed'],
      ...{ eventsPerMinute: 2, eventsPerDay: 1_000_000 },
    });
    const sendFrom = async (origin: string) =>
      ask(server.origin, `/v1/events/shop/multi?writeKey=${key}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: origin },
        body: JSON.stringify([{ eventName: 'page_viewed', userId: 'ada' }]),
      }).then(({ status }) => status);
    expect([await sendFrom('https://shop.example'), await sendFrom('https://other.example')]).toEqual([
      200, 403,
    ]);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Events a day').waitFor();
    await withAdmin(db, (admin) => admin.updateTenant('shop', { authStrategy: 'NONE' }));
  });

  it('the answer with a secret may be kept by nobody', async () => {
    const { page } = await visits().open('#/keys/shop');
    const answered = page.waitForResponse((response) => response.url().includes('/keys/create/'));
    await generate(page, 'kept');
    expect((await answered).headers()['cache-control']).toContain('no-store');
  });

  it('rotates with an overlap, in which both secrets open, or at once', async () => {
    const { page } = await visits().open('#/keys/shop');
    const old = await generate(page, 'turning');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const rotate = async (until: string) => {
      await page.getByRole('button', { name: 'Rotate turning' }).click();
      await page.getByRole('dialog').getByLabel('The old secret expires').selectOption(until);
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      const next = await readSecret(page, 'turning');
      await page.getByRole('button', { name: 'I have saved it' }).click();
      return next;
    };
    const next = await rotate('3600000');
    await page
      .getByRole('row', { name: /turning/ })
      .getByText('2 secrets')
      .waitFor();
    expect([await statusWith(old), await statusWith(next)]).toEqual([200, 200]);
    const last = await rotate('0');
    expect(await Promise.all([old, next, last].map(statusWith))).toEqual([401, 401, 200]);
  });

  it('tells which key a secret is of by its end, and when it got another one', async () => {
    const { page } = await visits().open('#/keys/shop');
    const secret = await generate(page, 'leaked');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('row', { name: /^leaked/ });
    await row.getByText(`…${secret.slice(-4)}`).waitFor();
    expect(await row.getByText('rotated').count()).toBe(0);
    await page.getByRole('button', { name: 'Rotate leaked' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    const next = await readSecret(page, 'leaked');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await row.getByText(`…${next.slice(-4)}`).waitFor();
    await row.getByText('rotated').waitFor();
  });

  it('a key that is revoked is refused at the next request, and stays to be seen', async () => {
    const { page } = await visits().open('#/keys/shop');
    const secret = await generate(page, 'leaving');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await statusWith(secret)).toBe(200);
    await page.getByRole('button', { name: 'Revoke leaving' }).click();
    const revoked = page.waitForResponse((response) => response.url().includes('/keys/revoke/'));
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await revoked;
    expect(await statusWith(secret)).toBe(401);
    const row = page.getByRole('row', { name: /leaving/ });
    await row.getByText('revoked').waitFor();
    await expect.poll(() => row.getByRole('button').count()).toBe(0);
    // What was used before is told of it.
    await expect.poll(() => row.getByText('never').count()).toBe(1);
  });

  it('generates a key that sends only and ends with a day', async () => {
    const { page } = await visits().open('#/keys/shop');
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('sender');
    await form.getByRole('checkbox', { name: /ingest/ }).check();
    await form.getByRole('checkbox', { name: /query/ }).click();
    await form.getByLabel(/Expires after/).fill('2099-12-31');
    await form.getByRole('button', { name: 'Generate', exact: true }).click();
    const secret = await readSecret(page, 'sender');
    await page.getByText('Authorization: Chase').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    // It is no key of the Query API.
    expect(await statusWith(secret)).toBe(401);
    const row = page.getByRole('row', { name: /sender/ });
    await row.getByText('2100-01-01').waitFor();
  });
});

describe('a secret that is shown once', () => {
  it('survives the way back, and a sign-out in another tab', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    await signIn(page, visits().printLink());
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    const secret = await generate(page, 'surviving');
    await page.goBack();
    await expect.poll(() => page.url()).toContain('#/usage');
    expect(await readSecret(page, 'surviving')).toBe(secret);

    const other = await context.newPage();
    await other.goto(`${visits().server.origin}/dashboard`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You sign in by a link').waitFor();
    await page.getByText('You sign in by a link').waitFor();
    expect(await readSecret(page, 'surviving')).toBe(secret);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
  });

  it('is asked about before the page is left', async () => {
    const { page } = await visits().open('#/keys/shop');
    const secret = await generate(page, 'staying');
    const asked = new Promise<string>((resolve) =>
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => resolve(dialog.type()))),
    );
    await page.evaluate('void setTimeout(() => location.reload(), 0)');
    expect(await asked).toBe('beforeunload');
    expect(await readSecret(page, 'staying')).toBe(secret);
  });
});

describe('a secret that nobody could save', () => {
  it('is the end of its key, where it is shown', async () => {
    const { page } = await visits().open('#/keys/shop');
    const secret = await generate(page, 'not saved');
    const shown = page.getByRole('dialog', { name: 'The secret of not saved' });
    await shown.getByRole('button', { name: 'Revoke this key' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke not saved?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await readSecret(page, 'not saved')).toBe(secret);
    await shown.getByRole('button', { name: 'Revoke this key' }).click();
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /not saved/ })
      .getByText('revoked')
      .waitFor();
    expect(await statusWith(secret)).toBe(401);
    await expect.poll(() => page.getByText('you have not confirmed that it is saved').count()).toBe(0);
  });

  it('since the window was closed is told on return, until the key is revoked or it is saved', async () => {
    const { page } = await visits().open('#/keys/shop');
    page.on('dialog', (dialog) => void dialog.accept());
    const told = (name: string) => page.getByRole('status').filter({ hasText: `The secret of ${name} was` });
    const lose = async (name: string) => {
      const secret = await generate(page, name);
      // Nobody is told before it is lost.
      await expect.poll(() => told(name).count()).toBe(0);
      await page.reload();
      await told(name).waitFor();
      return secret;
    };
    const secret = await lose('closed');
    await told('closed').getByRole('button', { name: 'Revoke this key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await told('closed').waitFor({ state: 'detached' });
    expect(await statusWith(secret)).toBe(401);
    const saved = await lose('known');
    await told('known').getByRole('button', { name: 'It is saved' }).click();
    await told('known').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('row', { name: /known/ }).waitFor();
    await expect.poll(() => told('known').count()).toBe(0);
    expect(await statusWith(saved)).toBe(200);
  });
});

describe('a dialog', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(({ ariaLabel, textContent }) => (ariaLabel ?? textContent).trim())(document.activeElement)`,
    );

  it('gives the focus back to what opened it, or to the head of the page where that has gone', async () => {
    const { page } = await visits().open('#/keys/shop');
    await generate(page, 'focus');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await expect.poll(() => focused(page)).toBe('Generate new secret');
    await page.getByRole('row', { name: /focus/ }).waitFor();
    for (const name of ['Rotate focus', 'Revoke focus', 'Generate new secret']) {
      for (const close of [() => page.keyboard.press('Escape'), () => page.getByText('Cancel').click()]) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').waitFor();
        await close();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await expect.poll(() => focused(page)).toBe(name);
      }
    }
    await page.getByRole('button', { name: 'Revoke focus' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /focus/ }).getByText('revoked').waitFor();
    await expect.poll(() => focused(page)).toBe('Keys');
  });
});

describe('a new key', () => {
  it('ends on no day that is past, and is told when another has its name', async () => {
    const { page } = await visits().open('#/keys/shop');
    await generate(page, 'colleague');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('row', { name: /colleague/ }).waitFor();
    await page.getByRole('button', { name: 'Generate new secret' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('colleague');
    await form.getByText('Another key has this name').waitFor();
    await form.getByLabel(/Expires after/).fill('2020-01-01');
    await form.getByRole('button', { name: 'Generate', exact: true }).click();
    const said = `document.querySelector('dialog input[type=date]').validationMessage`;
    expect(await page.evaluate<string>(said)).not.toBe('');
    await form.getByLabel(/Expires after/).fill('');
    await form.getByRole('button', { name: 'Generate', exact: true }).click();
    await readSecret(page, 'colleague');
    const [first, second] = await withAdmin(visits().db, async (admin) =>
      (await admin.listKeys('shop')).filter(({ name }) => name === 'colleague').map(({ id }) => id),
    );
    const told = page.getByRole('dialog').getByText('Other live keys have the same name');
    await expect.poll(() => told.innerText()).toContain(`${first}. This one is ${second}.`);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    // Where the two stand beside each other, their ids tell them apart.
    await page.getByRole('link', { name: 'Usage' }).click();
    const heads = page.getByRole('heading', { name: /^colleague/ });
    await expect.poll(() => heads.count()).toBe(2);
    const texts = await heads.allInnerTexts();
    expect(new Set(texts).size).toBe(2);
  });

  it('with a long name leaves the buttons of all keys where they are seen', async () => {
    const name = 'n'.repeat(256);
    await withAdmin(visits().db, (admin) => admin.createKey('shop', { name, permissions: ['query'] }));
    for (const width of [1440, 1280, 390]) {
      const viewport = { width, height: 900 };
      const { page } = await visits().open('#/keys/shop', { viewport });
      const revoke = page.getByRole('button', { name: /^Revoke n{256}/ });
      await revoke.waitFor();
      const box = (await revoke.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
  });
});
