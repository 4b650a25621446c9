import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseEvents, type ClickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import { parseTopBody } from '../../../src/core/query/parse-query.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  type EventQuery,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { newTenantId } from '../../conformance/runner.ts';
import { HAS_CLICKHOUSE, shareClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { stepping } from './stepping.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_CLICKHOUSE) {
  it('ERASURES IN CLICKHOUSE WERE NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

const PARTS = 3;
/** Each step of an erasure is tried anew, which takes its time on a busy machine. */
const PATIENCE_MS = 240_000;
const OF_PART = 6;
const OLD = PARTS * (OF_PART / 2);
const ALL = PARTS * OF_PART;
/** Matches half of what `fill` stores. */
const OLD_ONLY = parseCountBody({
  filterSet: [{ property: 'eventName', comparison: 'EQUALS', value: 'old' }],
});

function eventOf(insertId: string, eventName: string, properties: object = {}): StoredEvent {
  const eventTs = Date.UTC(2024, 4, 18) + insertId.length;
  return { eventName, userId: 'u', eventTs, insertId, propertiesJson: JSON.stringify(properties) };
}

describe.runIf(HAS_CLICKHOUSE)('an erasure in ClickHouse', () => {
  let server: ClickhouseServer;
  let ours: ClickhouseEvents;
  let theirs: ClickhouseEvents;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ server, ours, theirs, stop } = await shareClickhouse());
  });
  afterAll(() => stop());

  /** A tenant whose events lie in several parts, each with some of either name. */
  async function fill(): Promise<string> {
    const tenantId = newTenantId();
    for (let part = 0; part < PARTS; part++) {
      const batch = Array.from({ length: OF_PART }, (_, i) =>
        eventOf(`id-${part}-${i}`, i % 2 === 0 ? 'old' : 'new', { n: i }),
      );
      await ours.events.append(tenantId, batch);
    }
    return tenantId;
  }

  async function rowsOf(table: string, tenantId: string): Promise<number> {
    const result = await server.connect().query({
      query: `select count() as count from event_query.${table} where tenant = {tenant:String}`,
      query_params: { tenant: tenantId },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ count: string }>();
    return Number(row!.count);
  }

  /** How many events each kind of question is about. */
  async function seenBy({ events }: ClickhouseEvents, tenantId: string): Promise<number[]> {
    const page = await events.query(tenantId, EVERYTHING, { offset: 0, size: 1000 });
    const { ranking } = parseTopBody({ of: 'properties.n', size: 1000 });
    const seen = [page.length, (await events.top!(tenantId, EVERYTHING, ranking)).length];
    const measures = [{ of: 'properties.n', take: ['max'] }];
    for (const more of [{}, { measures }, { measures, orderBy: { measure: 0, take: 'max' } }]) {
      const { grouping } = parseBreakdownBody({ by: 'eventName', ...more });
      const asked =
        'measures' in grouping
          ? events.measure!(tenantId, EVERYTHING, grouping)
          : events.breakdown!(tenantId, EVERYTHING, grouping);
      seen.push((await asked).total);
    }
    const { streams: asked } = parseSequenceBody({ steps: [{}] });
    let instants = 0;
    for await (const piece of events.streams!(tenantId, EVERYTHING, asked))
      for (const stream of piece.streams) instants += stream.instants.length;
    return [...seen, instants];
  }

  /** Everything is there, or what was to be erased is gone; whoever writes next ends what was begun. */
  async function expectWhole(tenantId: string): Promise<void> {
    const count = await theirs.events.count(tenantId, EVERYTHING);
    const isErased = count === ALL - OLD;
    expect(isErased ? ALL - OLD : ALL).toBe(count);
    expect(await theirs.events.eventNames(tenantId)).toEqual(isErased ? ['new'] : ['new', 'old']);
    const { duplicates } = await theirs.events.append(tenantId, [eventOf('id-0-0', 'again')]);
    expect(duplicates).toEqual(isErased ? [] : [0]);
    if (isErased) expect(await rowsOf('events', tenantId)).toBe(ALL - OLD + 1);
    expect(await rowsOf('erasures', tenantId)).toBe(0);
    expect(await theirs.events.erase(tenantId, OLD_ONLY)).toBe(isErased ? 0 : OLD);
    expect(await theirs.events.count(tenantId, EVERYTHING)).toBe(ALL - OLD + (isErased ? 1 : 0));
    // A name that no event has any more counts for no bound.
    const { overNames } = await theirs.events.append(tenantId, [eventOf('x', 'third')], { namesMax: 2 });
    expect(overNames).toEqual(isErased ? [0] : []);
  }

  it(
    'that is interrupted between any two statements has erased all or nothing',
    async () => {
      let statements = 0;
      let last = 0;
      const client = stepping(server.connect(), async () => {
        statements += 1;
        if (statements > last) throw new Error('interrupted');
        return Promise.resolve();
      });
      last = Infinity;
      const stepped = await clickhouseEvents({ resources: testResources(), client });
      for (let steps = 1, isDone = false; !isDone; steps++) {
        const tenantId = await fill();
        [statements, last] = [0, steps];
        const erased = await stepped.events.erase(tenantId, OLD_ONLY).catch(() => 'interrupted');
        isDone = erased !== 'interrupted';
        if (isDone) expect(erased).toBe(OLD);
        await expectWhole(tenantId);
      }
    },
    PATIENCE_MS,
  );

  it(
    'that was interrupted is not completed by one of other days',
    async () => {
      const [before, after] = [2, 3].map((length) => Date.UTC(2024, 4, 18) + length);
      const ofShort: EventQuery = { ...OLD_ONLY, until: before! + 1 };
      const ofLong: EventQuery = { ...OLD_ONLY, from: after! };
      let statements = 0;
      const client = stepping(server.connect(), async () => {
        statements -= 1;
        if (statements < 0) throw new Error('interrupted');
        return Promise.resolve();
      });
      statements = Infinity;
      const stepped = await clickhouseEvents({ resources: testResources(), client });
      for (let steps = 1, isDone = false; !isDone; steps++) {
        const tenantId = newTenantId();
        await ours.events.append(tenantId, [
          eventOf('ab', 'old'),
          eventOf('abc', 'old'),
          eventOf('cd', 'new'),
        ]);
        statements = steps;
        const erased = await stepped.events.erase(tenantId, ofShort).catch(() => 'interrupted');
        isDone = erased !== 'interrupted';
        expect(await theirs.events.erase(tenantId, ofLong)).toBe(1);
        const left = await theirs.events.count(tenantId, EVERYTHING);
        const isGone = (await theirs.events.count(tenantId, ofShort)) === 0;
        expect(left).toBe(isGone ? 1 : 2);
        if (isDone) expect([erased, isGone]).toEqual([1, true]);
        expect(await theirs.events.erase(tenantId, ofShort)).toBe(isGone ? 0 : 1);
      }
    },
    PATIENCE_MS,
  );

  it(
    'that is under way when the server is killed has erased all or nothing',
    async () => {
      for (let round = 0; round < 4; round++) {
        const tenantId = await fill();
        const erasing = ours.events.erase(tenantId, OLD_ONLY).catch(() => undefined);
        const began = performance.now();
        while (performance.now() - began < round * 60) await new Promise(setImmediate);
        server.signal('SIGKILL');
        const erased = await erasing;
        await server.restart();
        if (erased !== undefined) expect(await theirs.events.count(tenantId, EVERYTHING)).toBe(ALL - OLD);
        await expectWhole(tenantId);
      }
    },
    PATIENCE_MS,
  );

  it('is seen as a whole by whoever asks meanwhile, in this process and in another one', async () => {
    const tenantId = await fill();
    let isErasing = true;
    const seen = new Set<number>();
    const watch = async ({ events }: ClickhouseEvents) => {
      while (isErasing) seen.add(await events.count(tenantId, EVERYTHING));
    };
    const watching = [ours, theirs, ours].map(watch);
    expect(await ours.events.erase(tenantId, OLD_ONLY)).toBe(OLD);
    isErasing = false;
    await Promise.all(watching);
    expect([...seen].filter((count) => count !== ALL && count !== ALL - OLD)).toEqual([]);
    expect(await theirs.events.count(tenantId, EVERYTHING)).toBe(ALL - OLD);
  });

  it('waits for the questions that began before its events are removed', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    const held = await clickhouseEvents({
      resources: testResources(),
      client: stepping(server.connect(), () => (isHeld ? released : Promise.resolve())),
    });
    const tenantId = await fill();
    isHeld = true;
    const counted = held.events.count(tenantId, EVERYTHING);
    isHeld = false;
    let isErased = false;
    const erasing = held.events.erase(tenantId, OLD_ONLY).then(() => (isErased = true));
    while ((await theirs.events.count(tenantId, EVERYTHING)) === ALL) await new Promise(setImmediate);
    // Whoever did not wait would have removed them in the time of some questions.
    for (let i = 0; i < 20; i++) await theirs.events.count(tenantId, EVERYTHING);
    expect(new Set(await seenBy(theirs, tenantId))).toEqual(new Set([ALL - OLD]));
    expect(await rowsOf('events', tenantId)).toBe(ALL);
    expect(isErased).toBe(false);
    release();
    await Promise.all([counted, erasing]);
    expect(await rowsOf('events', tenantId)).toBe(ALL - OLD);
  });

  it('leaves nothing of an event that two processes stored at once, and nothing else', async () => {
    const tenantId = newTenantId();
    await ours.events.append(tenantId, [eventOf('a', 'old'), eventOf('bb', 'new')]);
    const late = (event: StoredEvent) => [
      tenantId,
      event.eventTs,
      event.insertId,
      event.eventName,
      'u',
      '{}',
    ];
    await server.connect().insert({
      table: 'event_query.events',
      columns: ['tenant', 'ts', 'insert_id', 'event_name', 'user_id', 'properties'],
      values: [eventOf('a', 'new'), eventOf('bb', 'old')].map(late),
      format: 'JSONCompactEachRow',
    });
    expect(await ours.events.erase(tenantId, OLD_ONLY)).toBe(1);
    expect(await ours.events.count(tenantId, EVERYTHING)).toBe(1);
    expect(await ours.events.eventNames(tenantId)).toEqual(['new']);
    const { duplicates } = await theirs.events.append(tenantId, [eventOf('a', 'x'), eventOf('bb', 'x')]);
    expect(duplicates).toEqual([1]);
  });

  it('goes on marking when nobody waits any more, and ends when it is asked for again', async () => {
    const run = (query: string) => server.connect().command({ query });
    const markings = async (tenantId: string) => {
      const text = `select command from system.mutations where position(command, '${tenantId}') > 0`;
      const result = await server.connect().query({ query: text, format: 'JSONEachRow' });
      const rows = await result.json<{ command: string }>();
      return rows.filter(({ command }) => /^\(?UPDATE erasure/.test(command)).length;
    };
    /** The connection is lost as soon as the engine has taken the statement that marks. */
    const client = server.connect();
    const losing = await clickhouseEvents({
      resources: testResources(),
      client: {
        query: async (call) => {
          if (!call.query.startsWith('alter table') || !call.query.includes('update'))
            return client.query(call);
          await client.query({
            ...call,
            clickhouse_settings: { ...call.clickhouse_settings, mutations_sync: '0' },
          });
          throw new Error('Timeout error.');
        },
        insert: (call) => client.insert(call),
      },
    });
    const tenantId = await fill();
    await run('system stop merges event_query.events');
    await expect(losing.events.erase(tenantId, OLD_ONLY)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ours.events.count(tenantId, EVERYTHING)).toBe(ALL);
    // What comes in between was not there when the marking began.
    await ours.events.append(tenantId, [eventOf('between', 'old')]);
    let isErased = false;
    const erasing = theirs.events.erase(tenantId, OLD_ONLY).then((erased) => {
      isErased = true;
      return erased;
    });
    for (let i = 0; i < 20; i++) expect(await ours.events.count(tenantId, EVERYTHING)).toBe(ALL + 1);
    expect(isErased).toBe(false);
    expect(await markings(tenantId)).toBe(1);
    await run('system start merges event_query.events');
    expect(await erasing).toBe(OLD + 1);
    expect(await markings(tenantId)).toBe(2);
    expect(await ours.events.count(tenantId, EVERYTHING)).toBe(ALL - OLD);
    expect(await rowsOf('events', tenantId)).toBe(ALL - OLD);
  });

  it('takes operands that do not fit into an address', async () => {
    const tenantId = newTenantId();
    const value = "'\\\u00e9\u{1f600}".repeat(40_000);
    await ours.events.append(tenantId, [eventOf('a', 'n', { value }), eventOf('b', 'n')]);
    const query = parseCountBody({
      filterSet: [{ property: 'properties.value', comparison: 'EQUALS', value }],
    });
    expect(await ours.events.erase(tenantId, query)).toBe(1);
    expect(await ours.events.count(tenantId, EVERYTHING)).toBe(1);
  });
});
