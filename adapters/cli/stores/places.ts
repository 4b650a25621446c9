import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { misuse } from '../process/errors.ts';
import { inGroup } from '../print/in-group.ts';
import { parseFile } from '../values/parse.ts';
import { splitReplica } from './server-url.ts';
import {
  formsOf,
  BACKENDS,
  parseStoreUrl,
  showStoreUrl,
  type StoreRole,
  type StoreUrl,
} from './store-url.ts';

/** Where events, control data (tenants and keys) and limits are kept. */
export type ConnectionUrls = Readonly<Record<StoreRole, StoreUrl>>;

/** The flags for these places. */
export interface PlaceOptions extends Partial<ConnectionUrls> {
  readonly db: string;
}

/** Adds the flags that every command takes. */
export function addPlaceOptions(program: Command): Command {
  return inGroup(program, 'Where data is kept:', (each) =>
    each
      .addOption(
        new Option('--db <file>', 'the SQLite file for everything without a backend of its own')
          .env('EVENT_QUERY_DB')
          .default('./data/event-query.db')
          .argParser(parseFile),
      )
      .addOption(placeOption('events', 'events', 'the backend of events'))
      .addOption(
        placeOption(
          'control',
          'control',
          'the backend of tenants and keys (default: that of events, if it can hold them)',
        ),
      )
      .addOption(placeOption('limits', 'limits', 'the backend of limits (default: that of tenants)')),
  );
}

/** Makes a flag for a place, which can also be set by an environment variable. */
export function placeOption(flag: string, role: StoreRole, description: string): Option {
  return new Option(`--${flag} <url>`, `${description}: ${formsOf(role)}`)
    .env(variableOf(flag))
    .argParser((text) => parseStoreUrl(role, text, flag));
}

/** The environment variable of a flag. */
export const variableOf = (flag: string): string => `EVENT_QUERY_${flag.replaceAll('-', '_').toUpperCase()}`;

/** The places of a command, from its flags. */
export function placesOf(command: Command): ConnectionUrls {
  return toPlaces(command.optsWithGlobals<PlaceOptions>());
}

/**
 * Throws an Error when a server would create a new file for tenants only because `--control` is missing. When
 * the events are on another server, the tenants are probably not in a local file either, and with an empty
 * file every key would be rejected.
 */
export function checkControlIsKnown(command: Command): void {
  const { db, events, control } = command.optsWithGlobals<PlaceOptions>();
  const isSaid = control !== undefined || command.getOptionValueSourceWithGlobals('db') !== 'default';
  if (isSaid || events === undefined || existsSync(db)) return;
  if (toPlaces({ db, events }).control === events) return;
  throw misuse(
    `${showStoreUrl(events)} holds events only, and ${db}, the file for tenants and keys, ` +
      'does not exist: ' +
      'name their backend with --control, or a file to create with --db',
  );
}

/** The same places without replicas, for commands that must see the latest writes. */
export function ofFirstServers({ events, control, limits }: ConnectionUrls): ConnectionUrls {
  const first = (place: StoreUrl): StoreUrl =>
    place.kind === 'postgres' ? { ...place, address: splitReplica(place.address).main } : place;
  return { events: first(events), control: first(control), limits: first(limits) };
}

/**
 * Fills in the places: control data defaults to the place of events if possible, limits to that of control.
 */
export function toPlaces({ db, events, control, limits }: PlaceOptions): ConnectionUrls {
  const file: StoreUrl = { kind: 'sqlite', address: db };
  const home = events ?? file;
  const canControl = BACKENDS.control.some((kind) => kind === home.kind);
  const desk = control ?? (canControl ? home : file);
  return { events: home, control: desk, limits: limits ?? desk };
}
