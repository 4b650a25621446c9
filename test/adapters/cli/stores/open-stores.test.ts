import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStores } from '../../../../adapters/cli/stores/open-stores.ts';
import { toPlaces } from '../../../../adapters/cli/stores/places.ts';
import { parseStoreUrl } from '../../../../adapters/cli/stores/store-url.ts';
import { nodeRuntime } from '../../../../adapters/node-http/index.ts';
import { createFolder } from '../../../support/file.ts';

/** How many descriptors of this process are of a file in a folder. */
function openIn(folder: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // It was the one that the list itself was read by.
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
  it('are opened once where they share a place, and all closed', async () => {
    const folder = createOwnFolder();
    const places = toPlaces({ db: folder.file('events.db') });
    const stores = await openStores(places, nodeRuntime());
    const opened = openIn(folder.path);
    expect(opened).toBeGreaterThan(0);
    await stores.ready();
    await stores.close();
    expect(openIn(folder.path)).toBe(0);
    const apart = { ...places, control: { ...places.control, address: folder.file('control.db') } };
    const two = await openStores(apart, nodeRuntime());
    expect(openIn(folder.path)).toBeGreaterThan(opened);
    await two.close();
    expect(openIn(folder.path)).toBe(0);
  });

  it('leave nothing open where one of them does not open, which is named without its secrets', async () => {
    const folder = createOwnFolder();
    const places = toPlaces({ db: folder.file('events.db') });
    const other = folder.file('other.db');
    writeFileSync(other, 'this is no database, '.repeat(100));
    const refused = openStores({ ...places, control: { kind: 'sqlite', address: other } }, nodeRuntime());
    await expect(refused).rejects.toThrow(`cannot open ${other}: `);
    expect(openIn(folder.path)).toBe(0);
    const away = parseStoreUrl('control', 'postgres://u:hidden@127.0.0.1:1/d');
    const unreached = await openStores({ ...places, control: away }, nodeRuntime()).catch(String);
    expect(unreached).toMatch(/cannot open postgres:\/\/u@127\.0\.0\.1:1\/d: /);
    expect(unreached).not.toMatch('hidden');
    expect(openIn(folder.path)).toBe(0);
  });
});
