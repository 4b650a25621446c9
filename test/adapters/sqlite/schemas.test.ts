import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../adapters/sqlite/file/migrations.ts';
import { verifySqlite } from '../../../adapters/sqlite/index.ts';
import Database from 'better-sqlite3';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { newFile, openRaw, openStores, queryOf } from './fixtures.ts';

/** The events of every file in `schemas`, as they were sent. */
const SENT = Array.from({ length: 40 }, (_, i) => ({
  eventName: ['signed_up', 'order_placed', 'page_viewed'][i % 3]!,
  userId: `user-${i % 7}`,
  eventTs: 1_764_000_000_000 + Math.floor(i / 2) * 1000,
  insertId: `event-${i}`,
  properties: {
    plan: ['free', 'pro', null, 7][i % 4],
    amount: i * 1.5,
    nested: { ok: i % 2 === 0 },
    ...(i === 13 && { text: `ä "quoted" ${'x'.repeat(4200)}` }),
  },
}));

/** The first schema with a remote config. */
const FIRST_WITH_CONFIG = 9;

/** The first schema with saved views and invitations. */
const FIRST_WITH_VIEWS = 10;

/** The first schema with days of usage. */
const FIRST_WITH_USAGE = 11;

/** Opens the file of a schema, which brings it to the newest one. */
function openSchema(schema: number) {
  const file = newFile();
  const text = new URL(`schemas/schema-${schema}.sql`, import.meta.url);
  const raw = openRaw(file);
  raw.transaction(() => raw.exec(readFileSync(text, 'utf8')))();
  return { file, raw, stores: openStores(file) };
}

const toSent = ({ eventName, userId, eventTs, insertId, propertiesJson }: StoredEvent) => ({
  ...{ eventName, userId, eventTs, insertId },
  properties: JSON.parse(propertiesJson) as unknown,
});

/** The schema from which on events say when they arrived: in its file, those from the twentieth on. */
const SAYS_ARRIVALS = 9;

const numberOf = ({ insertId }: { insertId: string }) => Number(insertId.replace('event-', ''));

describe.each(MIGRATIONS.map((_, i) => i + 1))('a file that was written with schema %i', (schema) => {
  it('answers the same now', async () => {
    const { raw, stores } = openSchema(schema);
    expect(raw.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    const { events, tenants, keys } = stores;
    const [other, shop] = await tenants.list();
    expect([other, shop]).toMatchObject([
      { alias: 'other', authStrategy: 'NONE' },
      { alias: 'shop', plan: 'growth', authStrategy: 'NONE' },
    ]);
    expect(await keys.list(shop!.id)).toMatchObject([{ name: 'backend', permissions: ['query'] }]);

    const page = await events.query(shop!.id, EVERYTHING, { offset: 0, size: 100 });
    const found: ReturnType<typeof toSent>[] = [];
    for await (const piece of page.pieces()) found.push(...piece.map(toSent));
    expect(found.sort((a, b) => numberOf(a) - numberOf(b))).toEqual(SENT);
    const isPro = queryOf({ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' });
    expect(await events.count(shop!.id, isPro)).toBe(10);
    expect(await events.count(other!.id, EVERYTHING)).toBe(3);
    expect(await events.eventNames(shop!.id)).toEqual(['order_placed', 'page_viewed', 'signed_up']);
    const config = [
      { key: 'enabled', value: 'true' },
      { key: 'hero_text', value: "It's “here”" },
    ];
    expect(await tenants.remoteConfig(shop!.id)).toEqual(schema < FIRST_WITH_CONFIG ? [] : config);
    expect(await tenants.remoteConfig(other!.id)).toEqual([]);
  });

  it('has the people and the views that were saved in it, and takes others', async () => {
    const { stores } = openSchema(schema);
    const [, shop] = await stores.tenants.list();
    const isKnown = schema >= FIRST_WITH_VIEWS;
    const passes = await stores.admins!.list();
    expect(passes.map(({ name, invitation }) => [name, invitation?.by])).toEqual(
      isKnown ? [['ada', 'root']] : [],
    );
    const view = {
      ...{ id: 'new', tenantId: shop!.id, owner: null, name: 'all', question: '', by: 'ada' },
      ...{ createdAt: 1, changedAt: 1 },
    };
    expect(await stores.views!.create(view, 2)).toBe('created');
    const names = (await stores.views!.list(shop!.id, '')).map(({ name }) => name);
    expect(names).toEqual(isKnown ? ['all', 'sign ups'] : ['all']);
  });

  it('has the usage that was counted in it, and counts on', async () => {
    const { stores } = openSchema(schema);
    const [, shop] = await stores.tenants.list();
    const day = {
      day: '2026-11-25',
      requests: 7,
      refused: 2,
      limited: 1,
      events: 40,
      rejected: 3,
      bytes: 5120,
    };
    const isKnown = schema >= FIRST_WITH_USAGE;
    expect(await stores.usage!.list(shop!.id, '2026-01-01')).toEqual(isKnown ? [day] : []);
    await stores.usage!.add(shop!.id, [{ ...day, requests: 1 }]);
    expect(await stores.usage!.list(shop!.id, '2026-01-01')).toMatchObject([{ requests: isKnown ? 8 : 1 }]);
  });

  it('says of no event that it arrived when nobody noted it', async () => {
    const { stores } = openSchema(schema);
    const { events } = stores;
    const [, shop] = await stores.tenants.list();
    const known = schema < SAYS_ARRIVALS ? [] : SENT.slice(20);
    const page = await events.query(shop!.id, EVERYTHING, { offset: 0, size: 100 });
    const found = new Map<string, number | undefined>();
    for await (const piece of page.pieces())
      for (const event of piece) found.set(event.insertId, event.receivedAt);
    const arrivals = SENT.map(
      ({ insertId, eventTs }, i) =>
        [insertId, known.length > 0 && i >= 20 ? eventTs + 5000 : undefined] as const,
    );
    expect(found).toEqual(new Map(arrivals));
    const isKnown = { property: 'receivedAt', comparison: 'IS_NOT_NULL', value: null } as const;
    expect(await events.count(shop!.id, queryOf(isKnown))).toBe(known.length);
    expect(await events.count(shop!.id, queryOf({ not: isKnown }))).toBe(40 - known.length);
    const { groups, missing } = await events.breakdown!(shop!.id, EVERYTHING, {
      by: { root: 'lateness', segments: [] },
      size: 10,
    });
    const late = { key: 'within a minute', count: known.length };
    expect([groups, missing]).toEqual([known.length === 0 ? [] : [late], 40 - known.length]);
    // Events that come now have it in each file.
    const fields = { eventName: 'signed_up', userId: 'u', insertId: 'now', propertiesJson: '{}' };
    await events.append(shop!.id, [{ ...fields, eventTs: 7, receivedAt: 8 }]);
    const since = {
      property: 'receivedAt',
      comparison: 'EQUALS',
      value: '1970-01-01T00:00:00.008Z',
    } as const;
    expect(await events.count(shop!.id, queryOf(since))).toBe(1);
  });

  it('takes events, knows those that it has, and is sound', async () => {
    const { file, stores } = openSchema(schema);
    const [, shop] = await stores.tenants.list();
    const again = SENT.slice(38).map(({ properties, ...event }) => ({
      ...event,
      propertiesJson: JSON.stringify(properties),
    }));
    const { duplicates } = await stores.events.append(shop!.id, [
      ...again,
      { ...again[0]!, insertId: 'new' },
    ]);
    expect(duplicates).toEqual([0, 1]);
    expect(await stores.events.count(shop!.id, EVERYTHING)).toBe(41);
    const { findings } = verifySqlite(() => new Database(file));
    expect(findings).toEqual([]);
  });
});
