import { describe, expect, it } from 'vitest';
import { createClient } from '../../adapters/client/index.ts';
import { memoryEventStore, memoryStores } from '../../adapters/memory/index.ts';
import { createNodeServer, nodeRuntime } from '../../adapters/node-http/index.ts';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { createApi, createEngine } from '../../src/index.ts';

const runtime = nodeRuntime();
const url = 'http://127.0.0.1:8787';

/** What programs without types do. */
const MADE: readonly (readonly [string, () => unknown, string])[] = [
  [
    'no options',
    () => createEngine(undefined as never),
    'createEngine needs events and runtime; got nothing',
  ],
  ['an engine', () => createEngine({ events: memoryEventStore() } as never), 'needs runtime; got events'],
  ['an API', () => createApi({ runtime } as never), 'createApi needs stores; got runtime'],
  ['a server', () => createNodeServer({ log: console } as never), 'createNodeServer needs handler; got log'],
  ['stores in memory', () => memoryStores({} as never), 'memoryStores needs clock; got nothing'],
  [
    'stores in a file',
    () => sqliteStores({ clock: runtime } as never),
    'sqliteStores needs connect; got clock',
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
