import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseEvents, type ClickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import { isAborted } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import { parseCountBody, type StoredEvent } from '../../../src/store-kit.ts';
import { comparables, EVERYTHING } from '../../conformance/expected.ts';
import { newTenantId } from '../../conformance/runner.ts';
import { HAS_CLICKHOUSE, shareClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { stepping } from './stepping.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_CLICKHOUSE) {
  it('CLICKHOUSE BESIDE OTHERS WAS NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

function eventOf(insertId: string, properties: object = {}, eventName = 'viewed'): StoredEvent {
  return {
    eventName,
    userId: 'u',
    eventTs: Date.UTC(2024, 4, 18) + insertId.length,
    insertId,
    propertiesJson: JSON.stringify(properties),
  };
}

const batchOf = (count: number, properties: object = {}) =>
  Array.from({ length: count }, (_, i) => eventOf(`id-${i}`, properties));

describe.runIf(HAS_CLICKHOUSE)('a server of ClickHouse', () => {
  let server: ClickhouseServer;
  let ours: ClickhouseEvents;
  let theirs: ClickhouseEvents;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ server, ours, theirs, stop } = await shareClickhouse());
  });
  afterAll(() => stop());

  it('gives a page of large events in pieces', async () => {
    const tenantId = newTenantId();
    const batch = batchOf(5, { text: 'x'.repeat(700_000) });
    await ours.events.append(tenantId, batch);
    const page = await ours.events.query(tenantId, EVERYTHING, { offset: 0, size: 10 });
    const pieces: string[][] = [];
    for await (const piece of page.pieces()) pieces.push(comparables(piece));
    expect(pieces.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
    expect(pieces.flat()).toEqual(comparables(batch.reverse()));
  });

  it('takes operands that are longer than a parameter may be', async () => {
    const tenantId = newTenantId();
    const long = "'\\\u00e9\u{1f600}".repeat(40_000);
    await ours.events.append(tenantId, [eventOf('a', { long, list: [long] }), eventOf('b')]);
    for (const filter of [
      { property: 'properties.long', comparison: 'EQUALS', value: long },
      { property: 'properties.long', comparison: 'IN', value: ['x', long] },
      { property: 'properties.list', comparison: 'CONTAINS', value: long },
    ]) {
      expect(await ours.events.count(tenantId, parseCountBody({ filterSet: [filter] }))).toBe(1);
    }
  });

  it('lets the first write win where two processes write the same events at once', async () => {
    for (let round = 0; round < 5; round++) {
      const tenantId = newTenantId();
      const [first, second] = [batchOf(50, { by: 'us' }), batchOf(50, { by: 'them' })];
      await Promise.all([ours.events.append(tenantId, first), theirs.events.append(tenantId, second)]);
      const read = async ({ events }: ClickhouseEvents) =>
        comparables(await collect(await events.query(tenantId, EVERYTHING, { offset: 0, size: 1000 })));
      const before = await read(ours);
      expect(before.length).toBe(50);
      await server.connect().command({
        query: 'optimize table event_query.events final',
        clickhouse_settings: {},
      });
      expect(await read(theirs)).toEqual(before);
      expect((await theirs.events.append(tenantId, second)).duplicates.length).toBe(50);
    }
  });

  it('keeps what was written first when another process has not seen it', async () => {
    const tenantId = newTenantId();
    const [first] = batchOf(1, { by: 'us' });
    await ours.events.append(tenantId, [first!]);
    await server.connect().insert({
      table: 'event_query.events',
      columns: ['tenant', 'ts', 'insert_id', 'event_name', 'user_id', 'properties'],
      values: [[tenantId, first!.eventTs, first!.insertId, 'other', 'them', '{"by":"them"}']],
      format: 'JSONCompactEachRow',
      clickhouse_settings: {},
    });
    const page = await theirs.events.query(tenantId, EVERYTHING, { offset: 0, size: 10 });
    expect(await collect(page)).toEqual([first]);
    expect(await theirs.events.eventNames(tenantId)).toEqual(['viewed']);
    expect(await theirs.events.count(tenantId, EVERYTHING)).toBe(1);
  });

  it('keeps nothing of a tenant that another process drops between any two statements', async () => {
    let statements = 0;
    let dropBefore = 0;
    let tenantId = '';
    const client = stepping(server.connect(), async () => {
      statements += 1;
      if (statements === dropBefore) await theirs.events.drop(tenantId);
    });
    const stepped = await clickhouseEvents({ resources: testResources(), client });
    for (dropBefore = 1; dropBefore <= 7; dropBefore++) {
      tenantId = newTenantId();
      statements = 0;
      const answer = await stepped.events.append(tenantId, [eventOf('a')]).catch(codeOf);
      expect(answer).toBe('tenantNotFound');
      expect(await ours.events.count(tenantId, EVERYTHING)).toBe(0);
      expect(await ours.events.append(tenantId, [eventOf('late')]).catch(codeOf)).toBe('tenantNotFound');
    }
  });

  it('is not asked for longer than somebody waits', async () => {
    const signal = { aborted: false };
    server.signal('SIGSTOP');
    try {
      const counted = ours.events.count(newTenantId(), EVERYTHING, signal).catch(isAborted);
      signal.aborted = true;
      expect(await counted).toBe(true);
    } finally {
      server.signal('SIGCONT');
    }
    expect(await ours.events.count(newTenantId(), EVERYTHING, signal).catch(isAborted)).toBe(true);
  });

  it('stores a batch once that is sent again after the server was killed half way', async () => {
    let unsure = 0;
    for (let round = 0; round < 6; round++) {
      const tenantId = newTenantId();
      const batch = batchOf(2000, { text: 'x'.repeat(500), round });
      const sent = ours.events.append(tenantId, batch).then(
        () => 'stored',
        (error: unknown) => codeOf(error),
      );
      // From before the first statement to about when the last one ends.
      const began = performance.now();
      while (performance.now() - began < round * 30) await new Promise(setImmediate);
      server.signal('SIGKILL');
      if ((await sent) === 'unavailable') unsure += 1;
      await expect(ours.ready().catch(codeOf)).resolves.toBe('unavailable');
      await server.restart();
      const whole = await ours.events.count(tenantId, EVERYTHING);
      expect([0, 2000]).toContain(whole);
      if ((await sent) === 'stored') expect(whole).toBe(2000);
      const { duplicates } = await ours.events.append(tenantId, batch);
      expect(duplicates.length).toBe(whole);
      expect(await ours.events.count(tenantId, EVERYTHING)).toBe(2000);
      expect(await ours.events.eventNames(tenantId)).toEqual(['viewed']);
    }
    expect(unsure).toBeGreaterThan(0);
  });

  it('tells a mistake from a server that is away, and tables of a newer version', async () => {
    const client = server.connect();
    const run = (query: string) => client.command({ query, clickhouse_settings: {} });
    const own = await clickhouseEvents({ resources: testResources(), client, database: 'own' });
    await run(`alter table own.events modify comment 'event-query schema 2'`);
    await expect(clickhouseEvents({ resources: testResources(), client, database: 'own' })).rejects.toThrow(
      /newer event-query/,
    );
    await run('drop table own.events');
    expect(await own.events.count(newTenantId(), EVERYTHING).catch(codeOf)).toBe('60');
  });
});
