import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { REQUEST_COST, requestWindows } from '../../src/core/access/plan.ts';
import { sampleEvents, sampleViews } from '../events.ts';
import type { CountBody, Stores } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type * as Core from '../../src/store-kit.ts';
import type * as Node from '../../adapters/node-http/index.ts';
import type * as Sqlite from '../../adapters/sqlite/index.ts';
import { PREDICATE_CASES } from '../predicate-cases.ts';

/** Something that both builds do, called again and again. */
export interface Operation {
  readonly run: () => unknown;
}

const TENANT = '6c7a2f0e-7f0b-4c58-9a52-3f1f4f0c9a11';
const clock = { now: () => Date.now() };
const is = (property: string, comparison: string, value: unknown): CountBody =>
  ({ filterSet: [{ property, comparison, value }] }) as CountBody;
const plan = is('properties.plan', 'EQUALS', 'pro').filterSet!;

/** Questions by name; the number of the call makes another of it, where a column has many values. */
const COUNTS: Readonly<Record<string, (call: number) => CountBody>> = {
  'count, all': () => ({}),
  'count, equality': () => ({ filterSet: plan }),
  'count, one day': () => ({ after: '2026-02-09', before: '2026-02-09' }),
  'count, two conditions': () => ({ event: 'purchase', filterSet: plan }),
  'count, IN': () => is('properties.country', 'IN', ['DE', 'FR', 'NL']),
  'count, IN and a range': (call) => ({
    filterSet: [
      ...is('properties.country', 'IN', ['DE', 'FR', 'NL']).filterSet!,
      ...is('properties.price', 'GREATER_THAN', 100 + (call % 1000) / 10).filterSet!,
    ],
  }),
  'count, days with gaps': () => is('eventDate', 'IN', ['2026-01-09', '2026-02-09', '2026-03-02']),
  'count, a substring': (call) => is('properties.page.path', 'CONTAINS', `-${100 + (call % 900)}`),
  'count, no substring': (call) => is('properties.page.path', 'NOT_CONTAINS', `-${100 + (call % 900)}`),
  'count, insertId': (call) => is('insertId', 'EQUALS', `nobody-${call}`),
};

const PAGES: Readonly<Record<string, { body: CountBody; offset: number; size: number }>> = {
  'page of 100': { body: {}, offset: 0, size: 100 },
  'page of 100, equality': { body: { filterSet: plan }, offset: 0, size: 100 },
  'page of 1000 far behind': { body: { filterSet: plan }, offset: 10_000, size: 1000 },
};

/**
 * The operations of the build in a folder, over stores of their own. Where builds have called things by other
 * names, this is the place that knows both.
 */
export async function operationsOf(build: string, folder: string, rows: number) {
  const load = <T>(name: string) => import(pathToFileURL(join(build, 'dist', name)).href) as Promise<T>;
  // What stores are written with was behind the front door before it had a door of its own.
  const door = existsSync(join(build, 'dist', 'store-kit.js')) ? 'store-kit.js' : 'index.js';
  const core = await load<typeof Core>(door);
  const { sqliteStores } = await load<typeof Sqlite>('sqlite.js');
  // Older builds take a clock, and make the rest themselves.
  const { nodeResources } = await load<Partial<typeof Node>>('node-http.js');
  const shared = { clock, resources: nodeResources?.() };
  const open = (name: string) => {
    const connect = () => new Database(join(folder, name)) as unknown as Sqlite.SqliteDatabase;
    return sqliteStores({ connect, ...shared } as Sqlite.SqliteOptions);
  };
  const stores = open('events.db');
  await fill(stores, rows);
  const operations = new Map<string, Operation>();
  const ingested = open('ingested.db');
  addIngestion(operations, ingested);
  addQuestions(operations, core, stores);
  addStarts(operations, core, () => open('events.db'));
  addLimits(operations, core, stores);
  addPredicates(operations, core);
  return { operations, close: () => Promise.all([stores.close(), ingested.close()]) };
}

async function fill({ events }: Stores, rows: number): Promise<void> {
  const batch: Core.StoredEvent[] = [];
  for (const event of sampleEvents(rows)) {
    batch.push(event);
    if (batch.length === 2000) await events.append(TENANT, batch.splice(0));
  }
  await events.append(TENANT, batch);
}

function addIngestion(operations: Map<string, Operation>, { events }: Stores): void {
  for (const size of [5, 100, 1000]) {
    const sample = [...sampleEvents(size)];
    let calls = 0;
    const run = () => {
      const call = `${size}-${calls++}`;
      return events.append(
        TENANT,
        sample.map((event) => ({ ...event, insertId: `${event.insertId}-${call}` })),
      );
    };
    operations.set(`append of ${size}`, { run });
  }
}

function addQuestions(operations: Map<string, Operation>, core: typeof Core, { events }: Stores): void {
  for (const [name, bodyOf] of Object.entries(COUNTS)) {
    const queries = Array.from({ length: 1000 }, (_, call) => core.parseCountBody(bodyOf(call)));
    let calls = 0;
    operations.set(name, { run: () => events.count(TENANT, queries[calls++ % queries.length]!) });
  }
  for (const [name, { body, offset, size }] of Object.entries(PAGES)) {
    const query = core.parseCountBody(body);
    operations.set(name, {
      async run() {
        const found = await events.query(TENANT, query, { offset, size });
        return isOld(core) ? found : collect(found);
      },
    });
  }
}

/** The first count of a store that was opened anew, from columns that the file has. */
function addStarts(operations: Map<string, Operation>, core: typeof Core, open: () => Stores): void {
  for (const name of ['count, equality', 'count, two conditions']) {
    const query = core.parseCountBody(COUNTS[name]!(0));
    operations.set(`first ${name} after a start`, {
      async run() {
        const own = open();
        const count = await own.events.count(TENANT, query);
        await own.close();
        return count;
      },
    });
  }
}

function addLimits(operations: Map<string, Operation>, core: typeof Core, { limits }: Stores): void {
  const perMinute = 100_000_000;
  const bounds = { perMinute, perDay: perMinute };
  // A limiter took limits before it took windows.
  const old = [bounds as never, 1 as never] as const;
  const [windows, cost] = isOld(core) ? old : ([requestWindows(bounds), REQUEST_COST] as const);
  let calls = 0;
  operations.set('limiter, one take', {
    run: () => limits.take(`key-${calls++ % 1000}`, windows, cost),
  });
}

function addPredicates(operations: Map<string, Operation>, core: typeof Core): void {
  const views = sampleViews(2000);
  for (const { name, body } of PREDICATE_CASES) {
    operations.set(`parse a body, ${name}`, { run: () => core.parseCountBody(body) });
    // Each with a test more that differs, so that none has been compiled before.
    const queries = Array.from({ length: 1000 }, (_, call) => {
      const another = is('userId', 'NOT_EQUALS', `nobody ${call}`).filterSet!;
      return core.parseCountBody({ ...body, filterSet: [...body.filterSet!, ...another] });
    });
    let calls = 0;
    const next = () => queries[calls++ % queries.length]!;
    operations.set(`compile and ask once, ${name}`, { run: () => compile(core, next())(views[0]!) });
    const passes = compile(core, core.parseCountBody(body));
    operations.set(`ask of 2,000 events, ${name}`, { run: () => countMatching(views, passes) });
  }
}

/** As a scan does it. */
function countMatching(views: readonly Core.EventView[], passes: Core.Predicate): number {
  let count = 0;
  for (const view of views) if (passes(view)) count += 1;
  return count;
}

/** A predicate was made of a condition before it was made of a query. */
function compile(core: typeof Core, query: Core.EventQuery): Core.Predicate {
  return core.compilePredicate(isOld(core) ? (query.condition as never) : query);
}

/** Whether a build is from the time before stored pages, when some things were called otherwise. */
function isOld(core: Partial<typeof Core>): boolean {
  return core.pageOf === undefined;
}
