import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { nodeResources } from '../adapters/node-http/index.ts';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { clickhouseEvents } from '../adapters/clickhouse/index.ts';
import { memoryEventStore } from '../adapters/memory/index.ts';
import { postgresStores } from '../adapters/postgres/index.ts';
import { createEngine, type EventStore } from '../src/index.ts';
import { collect } from '../src/internal.ts';
import { parseBreakdownBody, parseCountBody, type StoredEvent } from '../src/store-kit.ts';
import { HAS_CLICKHOUSE, startClickhouse } from '../test/adapters/clickhouse/clickhouse-server.ts';
import { HAS_POSTGRES, startPostgres } from '../test/adapters/postgres/postgres-server.ts';
import { sampleEvents } from './events.ts';
import { hashOf, median, now, readFlags, report, type Measure, type Target } from './harness.ts';
import { openSqlite } from './store/own-peers.ts';
import {
  sequenceByHand,
  TABLE_QUESTIONS,
  toTableRow,
  windowFunnel,
  type TableQuestion,
} from './store/table-questions.ts';

/**
 * All stores side by side, and what the stores over SQL cost beyond the SQL: the same questions, written by
 * hand, through the same client.
 */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 2_000 : 1_000_000);
/** Ten million take minutes a round. */
const ROUNDS = flags.small ? 2 : ROWS > 1_000_000 ? 3 : 9;
const PATIENCE_MS = 600_000;
const BATCH = 20_000;
const TENANT = '6c7a2f0e-7f0b-4c58-9a52-3f1f4f0c9a11';

const PLAN = parseCountBody({
  filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }],
});
const { query: ALL, grouping: BY_COUNTRY } = parseBreakdownBody({ by: 'properties.country' });
const PAGE = { offset: 0, size: 100 };

/** By how much a store may be slower than SQL by hand. */
const RATIO_MAX = { count: 1.15, page: 1.15, breakdown: 1.15, sequence: 1, numbers: 1 };
/** ClickHouse has functions for these, which are not exact about what they are asked here. */
const RATIO_MAX_CLICKHOUSE = { ...RATIO_MAX, sequence: 2.5, numbers: 2.5 };

/** The questions, in the order in which they are asked; the answers of all peers must be alike. */
const QUESTIONS = ['count', 'page', 'breakdown', 'sequence', 'numbers'] as const;
type Peer = Readonly<Record<(typeof QUESTIONS)[number], () => Promise<unknown>>>;

const [SEQUENCE, NUMBERS] = TABLE_QUESTIONS as readonly [TableQuestion, TableQuestion];

/** A question to a store as the engine asks it. */
function peerOf(store: EventStore): Peer {
  const tenant = createEngine({ events: store, resources: nodeResources() }).tenant(TENANT);
  return {
    sequence: () => SEQUENCE.own(tenant),
    numbers: () => NUMBERS.own(tenant),
    count: () => store.count(TENANT, PLAN),
    page: async () => (await collect(await store.query(TENANT, PLAN, PAGE))).map(({ insertId }) => insertId),
    breakdown: async () =>
      (await store.breakdown!(TENANT, ALL, BY_COUNTRY)).groups.map(({ key, count }) => [key, count]),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** The same by hand; `ask` sends a statement and gives its rows. */
function byHand(
  ask: (text: string) => Promise<readonly Row[]>,
  texts: Readonly<Record<(typeof QUESTIONS)[number], string>>,
): Peer {
  return {
    count: async () => Number((await ask(texts.count))[0]!.count),
    page: async () => (await ask(texts.page)).map((row) => toEvent(row)).map(({ insertId }) => insertId),
    breakdown: async () => (await ask(texts.breakdown)).map(({ key, count }) => [key, Number(count)]),
    sequence: async () => (await ask(texts.sequence)).map((row) => toTableRow(Object.values(row), SEQUENCE)),
    numbers: async () => (await ask(texts.numbers)).map((row) => toTableRow(Object.values(row), NUMBERS)),
  };
}

function toEvent({ event_name, user_id, ts, insert_id, properties }: Row): StoredEvent {
  return {
    eventName: event_name as string,
    userId: user_id as string,
    eventTs: Number(ts),
    insertId: insert_id as string,
    propertiesJson: properties as string,
  };
}

const peers: Record<string, Peer> = {};
/** The stores that are filled, by the names of their peers, and what is done when they are. */
const stores: Record<string, EventStore> = {};
const whenFilled: (() => unknown)[] = [];
const closers: (() => unknown)[] = [];
const measures: Measure[] = [];
const notes: string[] = [];
const COLUMNS = 'ts, insert_id, event_name, user_id, properties';
const NEWEST = 'order by ts desc, insert_id desc limit 100';

/** What the events of a peer take on its disk. */
function weigh(peer: string, bytes: number): void {
  measures.push({ question: 'bytes per event on disk', peer, unit: 'bytes', value: bytes / ROWS });
}

/** Stores each batch everywhere before the next is made: to make events takes longer than some stores do. */
async function fill(): Promise<void> {
  const took: Record<string, number> = {};
  const store = async (batch: readonly StoredEvent[]) => {
    for (const [name, each] of Object.entries(stores)) {
      const start = now();
      await each.append(TENANT, batch);
      took[name] = (took[name] ?? 0) + now() - start;
    }
  };
  const batch: StoredEvent[] = [];
  for (const event of sampleEvents(ROWS)) {
    batch.push(event);
    if (batch.length === BATCH) await store(batch.splice(0));
  }
  if (batch.length > 0) await store(batch);
  for (const [name, ns] of Object.entries(took)) {
    notes.push(`${name}: stored ${Math.round(ROWS / (ns / 1e9))} events/s in batches of ${BATCH}`);
  }
}

async function openPostgres(): Promise<void> {
  const server = await startPostgres();
  const pool: pg.Pool = await server.pool('bench');
  const opened = await postgresStores({ pool, resources: nodeResources() });
  closers.push(() => server.stop());
  stores.PostgreSQL = opened.events;
  whenFilled.push(async () => {
    await pool.query('vacuum analyze event_query.events');
    const { rows } = await pool.query('select pg_database_size(current_database()) as bytes');
    weigh('PostgreSQL', Number((rows as Row[])[0]!.bytes));
  });
  peers.PostgreSQL = peerOf(opened.events);
  const where = `tenant = $1 and document @> '{"plan":"pro"}'`;
  peers['PostgreSQL by hand'] = byHand(async (text) => (await pool.query(text, [TENANT])).rows as Row[], {
    count: `select count(*) from event_query.events where ${where}`,
    page: `select ${COLUMNS} from event_query.events where ${where} ${NEWEST}`,
    breakdown: `select document ->> 'country' as key, count(*) from event_query.events
      where tenant = $1 and jsonb_typeof(document -> 'country') = 'string'
      group by 1 order by 2 desc, 1 limit 100`,
    sequence: sequenceByHand(
      '(select user_id, ts, event_name as name, insert_id from event_query.events where tenant = $1) events',
    ),
    numbers: `select event_name as key, count(*) as events,
        round(coalesce(sum(price), 0) * 100) as cents, min(price), max(price),
        percentile_disc(array[0.5, 0.9, 0.99]) within group (order by price) as ranks
      from (select event_name, case when jsonb_typeof(document -> 'price') = 'number'
        then (document ->> 'price')::numeric end as price
        from event_query.events where tenant = $1) priced
      group by 1 order by 2 desc, 1 limit 100`,
  });
}

async function openClickhouse(): Promise<void> {
  const server = await startClickhouse();
  const patient = { request_timeout: PATIENCE_MS };
  const opened = await clickhouseEvents({
    resources: nodeResources(),
    client: server.connect(patient),
    timeoutMs: PATIENCE_MS,
  });
  const typed = ['properties.plan', 'properties.country'];
  const withColumns = await clickhouseEvents({
    resources: nodeResources(),
    ...{ client: server.connect(patient), timeoutMs: PATIENCE_MS, database: 'typed', typed },
  });
  const client = createClient({ url: server.url, log: { level: ClickHouseLogLevel.OFF }, ...patient });
  closers.push(async () => {
    await client.close();
    await server.stop();
  });
  const databases = {
    event_query: ['ClickHouse', opened.events],
    typed: ['ClickHouse, typed columns', withColumns.events],
  } as const;
  for (const [database, [peer, store]] of Object.entries(databases)) {
    stores[peer] = store;
    peers[peer] = peerOf(store);
    whenFilled.push(async () => {
      await client.command({ query: `optimize table ${database}.events final` });
      const size =
        `select sum(bytes_on_disk) as bytes from system.parts ` + `where active and database = '${database}'`;
      const [row] = await (await client.query({ query: size, format: 'JSONEachRow' })).json<Row>();
      weigh(peer, Number(row!.bytes));
    });
  }
  const where =
    `tenant = {t:String} and JSONType(properties, 'plan') = 'String' ` +
    `and JSONExtractString(properties, 'plan') = 'pro'`;
  const ask = async (query: string) => {
    const result = await client.query({
      query,
      query_params: { t: TENANT },
      format: 'JSONEachRow',
      // Without it the second write of an event might be counted.
      clickhouse_settings: { optimize_move_to_prewhere_if_final: 0 },
    });
    return (await result.json()) as readonly Row[];
  };
  peers['ClickHouse by hand'] = byHand(ask, {
    count: `select count() as count from event_query.events final where ${where}`,
    page: `select ${COLUMNS} from event_query.events final where ${where} ${NEWEST}`,
    breakdown: `select JSONExtractString(properties, 'country') as key, count() as count
      from event_query.events final
      where tenant = {t:String} and JSONType(properties, 'country') = 'String'
      group by key order by count desc, key limit 100`,
    sequence: windowFunnel(
      `(select user_id, ts, event_name as name from event_query.events final where tenant = {t:String})`,
    ),
    numbers: `select event_name as key, count() as events, round(sum(price) * 100) as cents,
        min(price) as least, max(price) as most, toString(quantilesExact(0.5, 0.9, 0.99)(price)) as ranks
      from (select event_name, if(JSONType(properties, 'price') in ('Double', 'Int64', 'UInt64'),
        JSONExtractFloat(properties, 'price'), null) as price
        from event_query.events final where tenant = {t:String})
      group by key order by events desc, key limit 100`,
  });
}

const isWanted = (peer: string) => flags.peers === undefined || flags.peers.includes(peer);

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
closers.push(() => rmSync(folder, { recursive: true }));
if (isWanted('memory')) stores.memory = memoryEventStore({ resources: nodeResources() });
if (isWanted('sqlite')) {
  const sqlite = openSqlite(folder);
  closers.push(() => sqlite.close());
  stores.SQLite = sqlite.events;
  whenFilled.push(() => {
    const files = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    weigh(
      'SQLite',
      files.reduce((sum, size) => sum + size, 0),
    );
  });
}
for (const [name, store] of Object.entries(stores)) peers[name] = peerOf(store);
if (isWanted('postgresql')) {
  if (HAS_POSTGRES) await openPostgres();
  else notes.push('PostgreSQL is not installed: apt-get install postgresql');
}
if (isWanted('clickhouse')) {
  if (HAS_CLICKHOUSE) await openClickhouse();
  else notes.push('ClickHouse is not installed: npm install --prefix test/clickhouse');
}

const targets: Target[] = [];
try {
  await fill();
  for (const done of whenFilled) await done();
  for (const question of QUESTIONS) await measure(question);
} finally {
  for (const close of closers.reverse()) await close();
}
report({ bench: 'sql', settings: { events: ROWS, rounds: ROUNDS }, measures, targets, notes });

/** Asks all peers in turn, in reverse order every other round. */
async function measure(question: (typeof QUESTIONS)[number]): Promise<void> {
  const names = Object.keys(peers);
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  const answers = new Map<string, string>();
  // One page takes a millisecond.
  const calls = question === 'page' ? 5 : 1;
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const start = now();
      let answer: unknown;
      for (let call = 0; call < calls; call++) answer = await peers[name]![question]();
      if (round >= 0) samples.get(name)!.push((now() - start) / 1e6 / calls);
      answers.set(name, hashOf(answer));
    }
  }
  const of = (name: string) => median(samples.get(name) ?? []);
  for (const name of names) {
    measures.push({ question, peer: name, unit: 'ms', value: of(name), answers: answers.get(name)! });
  }
  if (new Set(answers.values()).size > 1)
    throw new Error(`${question}: the peers answer differently: ${[...answers].join(' ')}`);
  const most = { PostgreSQL: RATIO_MAX, ClickHouse: RATIO_MAX_CLICKHOUSE };
  for (const name of (['PostgreSQL', 'ClickHouse'] as const).filter((each) => each in peers)) {
    if (flags.small) continue;
    const what = `${question}, ${name} / by hand`;
    const ratio = of(name) / of(`${name} by hand`);
    targets.push({ what, ratio, bound: 'at most', target: most[name][question] });
  }
}
