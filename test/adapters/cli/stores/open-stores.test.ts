import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStores, withStores } from '../../../../adapters/cli/stores/open-stores.ts';
import {
  addPlaceOptions,
  ofFirstServers,
  placesOf,
  toPlaces,
  variableOf,
} from '../../../../adapters/cli/stores/places.ts';
import { parseStoreUrl } from '../../../../adapters/cli/stores/store-url.ts';
import { createFolder } from '../../../support/file.ts';
import { testResources } from '../../../support/resources.ts';

/** How many open descriptors of this process refer to files in a folder. */
function openIn(folder: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // This was the descriptor with which the list itself was read.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(folder)).length;
}

function createOwnFolder() {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  return folder;
}

describe('the stores of a command', () => {
  it('are opened once when they share a place, and all closed', async () => {
    const folder = createOwnFolder();
    const places = toPlaces({ db: folder.file('events.db') });
    const stores = await openStores(places, testResources(), 'create');
    const opened = openIn(folder.path);
    expect(opened).toBeGreaterThan(0);
    await stores.ready();
    await stores.close();
    expect(openIn(folder.path)).toBe(0);
    const apart = { ...places, control: { ...places.control, address: folder.file('control.db') } };
    const two = await openStores(apart, testResources(), 'create');
    expect(openIn(folder.path)).toBeGreaterThan(opened);
    await two.close();
    expect(openIn(folder.path)).toBe(0);
  });

  it('leave nothing open when one of them fails, which is named without its secrets', async () => {
    const folder = createOwnFolder();
    const places = toPlaces({ db: folder.file('events.db') });
    const other = folder.file('other.db');
    writeFileSync(other, 'this is no database, '.repeat(100));
    const refused = openStores(
      { ...places, control: { kind: 'sqlite', address: other } },
      testResources(),
      'create',
    );
    await expect(refused).rejects.toThrow(`cannot open ${other}: `);
    expect(openIn(folder.path)).toBe(0);
    const away = parseStoreUrl('control', 'postgres://u:hidden@127.0.0.1:1/d');
    const unreached = await openStores({ ...places, control: away }, testResources(), 'create').catch(String);
    expect(unreached).toMatch(/cannot open postgres:\/\/u@127\.0\.0\.1:1\/d: /);
    expect(unreached).not.toMatch('hidden');
    expect(openIn(folder.path)).toBe(0);
  });

  it('are reported without the secrets of their URL, whatever a driver says', async () => {
    const places = toPlaces({ db: createOwnFolder().file('events.db') });
    const control = parseStoreUrl('control', 'postgres://u@h:1/d?host=/nowhere/hidden-socket');
    const said = await openStores({ ...places, control }, testResources(), 'create').catch(String);
    expect(said).toMatch(/cannot open postgres:\/\/u@h:1\/d: .*…/);
    expect(said).not.toMatch('hidden-socket');
  });

  it('are closed after failed work, and a missing file may be created', async () => {
    const folder = createOwnFolder();
    const places = toPlaces({ db: folder.file('events.db') });
    const fail = () => Promise.reject(new Error('the work failed'));
    await expect(withStores(places, 'existing', fail)).rejects.toThrow('there is no file');
    expect(readdirSync(folder.path)).toEqual([]);
    await expect(withStores(places, 'create', fail)).rejects.toThrow('the work failed');
    expect(openIn(folder.path)).toBe(0);
  });
});

describe('a place', () => {
  it('may be named by the variable of its flag', () => {
    expect(variableOf('to-events')).toBe('EVENT_QUERY_TO_EVENTS');
    vi.stubEnv('EVENT_QUERY_LIMITS', 'memory:');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(placesOf(addPlaceOptions(new Command()).parse([], { from: 'user' })).limits.kind).toBe('memory');
  });

  it('has no replica for commands that must see the latest writes', () => {
    const events = parseStoreUrl('events', 'postgres://u@h/d?replica=r');
    const first = ofFirstServers(toPlaces({ db: 'a.db', events }));
    expect(Object.values(first).map(({ address }) => address)).toEqual(Array(3).fill('postgres://u@h/d'));
  });
});
