import { createBoundedMap } from '../base/bounded-map.ts';
import { differenceOf } from '../base/difference.ts';
import { readPieces, UTC, type TimeZone } from '../base/zone.ts';

/** The time zones that the parts of a process share. */
export interface Zones {
  /** The zone of a name, `UTC` or `Area/Location`; undefined for any other name and where it is unknown. */
  of(name: string): TimeZone | undefined;
  /** The name that may have been meant by an unknown one; undefined if none is like it. */
  nearestTo(name: string): string | undefined;
  /** The version of the data about zones, such as `2025c`; undefined where the runtime does not tell. */
  readonly dataVersion: string | undefined;
}

/** How many zones are kept at most: what is known of one takes about 90 KiB. */
const ZONES_MAX = 64;

/**
 * The names that are the same in every runtime. Others take `IST`, `CET` or `+05:30`, each of them some, and
 * mean different times by them.
 */
const NAME_PATTERN = /^[A-Za-z][A-Za-z_]*(?:\/[A-Za-z0-9_+-]+){1,2}$/;
/** No name is nearly as long. */
const NAME_LENGTH_MAX = 64;

/** Makes the zones of a process, from the data of its runtime. */
export function createZones(dataVersion?: string): Zones {
  const known = createBoundedMap<string, TimeZone['pieceAt']>(ZONES_MAX);
  let names: readonly string[] | undefined;

  function open(name: string): TimeZone['pieceAt'] | undefined {
    const key = name.toLowerCase();
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const pieceAt = readPieces(name);
    if (pieceAt !== undefined) known.set(key, pieceAt);
    return pieceAt;
  }

  return {
    dataVersion,
    of(name) {
      if (name.toUpperCase() === UTC.name) return UTC;
      if (name.length > NAME_LENGTH_MAX || !NAME_PATTERN.test(name)) return undefined;
      if (open(name) === undefined) return undefined;
      const key = name.toLowerCase();
      // What is parsed may be kept for long. It holds the name alone, so that the bound holds for zones.
      return { name, pieceAt: (instant) => (known.get(key) ?? open(name)!)(instant) };
    },
    nearestTo(name) {
      if (name.length > NAME_LENGTH_MAX) return undefined;
      names ??= [UTC.name, ...Intl.supportedValuesOf('timeZone')];
      return nearestOf(name.replaceAll(' ', '_'), names);
    },
  };
}

/** The most alike name, or the one of the most alike town: people write `Berlin`. */
function nearestOf(asked: string, names: readonly string[]): string | undefined {
  const town = townOf(asked);
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(town.length / 3)) + 1;
  for (const name of names) {
    // A town of another area is less alike than the same mistake in the whole name.
    const ofTown = differenceOf(town, townOf(name)) + (town === asked ? 0 : 1);
    const far = Math.min(differenceOf(asked, name), ofTown);
    if (far < least) [nearest, least] = [name, far];
  }
  return nearest;
}

const townOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);
