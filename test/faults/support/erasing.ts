/**
 * Erases the events of a user, in a process that ends itself by SIGKILL before the n-th statement that
 * writes: `node --import tsx erasing.ts --db FILE --alias A --user U [--kill N]`. It prints how many it ran.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { DIST } from '../../support/built.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const load = (name: string) => import(pathToFileURL(join(DIST, name)).href) as Promise<unknown>;
const { parseCountBody } = (await load('store-kit.js')) as typeof import('../../../src/store-kit.ts');
const { sqliteStores } = (await load('sqlite.js')) as typeof import('../../../adapters/sqlite/index.ts');

const { values } = parseArgs({
  options: {
    db: { type: 'string', default: '' },
    alias: { type: 'string', default: '' },
    user: { type: 'string', default: '' },
    kill: { type: 'string', default: '0' },
  },
});
let ran = 0;
let counts = false;

function note(): void {
  if (!counts) return;
  ran += 1;
  if (ran === Number(values.kill)) process.kill(process.pid, 'SIGKILL');
}

function connect() {
  const database = new Database(values.db);
  return {
    exec: (sql: string) => {
      note();
      return database.exec(sql);
    },
    close: () => database.close(),
    prepare: (sql: string) => {
      const statement = database.prepare(sql);
      const run = (...given: unknown[]) => {
        note();
        return statement.run(...given);
      };
      const get = (...given: unknown[]) => statement.get(...given);
      const all = (...given: unknown[]) => statement.all(...given);
      return { run, get, all, iterate: (...given: unknown[]) => statement.iterate(...given) };
    },
  };
}

const stores = sqliteStores({ connect, resources: testResources() });
const tenant = await recordsIn(stores.control).tenants.findByAlias(values.alias);
counts = true;
const query = parseCountBody({
  filterSet: [{ property: 'userId', comparison: 'EQUALS', value: values.user }],
});
await stores.events.erase(tenant!.id, query);
counts = false;
await stores.close();
console.log(ran);
