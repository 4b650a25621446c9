import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { ADMIN_ROUTES } from '../../src/core/http/admin-routes.ts';
import { createAdminCredentials } from '../../src/internal.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';
import { signIn } from './visits.ts';
import { listAsked, listening, openShare, WITHOUT_FILES } from './waits.ts';
import { testResources } from '../support/resources.ts';
import { recordsIn } from '../../src/core/access/records.ts';

const MARKUP = '<img src=x onerror="globalThis.broken=1"><script>globalThis.broken=1</script>';
const BIDI = 'user\u202etxt.exe\u2066';
const CONTROL = 'bell\u0007start\u0001end';
const hostile: SentEvent = {
  eventName: MARKUP,
  userId: BIDI,
  eventTs: '2026-05-17T10:00:00.000Z',
  insertId: '"><svg onload=globalThis.broken=1>',
  properties: {
    [MARKUP]: MARKUP,
    link: 'javascript:globalThis.broken=1',
    control: CONTROL,
    constructor: { toString: CONTROL, __defineGetter__: BIDI },
    list: [MARKUP, BIDI, { [MARKUP]: [MARKUP] }],
    long: 'x'.repeat(20_000) + MARKUP,
  },
};

let db = '';
const visits = useVisits({
  prepare: async (file) => {
    db = file;
    await createTenant(file, 'shop');
    await createTenant(file, 'other');
  },
  furnish: async ({ origin }) => {
    const { body } = await sendBatch(origin, 'shop', [hostile]);
    expect(body).toMatchObject({ accepted: 1 });
  },
});

/** A page of somebody else, as it is answered. */
let foreignPage = '';
let foreign: Server;
beforeAll(async () => {
  foreign = createServer((_req, res) => void res.setHeader('Content-Type', 'text/html').end(foreignPage));
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
});
afterAll(() => foreign.close());
const foreignPort = () => (foreign.address() as AddressInfo).port;

/** Makes a link for somebody who may only look, and only at one tenant. */
async function viewerLink(alias: string): Promise<string> {
  const resources = testResources();
  const { runtime } = resources;
  const stores = sqliteStores({ connect: () => new Database(db), resources });
  try {
    const { id } = (await recordsIn(stores.control).tenants.findByAlias(alias))!;
    const credentials = createAdminCredentials({ admins: recordsIn(stores.control).admins, runtime });
    const holder = { name: 'vera', role: 'viewer' as const, tenantIds: [id] };
    const { secret } = await credentials.createLink(holder, { who: 'test', from: 'test' });
    return `${visits().server.origin}/sign-in#${secret}`;
  } finally {
    await stores.close();
  }
}

describe('what an event holds is shown as text', () => {
  const PLACES = [
    '#/explore/shop',
    `#/explore/shop?by=eventName`,
    `#/explore/shop?${new URLSearchParams({
      by: 'properties.list',
      columns: `properties.link,properties.${MARKUP}`,
    }).toString()}`,
    `#/explore/shop?${new URLSearchParams({ event: MARKUP }).toString()}`,
    `#/person/shop?${new URLSearchParams({ user: BIDI }).toString()}`,
    `#/explore/shop?${new URLSearchParams({
      filter: JSON.stringify([{ property: `properties.${MARKUP}`, comparison: 'EQUALS', value: MARKUP }]),
    }).toString()}`,
  ];

  it.each(PLACES)('%s', async (place) => {
    const { page, expects } = await visits().open(place);
    if (place.includes('filter')) expects(/status of 400/);
    await page.locator('.rows').or(page.getByRole('alert')).first().waitFor();
    await page.locator('.rows[aria-busy=false]').or(page.getByRole('alert')).first().waitFor();
    const rows = page.locator('button.opener');
    if ((await rows.count()) > 0) {
      await rows.first().click();
      await page.locator('.json').waitFor();
      await expect
        .poll(() => page.locator('.json').innerText())
        .toContain('<script>globalThis.broken=1</script>');
    }
    const main = page.getByRole('main');
    await expect.poll(() => main.locator('script, iframe, object, img, [onerror], [onload]').count()).toBe(0);
    await expect.poll(() => main.locator('a[href^="javascript" i]').count()).toBe(0);
    expect(await page.evaluate('globalThis.broken')).toBe(undefined);
    // What turns the writing around, or cannot be seen, is written out.
    const text = await page.evaluate<string>('document.body.innerText');
    expect(/[\u0000-\u0008\u000e-\u001f\u202a-\u202e\u2066-\u2069]/.exec(text)).toBe(null);
    if (await page.locator('.json').isVisible()) {
      expect(text).toContain('user\\u202etxt.exe\\u2066');
      expect(text).toContain('bell\\u0007start\\u0001end');
    }
  });

  it('as it arrives, too', async () => {
    const { page } = await visits().open('#/live/shop');
    await listening(page);
    await expect.poll(() => page.getByRole('main').locator('script, img').count()).toBe(0);
    expect(await page.evaluate('globalThis.broken')).toBe(undefined);
  });
});

describe('the policy of a page', () => {
  it('no script, style or frame but its own files; no text becomes markup', async () => {
    const { page, expects } = await visits().open('#/explore/shop');
    expects(/[Tt]rusted|Content Security Policy|policy/);
    const answer = await page.reload();
    const policy = answer!.headers()['content-security-policy'] ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    const html = await answer!.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\sstyle=|\son\w+=/);

    const tried = (script: string) =>
      page.evaluate<string>(`(() => { try { ${script}; return 'done'; } catch (e) { return e.name; } })()`);
    expect(await tried(`document.body.innerHTML = '<b>x</b>'`)).toBe('TypeError');
    expect(await tried(`trustedTypes.createPolicy('mine', {})`)).toBe('TypeError');
    await tried(
      `const s = document.createElement('script'); s.src = '//127.0.0.1:9/x.js'; document.head.append(s)`,
    );
    expect(await page.evaluate('document.body.innerHTML.includes("<b>x</b>")')).toBe(false);
  });

  it('nobody frames it', async () => {
    const { page, expects, context } = await visits().open('#/keys/shop');
    expects(/frame|asked http/i);
    const framed = `${visits().server.origin}/dashboard`;
    foreignPage = `<!doctype html><iframe id="f" src="${framed}"></iframe>`;
    for (const host of ['127.0.0.1', 'localhost']) {
      const other = await context.newPage();
      await other.goto(`http://${host}:${foreignPort()}/`);
      expect(await other.evaluate(`document.getElementById('f').contentDocument`)).toBe(null);
      const texts = await other.frames().at(-1)!.evaluate<string>('document.body?.innerText ?? ""');
      expect(texts).not.toContain('event-query');
    }
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
  });

  it('the cookie is for this server alone, and no script reads it', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    const [cookie, ...others] = await context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
    expect(cookie!.name).toContain(`__Host-`);
    expect(await page.evaluate('document.cookie')).toBe('');
  });
});

describe('what changes anything is refused to a page of another origin', () => {
  const changes = ADMIN_ROUTES.filter(({ methods }) => (methods as readonly string[]).includes('POST'));

  it.each(['127.0.0.1', 'localhost'])('of %s, on every route, by fetch and by form', async (host) => {
    const { page, context, expects } = await visits().open('#/audit');
    expects(/./);
    await page.getByRole('region', { name: 'Audit' }).waitFor();
    const noted = await page.getByRole('row').count();
    const asked = new Set<string>();
    const answered: number[] = [];
    context.on('request', (request) => {
      if (request.method() === 'POST') asked.add(request.url());
    });
    context.on('response', (response) => {
      if (response.request().method() === 'POST') answered.push(response.status());
    });
    const targets = changes.map(({ path }) => visits().server.origin + path.replace('{tenantId}', 'shop'));
    foreignPage = `<!doctype html><form method="post" enctype="text/plain" target="out">
      <input name='{"alias":"stolen","plan":"free","x":"' value='"}'></form><iframe name="out"></iframe>`;
    const other = await context.newPage();
    await other.goto(`http://${host}:${foreignPort()}/`);
    for (const target of targets) {
      await other.evaluate(
        `fetch(${JSON.stringify(target)}, { method: 'POST', mode: 'no-cors', credentials: 'include',
          body: '{"alias":"stolen","plan":"free"}' }).catch(() => 0)`,
      );
      const marked = `fetch(${JSON.stringify(target)}, {
        method: 'POST', credentials: 'include', body: '{}',
        headers: { 'X-Event-Query': 'dashboard', 'Content-Type': 'application/json' },
      }).then((r) => r.status, () => 'refused')`;
      expect(await other.evaluate(marked)).toBe('refused');
    }
    // What is answered is kept from the page as well, where the browser gets that far.
    expect([...asked].sort()).toEqual([...targets].sort());
    expect(answered.filter((status) => status !== 401 && status !== 403)).toEqual([]);

    const form = other.waitForResponse((response) => response.request().method() === 'POST');
    const action = `${visits().server.origin}/v1/admin/tenants/create`;
    await other.evaluate(`document.forms[0].action = ${JSON.stringify(action)}; document.forms[0].submit()`);
    expect([401, 403]).toContain((await form).status());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('region', { name: 'Tenants' }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /stolen/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('region', { name: 'Audit' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(noted);
  });
});

describe('who only looks', () => {
  it('sees no way to change anything, and of other tenants nothing', async () => {
    const { page, expects } = await visits().stranger();
    expects(/status of 40[134]/);
    await signIn(page, await viewerLink('shop'));
    const user = `person/shop?${new URLSearchParams({ user: BIDI }).toString()}`;
    const places = ['tenants', 'tenant/shop', 'keys/shop', 'ingestion/shop', 'usage/shop', 'audit', user];
    for (const place of places) {
      await page.goto(`${visits().server.origin}/dashboard#/${place}`);
      await page.locator('main h1').waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const admin = page
        .getByRole('main')
        .getByRole('button', { name: /^(New|Generate|Rotate|Revoke|Change|Delete|Save|Check|Erase)/ });
      expect(`${place}: ${await admin.count()}`).toBe(`${place}: 0`);
    }
    const text = await page.evaluate<string>('document.body.innerText');
    expect(text).not.toContain('other');
    await page.goto(`${visits().server.origin}/dashboard#/tenant/shop`);
    await page.getByText('You can see this, but not change it.').first().waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Plan' }).isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('radio', { name: 'Forever' }).isDisabled()).toBe(true);
    await page.goto(`${visits().server.origin}/dashboard#/explore/other`);
    await page.getByText('You have no access to a tenant “other”').waitFor();
  });
});

describe('a session', () => {
  it('planted before the sign-in is not the one after it', async () => {
    const { page, context } = await visits().stranger();
    const name = `__Host-event-query-${visits().server.port}`;
    await context.addCookies([
      { name, value: 'planted', domain: '127.0.0.1', path: '/', secure: true, httpOnly: true },
    ]);
    await signIn(page, visits().printLink());
    const [cookie] = await context.cookies();
    expect(cookie!.name).toBe(name);
    expect(cookie!.value).not.toBe('planted');
  });

  it('that ended says so with a way on, keeps the address, and asks no further', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    await context.addInitScript(WITHOUT_FILES);
    await signIn(page, visits().printLink());
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop?by=eventName`);
    await page.locator('.rows[aria-busy=false]').waitFor();
    const [cookie] = await context.cookies();
    await context.clearCookies();
    const asked = listAsked(context);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByLabel('Column path').fill('properties.link');
    await openShare(page);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText('Your session has ended. This page may be out of date').waitFor();
    await expect.poll(() => page.locator('button.opener').count()).toBeGreaterThan(0);
    const before = asked.length;
    await page.evaluate('new Promise((done) => setTimeout(done, 1500))');
    expect(asked.length).toBe(before);
    expect(page.url()).toContain('#/explore/shop?by=eventName');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('You sign in by a link').waitFor();
    // The session itself was not the browser's to end: its cookie opens the same place again.
    await context.addCookies([cookie!]);
    await page.reload();
    await page.locator('.rows[aria-busy=false]').waitFor();
  });

  it('of somebody else, who comes in in another tab, is not one that a tab goes on with unseen', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 40[134]/);
    await signIn(page, visits().printLink());
    await page.goto(`${visits().server.origin}/dashboard#/keys/other`);
    await page.getByRole('button', { name: 'Generate new secret' }).waitFor();
    const asked = listAsked(context);
    const vera = await context.newPage();
    await signIn(vera, await viewerLink('shop'));
    // The tab of the owner begins again, as what the browser is now.
    await page.getByText('You have no access to a tenant “other”').waitFor();
    await expect.poll(() => page.locator('.foot').innerText()).toContain('vera');
    // Where the other tab could not tell it, an action is refused all the same.
    await page.goto(`${visits().server.origin}/dashboard#/keys/shop`);
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await context.addInitScript('BroadcastChannel.prototype.postMessage = () => undefined');
    const alone = await context.newPage();
    await signIn(alone, visits().printLink());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You sign in by a link').waitFor();
    await alone.getByRole('link', { name: 'Keys', exact: true }).click();
    await alone.getByRole('button', { name: 'Generate new secret' }).waitFor();
    expect(asked.filter((url) => url.endsWith('/sign-out'))).toHaveLength(1);
  });

  it('that ended unseen is signed out of without an error, in other tabs too', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    await signIn(page, visits().printLink());
    const other = await context.newPage();
    await other.goto(`${visits().server.origin}/dashboard`);
    await other.getByRole('button', { name: 'Sign out' }).waitFor();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) await tab.getByText('You sign in by a link').waitFor();
  });

  it('that nobody could sign out of, for want of a network, goes on in all tabs', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/ERR_INTERNET_DISCONNECTED|status of 401/);
    await signIn(page, visits().printLink());
    const other = await context.newPage();
    await other.goto(`${visits().server.origin}/dashboard#/audit`);
    await other.getByRole('region', { name: 'Audit' }).waitFor();
    await other.evaluate(`globalThis.heard = [];
      new BroadcastChannel('event-query').onmessage = ({ data }) => heard.push(data)`);
    const heard = () => other.evaluate<string[]>('heard');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    // Whatever the first word of it is, the other tab goes on with it, and with the last.
    await expect.poll(heard).not.toEqual([]);
    await expect.poll(() => other.getByRole('region', { name: 'Audit' }).count()).toBe(1);
    await page.getByText('The server cannot be reached').first().waitFor();
    await expect.poll(heard).toContain('failed');
    await expect.poll(() => other.getByRole('region', { name: 'Audit' }).count()).toBe(1);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) await tab.getByText('You sign in by a link').waitFor();
  });

  it('that was signed out opens nothing, the old cookie put back', async () => {
    const { page, context, expects } = await visits().stranger();
    expects(/status of 401/);
    await signIn(page, visits().printLink());
    const [cookie] = await context.cookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You sign in by a link').waitFor();
    await context.addCookies([cookie!]);
    await page.reload();
    await page.getByText('You sign in by a link').waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Pages', exact: true }).count()).toBe(0);
  });
});
