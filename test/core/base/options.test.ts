import { describe, expect, it } from 'vitest';
import { createClient } from '../../../adapters/client/index.ts';
import { memoryEventStore, memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeServer } from '../../../adapters/node-http/index.ts';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import { createApi, createEngine } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

const resources = testResources();
const url = 'http://127.0.0.1:8787';

/** What programs without types do. */
const MADE: readonly (readonly [string, () => unknown, string])[] = [
  [
    'no options',
    () => createEngine(undefined as never),
    'createEngine needs events and resources; got nothing',
  ],
  [
    'an engine',
    () => createEngine({ events: memoryEventStore({ resources }) } as never),
    'needs resources; got events',
  ],
  ['an API', () => createApi({ resources } as never), 'createApi needs stores; got resources'],
  ['a server', () => createNodeServer({ log: console } as never), 'createNodeServer needs api; got log'],
  ['stores in memory', () => memoryStores({} as never), 'memoryStores needs resources; got nothing'],
  [
    'stores in a file',
    () => sqliteStores({ resources } as never),
    'sqliteStores needs connect; got resources',
  ],
  ['a client', () => createClient({} as never), 'createClient needs url and tenant and apiKey; got nothing'],
  [
    'a client with another name',
    () => createClient({ url, tenant: 'shop', key: 'eqk_' } as never),
    'createClient needs apiKey; got url, tenant, key',
  ],
  [
    'a client of no address',
    () => createClient({ url: 'localhost:8787', tenant: 'shop', apiKey: 'eqk_' }),
    'createClient: url takes an address of http or https',
  ],
];

describe('options that are missing are said where something is made', () => {
  it.each(MADE)('%s', (_what, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});
