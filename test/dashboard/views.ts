import type { Page } from '../support/chromium.ts';
import type { Refusal } from '../../src/store-kit.ts';
import { createTenant, withAdmin, withRecordsOf } from '../support/file.ts';
import { openShare, openCustom, openTime } from './waits.ts';

/** A view of the dashboard as somebody has it: the place, and what they do there. */
export interface View {
  readonly place: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

const ASKED = new URLSearchParams({
  event: 'order_placed',
  by: 'properties.country',
  filter: JSON.stringify([
    { property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 },
    {
      anyOf: [
        { property: 'properties.country', comparison: 'IN', value: ['DE', 'AT'] },
        { not: { allOf: [{ property: 'userId', comparison: 'STARTS_WITH', value: 'visitor' }] } },
      ],
    },
  ]),
});
const STEPS = new URLSearchParams({
  steps: JSON.stringify([
    { event: 'page_viewed' },
    {
      event: 'order_placed',
      filterSet: [{ property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 }],
    },
  ]),
}).toString();
const NOTHING = new URLSearchParams({ event: 'order_placed', after: '2020-01-01', before: '2020-01-02' });
const COLUMNS = 'properties.page,properties.plan,properties.loadMs';

/** Goes to the explorer of a new tenant, since an event arrives for the first time only once. */
const OPEN_NEW_TENANT = `(async () => {
  const fresh = 'new-' + crypto.randomUUID().slice(0, 8);
  const headers = { 'Content-Type': 'application/json', 'X-Event-Query': 'dashboard' };
  const body = JSON.stringify({ alias: fresh, plan: 'builder' });
  await fetch('/v1/admin/tenants/create', { method: 'POST', headers, body });
  location.hash = '#/explore/' + fresh;
})()`;
const SEND_FIRST = `(async () => {
  const event = { eventName: 'order_placed', userId: 'ada', properties: { total: 64, country: 'DE' } };
  const headers = { 'Content-Type': 'application/json' };
  const alias = location.hash.split('/')[2];
  await fetch('/v1/events/' + alias + '/multi', { method: 'POST', headers, body: JSON.stringify([event]) });
})()`;

/** Sets marks, unless they are there. */
const MARK_RELEASES = `(async () => {
  const headers = { 'Content-Type': 'application/json', 'X-Event-Query': 'dashboard' };
  if ((await (await fetch('/v1/admin/marks/demo', { headers })).json()).length > 0) return;
  for (const days of [3, 9, 9, 9, 9, 9, 9, 20]) {
    const time = new Date(Date.now() - days * 86_400_000).toISOString();
    const url = days === 3 ? 'https://shop.example/3' : null;
    const body = JSON.stringify({ name: 'v' + days, time, url });
    await fetch('/v1/admin/marks/create/demo', { method: 'POST', headers, body });
  }
})()`;

/** Every page of the dashboard of a demo, with what it opens. */
export const VIEWS: Readonly<Record<string, View>> = {
  explore: { place: '#/explore/demo' },
  'explore-asked': { place: `#/explore/demo?${ASKED.toString()}` },
  'explore-crossed': {
    place: '#/explore/demo?by=properties.country&and=properties.plan&zone=Europe%2FBerlin',
  },
  funnel: { place: '#/funnel/demo' },
  'funnel-asked': { place: `#/funnel/demo?range=all&by=properties.country&within=7d&${STEPS}` },
  'funnel-stopped': { place: `#/users/demo?range=all&stopped=1&${STEPS}` },
  retention: { place: '#/retention/demo' },
  'retention-asked': { place: `#/retention/demo?range=all&cohort=day&${STEPS}` },
  'explore-measured': {
    place: '#/explore/demo?by=properties.country&measure=properties.order.total%3A+p95&zone=Asia%2FKolkata',
  },
  'explore-marks': {
    place: '#/explore/demo?range=30d',
    act: async (page) => {
      await page.evaluate(MARK_RELEASES);
      await page.reload();
      await page.locator('button.mark').last().focus();
      await page.locator('.tip.told:not([hidden])').waitFor();
    },
  },
  'explore-filter': {
    place: `#/explore/demo?${ASKED.toString()}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'order.total > 50' }).click();
      await page.getByRole('list', { name: 'Suggested values' }).waitFor();
    },
  },
  'explore-group': {
    place: `#/explore/demo?${ASKED.toString()}`,
    act: (page) => page.getByRole('button', { name: /^\(country/ }).click(),
  },
  'explore-row': {
    place: '#/explore/demo?event=order_placed',
    act: (page) => page.locator('button.opener').first().click(),
  },
  'explore-cell': {
    place: '#/explore/demo?event=order_placed',
    act: (page) => page.locator('.events [data-path]').nth(3).click(),
  },
  'explore-names': {
    place: '#/explore/demo',
    act: (page) => page.getByRole('combobox', { name: 'Event' }).click(),
  },
  'explore-zones': {
    place: '#/explore/demo',
    act: async (page) => {
      await openTime(page);
      await page.getByRole('combobox', { name: 'Time zone' }).fill('europe');
    },
  },
  'explore-values': {
    place: '#/explore/demo?by=userId&range=all',
    act: async (page) => {
      await page.getByLabel('Search values').fill('012');
      await page
        .locator('.groups')
        .getByText(/ values\b/)
        .first()
        .waitFor();
    },
  },
  'explore-menu': {
    place: `#/explore/demo?columns=${COLUMNS}`,
    act: (page) => page.getByRole('button', { name: /^Columns/ }).click(),
  },
  'explore-columns': { place: `#/explore/demo?event=page_viewed&columns=${COLUMNS}` },
  'explore-nothing': { place: `#/explore/demo?${NOTHING.toString()}` },
  'explore-copy': {
    place: '#/explore/demo',
    act: async (page) => {
      await openShare(page);
      await page.getByRole('button', { name: 'Copy query' }).click();
    },
  },
  'explore-compared': {
    place: '#/explore/demo?by=properties.country&range=7d&compare=before',
    act: async (page) => {
      await openCustom(page);
      await page.locator('.figures summary').click();
    },
  },
  'explore-differs': {
    place: '#/explore/demo?range=7d&against=before',
    act: (page) => page.locator('.differs tbody tr').first().waitFor(),
  },
  'explore-views': {
    place: `#/explore/demo?${ASKED.toString()}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByText('Save this question as').waitFor();
    },
  },
  'explore-empty': {
    place: '#/explore/fresh',
    act: (page) => page.getByText('Waiting for the first event…').waitFor(),
  },
  'explore-first': {
    place: '#/usage/demo',
    act: async (page) => {
      await page.evaluate(OPEN_NEW_TENANT);
      await page.reload();
      await page.getByText('Waiting for the first event…').waitFor();
      await page.evaluate(SEND_FIRST);
      await page.getByRole('link', { name: 'Which events are there' }).waitFor();
    },
  },
  palette: {
    place: '#/keys/demo',
    act: (page) => page.keyboard.press('Control+k'),
  },
  shortcuts: { place: '#/keys/demo', act: (page) => page.keyboard.press('?') },
  live: { place: '#/live/fresh' },
  users: { place: '#/users/demo' },
  properties: { place: '#/properties/demo' },
  'properties-asked': {
    place: '#/properties/demo?event=order_placed&path=properties.order.total&by=properties.plan',
  },
  'users-asked': {
    place: '#/users/demo?range=all&event=order_placed&search=A&in=properties.country&zone=Asia%2FKolkata',
  },
  'users-ordered': { place: '#/users/demo?range=all&search=1&sort=events' },
  person: { place: '#/person/demo' },
  'person-user': { place: '#/users/demo', act: openUser },
  'person-oldest': {
    place: '#/users/demo',
    act: async (page) => {
      await openUser(page);
      await page.getByLabel(/^Order/).selectOption('oldest');
    },
  },
  'person-at': {
    place: '#/explore/demo?event=order_placed&range=all',
    act: async (page) => {
      await page.locator('.events a.user').nth(5).click();
      await page.locator('tr[aria-current]').first().waitFor();
    },
  },
  'person-nobody': {
    place: '#/person/demo?user=nobody',
    act: (page) => page.getByText('No events of this user').waitFor(),
  },
  'person-erase': {
    place: '#/users/demo',
    act: async (page) => {
      await openUser(page);
      await page.getByRole('button', { name: 'Erase…' }).click();
      await page.locator('dialog .figure', { hasText: /\d/ }).waitFor();
    },
  },
  keys: { place: '#/keys/demo' },
  'keys-empty': { place: '#/keys/empty', act: (page) => page.getByText('No keys yet').waitFor() },
  'keys-new': {
    place: '#/keys/demo',
    act: (page) => page.getByRole('button', { name: 'Generate new secret' }).click(),
  },
  'keys-write': {
    place: '#/keys/demo',
    act: async (page) => {
      await page.getByRole('button', { name: 'Generate new secret' }).click();
      await page.getByRole('checkbox', { name: /write/ }).check();
    },
  },
  'keys-secret': { place: '#/keys/fresh', act: makeKey },
  'keys-revoke': {
    place: '#/keys/demo',
    act: (page) =>
      page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .click(),
  },
  tenant: { place: '#/tenant/demo' },
  'tenant-limits': {
    place: '#/tenant/empty',
    act: async (page) => {
      await page.getByRole('radio', { name: 'Own limits' }).check();
      await page.getByRole('radio', { name: 'For a number of days' }).check();
    },
  },
  'tenant-retention': {
    place: '#/tenant/demo',
    act: async (page) => {
      await page.getByRole('radio', { name: 'For a number of days' }).check();
      await page.getByRole('textbox', { name: 'Days' }).fill('14');
      await page.getByRole('button', { name: 'Save retention' }).click();
      await page.locator('dialog .figure', { hasText: /\d/ }).waitFor();
    },
  },
  'tenant-erase': {
    place: '#/tenant/demo',
    act: (page) => page.getByRole('button', { name: 'Erase events…' }).click(),
  },
  authentication: { place: '#/authentication/demo' },
  'authentication-jwt': {
    place: '#/authentication/fresh',
    act: (page) => page.getByRole('radio', { name: /JWT/ }).check(),
  },
  config: { place: '#/config/fresh' },
  'config-empty': { place: '#/config/empty', act: (page) => page.getByText('No values yet').waitFor() },
  'config-set': {
    place: '#/config/fresh',
    act: (page) => page.getByRole('button', { name: 'Change hero_text' }).click(),
  },
  'config-unset': {
    place: '#/config/fresh',
    act: (page) => page.getByRole('button', { name: 'Remove hero_text' }).click(),
  },
  usage: { place: '#/usage/demo' },
  'usage-table': {
    place: '#/usage/fresh?days=7',
    act: (page) => page.locator('.figures summary').click(),
  },
  refusals: {
    place: '#/refusals/fresh',
    act: (page) => page.getByText('properties.price').click(),
  },
  'refusals-empty': {
    place: '#/refusals/empty',
    act: (page) => page.getByText('Nothing was refused').waitFor(),
  },
  'refusals-clear': {
    place: '#/refusals/fresh',
    act: (page) => page.getByRole('button', { name: 'Clear' }).click(),
  },
  tenants: { place: '#/tenants' },
  'tenants-new': {
    place: '#/tenants',
    act: (page) => page.getByRole('button', { name: 'New tenant' }).click(),
  },
  'tenants-delete': {
    place: '#/tenants',
    act: (page) => page.getByRole('button', { name: 'Delete fresh' }).click(),
  },
  people: { place: '#/people' },
  'people-invite': {
    place: '#/people',
    act: (page) => page.getByRole('button', { name: 'Invite' }).click(),
  },
  'people-link': {
    place: '#/people',
    act: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('Name').fill('ada');
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByRole('heading', { name: 'Link for ada' }).waitFor();
    },
  },
  'people-end': {
    place: '#/people',
    act: (page) =>
      page
        .getByRole('button', { name: /^End session/ })
        .first()
        .click(),
  },
  audit: { place: '#/audit' },
  'audit-filtered': {
    place: '#/audit?tenant=fresh&action=config.set',
    act: (page) => page.getByText('hero_text').first().waitFor(),
  },
  'audit-nothing': {
    place: '#/audit?who=nobody',
    act: (page) => page.getByText('No changes found').waitFor(),
  },
  'no-page': { place: '#/nowhere' },
  'no-tenant': { place: '#/keys/nobody' },
};

/** Makes what the views want beside the demo itself. */
export async function prepareViews(db: string): Promise<void> {
  await createTenant(db, 'fresh');
  const limits = { perMinute: 10, perDay: 200 };
  await withAdmin(db, async (admin) => {
    await admin.createTenant({ alias: 'empty', plan: 'custom', limits });
    await admin.setConfig('fresh', 'hero_text', 'Welcome back');
    await admin.setConfig('fresh', 'checkout.methods', '["card","invoice"]');
  });
  const example: Refusal['example'] = {
    ...{ type: 'object', length: 3, where: 'properties.price', more: 2 },
    fields: [
      { key: 'eventName', type: 'string', length: 12 },
      { key: 'userId', type: 'null' },
    ],
  };
  await withRecordsOf(db, async ({ tenants, refusals, usage }) => {
    const { id } = (await tenants.findByAlias('fresh'))!;
    const firstAt = 1_764_000_000_000;
    await refusals.add(id, [
      { reason: 'properties', count: 1204, firstAt, lastAt: firstAt + 500_000, example },
      { reason: 'rateLimited', count: 1, firstAt, lastAt: firstAt, example: null },
    ]);
    const days = Array.from({ length: 60 }, (_, before) => {
      const day = new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
      const requests = 40 + ((before * 37) % 90);
      const [refused, limited] = [Math.floor(requests / 9), Math.floor(requests / 20)];
      return {
        ...{ day, requests, refused, limited },
        ...{ events: requests * 31, rejected: requests * 2, bytes: requests * 7_300 },
      };
    });
    await usage.add(id, days);
  });
}

/** Opens the page of a user. Which users a demo has depends on the time of day. */
async function openUser(page: Page): Promise<void> {
  await page.locator('.users a.user').first().click();
  await page.locator('.history li').first().waitFor();
}

async function makeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Generate new secret' }).click();
  await page.getByLabel('Name').fill('reports');
  await page.getByRole('button', { name: 'Generate', exact: true }).click();
  await page.getByText('This is the only time it is shown').waitFor();
}

/** Does what is done in a view, once all of it is there. */
export async function show(page: Page, { act }: View): Promise<void> {
  await settle(page);
  await act?.(page);
  await settle(page);
}

/** Waits until all that a view asked for is there. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1, main .empty-title').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
