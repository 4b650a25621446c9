import { mkdtempSync, rmSync } from 'node:fs';
import { nodeResources } from '../adapters/node-http/index.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type CountBody } from '../src/index.ts';
import type { StoredEvent } from '../src/store-kit.ts';
import { createRandom } from '../test/support/random.ts';
import { median, now, readFlags, report, type Measure, type Target } from './harness.ts';
import { openSqlite, TENANT } from './store/own-peers.ts';

/** A shop in its first months and after ten times as many days: each day has as many events in both. */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 5000 : 1_000_000);
const CALLS = flags.small ? 3 : 200;
const TIMES = 10;
const BATCH = 4000;
const START_MS = Date.UTC(2020, 0, 1);
const DAY_MS = 86_400_000;
const EVENTS_PER_DAY = flags.small ? 100 : 11_111;
const NAMES = ['page_viewed', 'product_viewed', 'search_made', 'cart_updated', 'purchase'];
const COUNTRIES = ['US', 'DE', 'GB', 'FR', 'IN', 'BR', 'JP', 'NL'];
const RELEASE_DAYS = 5;
const DAY_USERS = 500;

/** Releases follow each other, and users come on one day; prices and countries are those of any day. */
function* eventsOf(rows: number): Generator<StoredEvent> {
  for (let i = 0; i < rows; i++) {
    const random = createRandom(i * 2_654_435_761);
    const day = Math.floor(i / EVENTS_PER_DAY);
    const lateMs = random.next() < 0.05 ? random.below(3_600_000) : 0;
    yield {
      eventName: random.pick(NAMES),
      userId: userOf(day, random.below(DAY_USERS)),
      eventTs: START_MS + Math.max(0, Math.floor((i / EVENTS_PER_DAY) * DAY_MS) - lateMs),
      insertId: `i-${i.toString(16).padStart(8, '0')}`,
      propertiesJson: JSON.stringify({
        release: releaseOf(day),
        country: random.pick(COUNTRIES),
        price: Math.floor(random.next() ** 2 * 40_000) / 100,
      }),
    };
  }
}

const userOf = (day: number, number: number) => `user-${day}-${number}`;
const releaseOf = (day: number) => `2.${Math.floor(day / RELEASE_DAYS)}`;
const dateOf = (day: number) => new Date(START_MS + day * DAY_MS).toISOString().slice(0, 10);
const equals = (property: string, value: string) => ({ property, comparison: 'EQUALS' as const, value });

interface Question {
  readonly name: string;
  readonly isPage?: boolean;
  /** What is asked at a call, about a day. */
  readonly bodyOf: (day: number, call: number) => CountBody;
}

const priceAbove = (call: number) => ({
  property: 'properties.price',
  comparison: 'GREATER_THAN' as const,
  value: 100 + (call % 50),
});
const ofRelease = (day: number) => ({
  filterSet: [equals('properties.release', releaseOf(day)), equals('properties.country', 'DE')],
});
const ofUser = (day: number, call: number) => ({
  event: 'purchase',
  filterSet: [equals('userId', userOf(day, call % DAY_USERS))],
});
const QUESTIONS: readonly Question[] = [
  {
    name: 'count, one day, country and price',
    bodyOf: (day, call) => ({
      after: dateOf(day),
      before: dateOf(day),
      filterSet: [equals('properties.country', 'DE'), priceAbove(call)],
    }),
  },
  { name: 'count, a release and a country', bodyOf: ofRelease },
  { name: 'count, a user of one day and an event', bodyOf: ofUser },
  { name: 'first page, a release and a country', isPage: true, bodyOf: ofRelease },
  { name: 'first page, a user of one day and an event', isPage: true, bodyOf: ofUser },
];

async function openShop(rows: number) {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
  const stores = openSqlite(folder);
  let events: StoredEvent[] = [];
  for (const event of eventsOf(rows)) {
    if (events.push(event) < BATCH) continue;
    await stores.events.append(TENANT, events);
    events = [];
  }
  if (events.length > 0) await stores.events.append(TENANT, events);
  const tenant = createEngine({ events: stores.events, resources: nodeResources() }).tenant(TENANT);
  const days = Math.floor(rows / EVENTS_PER_DAY);
  return {
    rows,
    ask: ({ isPage, bodyOf }: Question, call: number): Promise<unknown> => {
      const body = bodyOf(Math.floor(((call * 0.618) % 1) * days), call);
      return isPage === true ? tenant.query(body) : tenant.count(body);
    },
    close: async () => {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const shops = [await openShop(ROWS), await openShop(ROWS * TIMES)];
const measures: Measure[] = [];
const targets: Target[] = [];
for (const question of QUESTIONS) {
  const samples = shops.map(() => [] as number[]);
  // The call before the first round makes the columns.
  for (const shop of shops) await shop.ask(question, 0);
  for (let call = 1; call <= CALLS; call++) {
    for (const [i, shop] of shops.entries()) {
      const start = now();
      await shop.ask(question, call);
      samples[i]!.push((now() - start) / 1e6);
    }
  }
  const times = samples.map(median);
  shops.forEach(({ rows }, i) =>
    measures.push({
      question: question.name,
      peer: `${rows.toLocaleString('en')} events`,
      unit: 'ms',
      value: times[i]!,
    }),
  );
  targets.push({
    what: `ten times the days, ${question.name}`,
    ratio: times[1]! / times[0]!,
    bound: 'at most',
    target: 1.5,
  });
}
for (const shop of shops) await shop.close();
report({
  bench: 'local',
  settings: { eventsPerDay: EVENTS_PER_DAY, calls: CALLS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});
