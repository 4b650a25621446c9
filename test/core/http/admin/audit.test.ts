import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../src/store-kit.ts';
import { createPlainApi, type PlainApi } from '../../../support/plain-api.ts';
import { signIn, withSession, type Ask } from './visitors.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly before?: string;
}

type Filter = Partial<Record<'who' | 'tenant' | 'action' | 'from' | 'until', string>>;

const idOf = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
const WHO = ['ada', 'bob & "co" <ü>', 'ada '];
const ACTIONS = ['tenant.set', 'key.create', 'events.erase'] as const;

/** Writes entries to the audit log of a tenant; `more` says what each has beside the usual. */
async function noteAll(
  api: PlainApi,
  alias: string,
  more: readonly Partial<AuditEntry>[],
): Promise<readonly AuditEntry[]> {
  const { id: tenantId } = await api.admin.getTenant(alias);
  const entries = more.map((each, i) => ({
    ...{ id: idOf(i), at: i, who: 'ada', from: 'test', credentialId: null, person: null },
    ...{ action: 'tenant.set' as const, tenantId, alias, details: {}, ...each },
  }));
  for (const entry of entries) await recordsIn(api.stores.control).tenants.update(tenantId, {}, entry);
  return entries;
}

async function pageOf(ask: Ask, filter: Filter, before?: string): Promise<Page> {
  const query = new URLSearchParams({ ...filter, ...(before === undefined ? {} : { before }) }).toString();
  const { status, body } = await ask(`audit${query === '' ? '' : `?${query}`}`);
  expect([status, body]).toMatchObject([200, /^\{/]);
  return JSON.parse(body) as Page;
}

/** All entries that match, page by page. */
async function allOf(ask: Ask, filter: Filter): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = [];
  let page = await pageOf(ask, filter);
  all.push(...page.entries);
  while (page.before !== undefined) {
    page = await pageOf(ask, filter, page.before);
    all.push(...page.entries);
  }
  return all;
}

describe('the filters of the audit log', () => {
  it('select what all of them fit, over all pages, newest first and each entry once', async () => {
    const entries = fc.array(
      fc.record({
        who: fc.constantFrom(...WHO),
        action: fc.constantFrom(...ACTIONS),
        at: fc.integer({ min: 0, max: 20 }),
      }),
      { minLength: 90, maxLength: 700 },
    );
    const time = fc.integer({ min: 0, max: 21 });
    const filter = fc.record(
      { who: fc.constantFrom(...WHO), action: fc.constantFrom(...ACTIONS), from: time, until: time },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(entries, filter, async (more, { from, until, ...texts }) => {
        const api = createPlainApi();
        await api.createTenant('shop');
        const noted = await noteAll(api, 'shop', more);
        const { ask } = await signIn(api);
        const asked: Filter = {
          ...{ tenant: 'shop', ...texts },
          ...(from === undefined ? {} : { from: String(from) }),
          ...(until === undefined ? {} : { until: String(until) }),
        };
        const expected = noted.filter(
          ({ who, action, at }) =>
            (texts.who === undefined || who === texts.who) &&
            (texts.action === undefined || action === texts.action) &&
            (from === undefined || at >= from) &&
            (until === undefined || at < until),
        );
        // Those that made the tenant and its key came before, by the clock of the test.
        const found = (await allOf(ask, asked)).filter(({ from: place }) => place === 'test');
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).reverse());
      }),
      { numRuns: 40 },
    );
  });

  it('name a tenant by its alias now, or one that is gone', async () => {
    const api = createPlainApi();
    for (const alias of ['shop', 'outlet']) await api.createTenant(alias);
    const { ask } = await signIn(api);
    await api.admin.deleteTenant('shop');
    const gone = await allOf(ask, { tenant: 'shop' });
    expect(gone.map(({ action }) => action)).toEqual(['tenant.delete', 'key.create', 'tenant.create']);
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    const now = await allOf(ask, { tenant: 'shop' });
    expect(now.map(({ action, tenantId }) => [action, tenantId])).toEqual([
      ['key.create', id],
      ['tenant.create', id],
    ]);
    expect(await allOf(ask, { tenant: 'nobody' })).toEqual([]);
    expect(await allOf(ask, { tenant: id })).toEqual([]);
  });

  it('show nobody more than without them', async () => {
    const api = createPlainApi();
    for (const alias of ['shop', 'outlet']) await api.createTenant(alias);
    const { id } = await api.admin.getTenant('outlet');
    const { ask } = await withSession(api, { role: 'admin', tenantIds: [id], viewedIds: [] });
    expect(await allOf(ask, { tenant: 'shop' })).toEqual([]);
    expect(await allOf(ask, { action: 'credential.create' })).toEqual([]);
    const own = await allOf(ask, {});
    expect(own.map(({ alias }) => alias)).toEqual(['outlet', 'outlet']);
    expect(await allOf(ask, { tenant: 'outlet' })).toEqual(own);
    expect(await allOf(ask, { from: '0' })).toEqual(own);
  });

  it('look at 10,000 entries for one answer, and say where to go on', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const rare = [{ action: 'events.erase' as const }];
    await noteAll(api, 'shop', [...rare, ...Array.from({ length: 10_000 }, () => ({}))]);
    const { ask } = await signIn(api);
    const filter = { tenant: 'shop', action: 'events.erase' };
    const first = await pageOf(ask, filter);
    expect(first.entries).toEqual([]);
    const second = await pageOf(ask, filter, first.before);
    expect(second.entries.map(({ id }) => id)).toEqual([idOf(0)]);
    expect(second.before).toBeUndefined();
  });

  it('are a 400 where one is misspelt, doubled or of another kind', async () => {
    const { ask } = await signIn(createPlainApi());
    const wrong = [
      'whom=ada',
      'who=a&who=b',
      'action=tenant.sets',
      'from=x',
      'from=',
      'until=1.5',
      'who=%E4',
    ];
    for (const query of [...wrong, 'before=x', 'before=7;', 'until=-1'])
      expect([query, (await ask(`audit?${query}`)).status]).toEqual([query, 400]);
  });
});
