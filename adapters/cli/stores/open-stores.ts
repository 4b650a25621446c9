import {
  createAdmin,
  createEngine,
  isApiError,
  type Admin,
  type Engine,
  type Resources,
  type Runtime,
  type Stores,
} from '../../../src/index.ts';
import { createOperations, type EventOperations } from '../../../src/internal.ts';
import type { Actor } from '../../../src/store-kit.ts';
import { userInfo } from 'node:os';
import { nodeResources } from '../../node-http/index.ts';
import { failure, messageOf } from '../process/errors.ts';
import { hintOf } from '../values/nearest.ts';
import { OPENERS, orClose, type FileUse, type OpenedStores } from './openers.ts';
import type { ConnectionUrls } from './places.ts';
import { checkExists } from './sqlite-file.ts';
import { hideSecrets, showStoreUrl, type StoreRole, type StoreUrl } from './store-url.ts';

/** The open stores that a command works with. */
export interface Workplace {
  readonly stores: Stores;
  readonly engine: Engine;
  /** The engine's operations on events as stores keep them. */
  readonly operations: EventOperations;
  readonly admin: Admin;
  readonly runtime: Runtime;
  /** The user of the command, as the audit log names them. */
  readonly by: Actor;
}

/**
 * Opens the stores, each place once. If `use` allows it, creates a missing file and its folder, for their
 * owner only. On failure, closes everything and throws an Error of one line without secrets.
 */
export async function openStores(
  places: ConnectionUrls,
  resources: Resources,
  use: FileUse,
): Promise<Stores> {
  const opened = new Map<string, OpenedStores>();
  const closeAll = async () => {
    await Promise.all([...opened.values()].map((each) => each.close()));
  };

  async function open(role: StoreRole): Promise<OpenedStores> {
    const place = places[role];
    const known = opened.get(place.address);
    if (known !== undefined) return known;
    try {
      const made = await OPENERS[place.kind](place, resources, use);
      opened.set(place.address, made);
      await made.ready();
      if (use === 'check' && made.isAway?.() === true) throw failure('it does not answer');
      return made;
    } catch (error) {
      const [name, why] = [nameOf(place), hideSecrets(place, messageOf(error))];
      throw failure(why.includes(name) ? why : `cannot open ${name}: ${why}`);
    }
  }

  if (use === 'existing') filesOf(places).forEach(checkExists);
  return orClose(async () => {
    const { events } = await open('events');
    const { control } = await open('control');
    const { limits } = await open('limits');
    return {
      ...({ events, control, limits } as Pick<Stores, 'events' | 'control' | 'limits'>),
      ready: async () => {
        await Promise.all([...opened.values()].map((each) => each.ready()));
      },
      close: closeAll,
    };
  }, closeAll);
}

/** The name of a place for messages: that of a file, or a URL without secrets. */
export function nameOf(place: StoreUrl): string {
  return place.kind === 'sqlite' ? place.address : showStoreUrl(place);
}

/** The SQLite files among the places, without duplicates. */
export function filesOf(places: ConnectionUrls): string[] {
  const files = Object.values(places).filter(({ kind }) => kind === 'sqlite');
  return [...new Set(files.map(({ address }) => address))];
}

/** Opens the stores, does the work of one command, and closes them again. */
export async function withStores<T>(
  places: ConnectionUrls,
  use: Exclude<FileUse, 'check'>,
  work: (workplace: Workplace) => Promise<T>,
): Promise<T> {
  const resources = nodeResources();
  const { runtime } = resources;
  const stores = await openStores(places, resources, use);
  try {
    const parts = { events: stores.events, resources };
    const engine = createEngine(parts);
    const operations = createOperations(parts);
    const by: Actor = { who: userName(), from: 'command line' };
    const admin = withNearestAlias(createAdmin({ stores, runtime, by, tokens, operations }));
    return await work({ stores, engine, operations, runtime, by, admin });
  } finally {
    await stores.close();
  }
}

/** Checks the public keys of tenants. Loaded on demand: few commands need it, and loading is slow. */
const tokens = {
  parsePublicKey: async (text: string) => (await import('../../jose/index.ts')).parsePublicKey(text),
};

/** Adds a "did you mean" hint to the error about an unknown alias. */
function withNearestAlias(admin: Admin): Admin {
  return {
    ...admin,
    getTenant: async (alias) => {
      try {
        return await admin.getTenant(alias);
      } catch (error) {
        if (!isApiError(error) || error.code !== 'tenantNotFound') throw error;
        const aliases = (await admin.listTenants()).map((tenant) => tenant.alias);
        throw failure(`${error.message}${hintOf(alias, aliases)}`);
      }
    },
  };
}

/** The name of the system's user; in a container, a user may have none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
