import { describe, expect, it } from 'vitest';
import { openFile } from '../../../adapters/sqlite/file/schema.ts';
import { prepareOpenLogs } from '../../../adapters/sqlite/writes/open-logs.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { eventsFrom, newFile, openRaw, openStores, TENANT, tracing } from './fixtures.ts';

const named = (eventName: string, first: number, count = 1): StoredEvent[] =>
  eventsFrom(first, count).map((event) => ({ ...event, eventName }));

/** A batch of which the second event cannot be stored. */
const broken = (eventName: string, first: number): StoredEvent[] =>
  named(eventName, first, 2).map((event, i) => (i === 1 ? { ...event, propertiesJson: '{' } : event));

const rowsOf = (file: string) => openRaw(file).prepare('SELECT id % 4294967296 FROM events').pluck().all();

describe('what is known of a log between batches', () => {
  it('spares looking for it, and for names that it has', async () => {
    const file = newFile();
    const seen: string[] = [];
    const stores = openStores(file, { connect: tracing(file, (sql) => seen.push(sql)) });
    await stores.events.append(TENANT, named('a', 0));
    await stores.events.append(TENANT, named('a', 1));
    seen.length = 0;
    await stores.events.append(TENANT, named('a', 2));
    expect(seen.filter((sql) => /FROM (logs|event_names)/.test(sql))).toEqual([]);
  });

  it('is forgotten with a batch that is rolled back, alone or among others', async () => {
    const file = newFile();
    const { events } = openStores(file);
    await events.append(TENANT, named('a', 0));
    await expect(events.append(TENANT, broken('b', 1))).rejects.toThrow('malformed JSON');
    await events.append(TENANT, named('b', 3));
    const settled = await Promise.allSettled([
      events.append(TENANT, named('a', 4)),
      events.append(TENANT, broken('c', 5)),
      events.append(TENANT, named('c', 7)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await events.eventNames(TENANT)).toEqual(['a', 'b', 'c']);
    expect(rowsOf(file)).toEqual([0, 1, 2, 3]);
  });

  it('is forgotten with a group whose commit fails', async () => {
    const file = newFile();
    let fails = false;
    const { events } = openStores(file, {
      connect: tracing(file, (sql) => {
        if (sql !== 'COMMIT' || !fails) return;
        fails = false;
        throw new Error('no commit');
      }),
    });
    await events.append(TENANT, named('a', 0));
    fails = true;
    await Promise.all([events.append(TENANT, named('b', 1)), events.append(TENANT, named('a', 2))]);
    fails = true;
    await expect(events.append(TENANT, named('c', 3))).rejects.toThrow('no commit');
    await events.append(TENANT, named('c', 4));
    expect(await events.eventNames(TENANT)).toEqual(['a', 'b', 'c']);
    expect(rowsOf(file)).toEqual([0, 1, 2, 3]);
  });

  it('is forgotten when the log is erased, here or by another process, and begins anew', async () => {
    const file = newFile();
    const here = openStores(file);
    const there = openStores(file);
    for (const other of [here, there]) {
      await here.events.append(TENANT, named('a', 0, 3));
      await other.events.erase(TENANT);
      await here.events.append(TENANT, named('a', 5));
      expect(await here.events.count(TENANT, EVERYTHING)).toBe(1);
      expect(await here.events.eventNames(TENANT)).toEqual(['a']);
      await here.events.erase(TENANT);
    }
    await here.events.append(TENANT, named('a', 0));
    await there.events.drop(TENANT);
    await expect(here.events.append(TENANT, named('a', 1))).rejects.toThrow('Tenant');
  });

  it('is forgotten when another process has stored events', async () => {
    const file = newFile();
    const here = openStores(file);
    const there = openStores(file);
    for (let i = 0; i < 6; i++)
      await (i % 2 === 0 ? here : there).events.append(TENANT, named(`n${i >> 1}`, i));
    expect(rowsOf(file)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await here.events.eventNames(TENANT)).toEqual(['n0', 'n1', 'n2']);
  });

  it('keeps the bound on names, also over many batches', async () => {
    const { events } = openStores(newFile());
    const namesMax = 3;
    for (let i = 0; i < 3; i++) await events.append(TENANT, named(`n${i}`, i), { namesMax });
    const answer = await events.append(TENANT, [...named('n3', 3), ...named('n0', 4)], { namesMax });
    expect(answer).toEqual({ duplicates: [], overNames: [0] });
  });

  it('is forgotten where the names are many letters, and then known anew', async () => {
    const file = newFile();
    const seen: string[] = [];
    const { events } = openStores(file, { connect: tracing(file, (sql) => seen.push(sql)) });
    const looks = async (first: number) => {
      seen.length = 0;
      await events.append(TENANT, named('a', first));
      return seen.filter((sql) => sql.includes('FROM logs WHERE tenant_id')).length;
    };
    const many = eventsFrom(0, 4200).map((event, i) => ({ ...event, eventName: `${i}`.padEnd(256, 'x') }));
    await events.append(TENANT, many);
    expect([await looks(5000), await looks(5001)]).toEqual([1, 0]);
  });

  it('is of some thousand logs at most, and then forgotten', () => {
    const database = openRaw(newFile());
    openFile(database, 1000, 'begin');
    const logs = prepareOpenLogs(database);
    const first = logs.open('first');
    expect(logs.open('first')).toBe(first);
    for (let i = 0; i < 4096; i++) logs.open(`tenant ${i}`);
    const anew = logs.open('first');
    expect(anew).not.toBe(first);
    expect([logs.open('first') === anew, anew.number]).toEqual([true, first.number]);
  });
});
