import { describe, expect, it } from 'vitest';
import * as clickhouse from '../../../adapters/clickhouse/index.ts';
import * as client from '../../../adapters/client/index.ts';
import * as dashboard from '../../../adapters/dashboard/index.ts';
import * as ofFetch from '../../../adapters/fetch/index.ts';
import * as jose from '../../../adapters/jose/index.ts';
import * as memory from '../../../adapters/memory/index.ts';
import * as nodeHttp from '../../../adapters/node-http/index.ts';
import * as oidc from '../../../adapters/oidc/index.ts';
import * as postgres from '../../../adapters/postgres/index.ts';
import * as prometheus from '../../../adapters/prometheus/index.ts';
import * as redis from '../../../adapters/redis/index.ts';
import * as ofServe from '../../../adapters/serve/index.ts';
import * as sqlite from '../../../adapters/sqlite/index.ts';
import * as core from '../../../src/index.ts';
import * as transportKit from '../../../src/transport-kit.ts';
import { testResources } from '../../support/resources.ts';

const ENTRIES = [
  ...[core, memory, sqlite, nodeHttp, ofServe, ofFetch, jose, postgres],
  ...[clickhouse, client, dashboard, oidc, redis, prometheus],
];
/** What makes something that a program then uses. */
const MAKER = /^(create|with)[A-Z]|^serve$|(Stores?|Events|Limiter|Provider|Meter|Verifier|Resources)$/;
/** These need nothing, and have a default for everything. */
const WITHOUT_NEEDS = [
  ...['nodeResources', 'webResources', 'joseTokenVerifier', 'createKeySets', 'prometheusMeter'],
  'memoryControlStore',
];

const resources = testResources();
const { runtime } = resources;
const stores = memory.memoryStores({ resources });
const { events } = stores;
const url = 'http://127.0.0.1:8787';
const connect = () => undefined;
const NODE = 'such as nodeResources()';
const STORES = 'such as memoryStores({ resources })';
const API = 'such as createApi({ stores, resources })';
const CLOCK = 'such as nodeResources().runtime';
const POOL = 'such as new Pool({ connectionString })';
const CLICKHOUSE = "such as createClient({ url }) of '@clickhouse/client'";
const CONNECT = "such as () => new Database('events.db')";
const FILE = "such as 'events.db'";
const DRIVER = "such as Database of 'better-sqlite3'";
const SEND = 'such as (args) => redis.sendCommand(args)';
const OPENID = "such as * of 'openid-client'";
const ISSUER = "such as 'https://login.example'";
const METRICS = 'such as prometheusMeter().registry';

/** What programs without types give a maker, and what it says. */
const MADE: readonly (readonly [maker: string, given: unknown, says: string])[] = [
  [
    'createEngine',
    undefined,
    `needs events, such as memoryEventStore({ resources }), and resources, ${NODE}; got nothing`,
  ],
  ['createEngine', 'events', 'takes an object of options; got a string'],
  ['createEngine', null, 'takes an object of options; got null'],
  ['createEngine', { events }, `needs resources, ${NODE}; got events`],
  [
    'createEngine',
    { events: stores, resources },
    ': events takes something like memoryEventStore({ resources }); ' +
      'got an object without append, query, count, eventNames',
  ],
  [
    'createEngine',
    { events, resources: nodeHttp.nodeResources },
    ': resources takes something like nodeResources(); got a function',
  ],
  [
    'createEngine',
    { events, resources: {} },
    ': resources takes something like nodeResources(); ' +
      'got an object without runtime, memory, scheduler, log, meter',
  ],
  ['createApi', {}, `needs stores, ${STORES}, and resources, ${NODE}; got nothing`],
  ['createApi', { resources }, `needs stores, ${STORES}; got resources`],
  [
    'createApi',
    { stores: Promise.resolve(stores), resources },
    ': stores takes something like memoryStores({ resources }); got a promise, which has to be awaited',
  ],
  [
    'createApi',
    { stores: { events }, resources },
    ': stores takes something like memoryStores({ resources }); got an object without control, limits',
  ],
  ['createAdmin', {}, `needs stores, ${STORES}, and runtime, ${CLOCK}; got nothing`],
  [
    'createAdmin',
    { stores, runtime: resources },
    ': runtime takes something like nodeResources().runtime; ' +
      'got an object without now, sleep, uuid, randomBytes, sha256',
  ],
  ['createNodeServer', { log: console }, `needs api, ${API}; got log`],
  [
    'createNodeServer',
    { api: [] },
    ': api takes something like createApi({ stores, resources }); got an object without handler, resources',
  ],
  ['createNodeListener', {}, `needs api, ${API}; got nothing`],
  [
    'createNodeListener',
    { api: connect },
    ': api takes something like createApi({ stores, resources }); got a function',
  ],
  ['createFetchHandler', {}, `needs api, ${API}; got nothing`],
  ['withDashboard', undefined, `needs api, ${API}; got nothing`],
  ['withMetrics', undefined, `needs api, ${API}, and source, ${METRICS}; got nothing`],
  ['memoryStores', {}, `needs resources, ${NODE}; got nothing`],
  ['memoryEventStore', {}, `needs resources, ${NODE}; got nothing`],
  ['memoryRateLimiter', undefined, `needs clock, ${CLOCK}; got nothing`],
  ['sqliteStores', undefined, `needs resources, ${NODE}, and connect, ${CONNECT}; got nothing`],
  ['sqliteStores', { resources }, `needs connect, ${CONNECT}; got resources`],
  [
    'sqliteStores',
    { resources, connect: 'events.db' },
    ": connect takes something like () => new Database('events.db'); got a string",
  ],
  ['serve', {}, `needs file, ${FILE}, and driver, ${DRIVER}; got nothing`],
  ['serve', { file: '', driver: connect }, ": file takes something like 'events.db'; got an empty string"],
  [
    'serve',
    { file: 'a.db', driver: {} },
    ": driver takes something like Database of 'better-sqlite3'; got an object",
  ],
  ['postgresStores', {}, `needs resources, ${NODE}, and pool, ${POOL}; got nothing`],
  [
    'postgresStores',
    { resources, pool: 'postgres://' },
    ': pool takes something like new Pool({ connectionString }); got a string',
  ],
  ['clickhouseEvents', {}, `needs resources, ${NODE}, and client, ${CLICKHOUSE}; got nothing`],
  ['redisRateLimiter', {}, `needs clock, ${CLOCK}, and send, ${SEND}; got nothing`],
  [
    'redisRateLimiter',
    { clock: runtime, send: {} },
    ': send takes something like (args) => redis.sendCommand(args); got an object',
  ],
  [
    'oidcProvider',
    {},
    `needs client, ${OPENID}, and issuer, ${ISSUER}, and clientId, such as 'event-query', ` +
      'and clientSecret, such as process.env.OIDC_CLIENT_SECRET; got nothing',
  ],
  [
    'oidcProvider',
    { client: { discovery: connect }, issuer: 'login.example', clientId: 'a', clientSecret: 'b' },
    ": issuer takes an https address, such as 'https://login.example', or http on this machine",
  ],
  ['createClient', undefined, 'needs url and tenant and apiKey; got nothing'],
  ['createClient', { url, tenant: 'shop', key: 'eqk_' }, 'needs apiKey; got url, tenant, key'],
  [
    'createClient',
    { url: 'localhost:8787', tenant: 'shop', apiKey: 'eqk_' },
    ': url takes an address of http or https, such as http://127.0.0.1:8787',
  ],
  ['createClient', { url, tenant: '', apiKey: 'eqk_' }, ': tenant takes the alias of a tenant, got ""'],
  ['createClient', { url, tenant: 'shop', apiKey: 'a b' }, ': apiKey takes an API key of the tenant'],
  ['createClient', { url, tenant: 'shop', apiKey: 'eqk_', fetch: 1 }, ': fetch takes a function'],
  [
    'createClient',
    { url, tenant: 'shop', apiKey: 'eqk_', timeout: 5 },
    ': unknown option timeout; use one of url, tenant, apiKey, fetch, timeoutMs',
  ],
  ['createSender', {}, 'needs url and tenant; got nothing'],
  ['createMemoryBudget', {}, 'needs bytesMax, such as 512 * 2 ** 20; got nothing'],
  [
    'createMemoryBudget',
    { bytesMax: '512 MiB' },
    ': bytesMax takes something like 512 * 2 ** 20; got a string',
  ],
];

const makerOf = (name: string) =>
  [...ENTRIES, transportKit]
    .flatMap((entry) => Object.entries<unknown>(entry))
    .find(([each]) => each === name)![1] as (given: unknown) => unknown;

describe('what is missing or wrong is said where something is made', () => {
  it.each(MADE)('%s(%o) %s', async (name, given, says) => {
    // Some throw and some reject: a program that awaits them sees no difference.
    const made = new Promise((resolve) => resolve(makerOf(name)(given)));
    const message = says.startsWith(':') ? name + says : `${name} ${says}`;
    await expect(made).rejects.toThrow(new TypeError(message));
  });

  it('holds for every maker of every entry point that an embedding program has', () => {
    const makers = ENTRIES.flatMap((entry) => Object.keys(entry)).filter((name) => MAKER.test(name));
    const tried = new Set([...MADE.map(([name]) => name), ...WITHOUT_NEEDS]);
    expect(makers.filter((name) => !tried.has(name))).toEqual([]);
  });
});
