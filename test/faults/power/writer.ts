/**
 * Writes to a database in one of several processes while its calls are recorded: `writer.ts --folder F
 * --name a --seed 1 --steps 200 [--synchronous OFF]`. With `--synchronous` every connection syncs so,
 * whatever the store asks for.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import type { Stores } from '../../../src/index.ts';
import { DIST } from '../../support/built.ts';
import { createRandom } from '../../support/random.ts';
import { batchOf, DATABASE_FILE, KEPT_TENANTS, NOTES_FILE, type Note } from './notes.ts';
import { QUESTIONS, STOPPED_CLOCK, WINDOWS } from './questions.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';
import { apiKey } from '../../support/api-key.ts';

const load = (name: string) => import(pathToFileURL(join(DIST, name)).href) as Promise<unknown>;
const { sqliteStores } = (await load('sqlite.js')) as typeof import('../../../adapters/sqlite/index.ts');
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '100' },
    synchronous: { type: 'string' },
  },
});
const file = join(values.folder, DATABASE_FILE);
const notes = join(values.folder, NOTES_FILE);
const random = createRandom(Number(values.seed));

const note = (line: Note) => appendFileSync(notes, `${JSON.stringify(line)}\n`);
const open = () => sqliteStores({ connect, resources: testResources({ runtime: STOPPED_CLOCK }) });

function connect(): Database.Database {
  const database = new Database(file);
  if (values.synchronous === undefined) return database;
  const exec = database.exec.bind(database);
  database.exec = (sql) => exec(sql.replace(/synchronous = \w+/, `synchronous = ${values.synchronous}`));
  return database;
}

let stores = open();
let made = 0;

/** What a writer does, each as often as the others unless it stands here more than once. */
const ACTIONS: readonly ((stores: Stores) => Promise<void>)[] = [
  (all) => append(all, random.pick(KEPT_TENANTS), random.between(1, 40)),
  (all) => append(all, random.pick(KEPT_TENANTS), random.between(1, 40)),
  (all) => append(all, random.pick(KEPT_TENANTS), random.between(200, 900)),
  take,
  take,
  ask,
  key,
  drop,
  () => Promise.resolve(checkpoint()),
  reopen,
];

for (let step = 0; step < Number(values.steps); step++) await random.pick(ACTIONS)(stores);
await stores.close();

async function append({ events }: Stores, tenantId: string, size: number): Promise<void> {
  const label = `${values.name}-${(made += 1)}`;
  note({ is: 'begun', tenantId, label });
  await events.append(tenantId, batchOf(label, size));
  note({ is: 'stored', tenantId, label });
}

async function take({ limits }: Stores): Promise<void> {
  for (let i = random.between(1, 12); i > 0; i--) {
    note({ is: 'taking', writer: values.name });
    await limits.take('key', WINDOWS, [1, 1]);
    note({ is: 'taken', writer: values.name, at: Date.now() });
  }
}

/** Questions make columns, and whole chunks of them are kept in the file. */
async function ask({ events }: Stores): Promise<void> {
  for (const { query } of QUESTIONS) await events.count(KEPT_TENANTS[0], query);
}

/** A key belongs to a tenant that is there. */
async function addKeptTenant(control: Stores['control']): Promise<void> {
  const [id] = KEPT_TENANTS;
  await recordsIn(control).tenants.create({
    ...{ id, alias: id, name: id, plan: 'growth', limits: null, ingestion: 'default', retentionDays: null },
    ...{ authStrategy: 'NONE', jwt: null, createdAt: 1 },
  });
}

async function key({ control }: Stores): Promise<void> {
  const hash = `${values.name}-key-${(made += 1)}`;
  await addKeptTenant(control);
  await recordsIn(control).keys.create(apiKey({ id: hash, tenantId: KEPT_TENANTS[0] }));
  note({ is: 'key', hash });
  if (random.next() < 0.5) return;
  await recordsIn(control).keys.revoke(hash, 2);
  note({ is: 'revoked', hash });
}

/** A tenant that comes and goes. */
async function drop(all: Stores): Promise<void> {
  const tenantId = `${values.name}-tenant-${(made += 1)}`;
  await append(all, tenantId, random.between(1, 300));
  await all.events.erase(tenantId);
  note({ is: 'dropped', tenantId });
}

function checkpoint(): void {
  const database = connect();
  database.pragma(`wal_checkpoint(${random.pick(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})`);
  database.close();
}

async function reopen(): Promise<void> {
  await stores.close();
  stores = open();
}
