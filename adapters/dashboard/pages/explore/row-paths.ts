import type { Event } from '../../../../src/index.ts';
import { written } from '../address/written.ts';
import { briefPairs, type Pair } from './brief-pairs.ts';

/** How many values of each event are looked at. */
const LOOKED_MAX = 100;
/** From how many events on it shows that a text is another one in each of them. */
const MANY = 5;
/** The share of events with a text of their own from which it says as little as an id. */
const ID_SHARE = 0.9;

/** What the shown rows have at a path. */
interface PathInRows {
  events: number;
  readonly names: Set<string>;
  /** The beginnings of the values. */
  readonly values: Set<string>;
  isText: boolean;
}

/**
 * The order in which rows show the values of their events: by paths, those that tell the shown events apart
 * first. Few names have them, or their values differ; those that are another one in each event, as ids are,
 * come after these, and what all events share comes last.
 */
export function rowPaths(events: readonly Event[]): readonly string[] {
  const paths = new Map<string, PathInRows>();
  for (const { eventName, properties } of events) {
    for (const [path, value] of briefPairs(properties, LOOKED_MAX)) {
      let seen = paths.get(path);
      if (seen === undefined) paths.set(path, (seen = NOTHING_SEEN()));
      seen.events += 1;
      seen.names.add(eventName);
      seen.values.add(told(value));
      if (typeof value !== 'string') seen.isText = false;
    }
  }
  const names = new Set(events.map(({ eventName }) => eventName)).size;
  const ranked = [...paths].map(([path, seen]) => ({ path, rank: rankOf(seen, names, events.length) }));
  // The sort is stable, so equals keep the order that they have in events.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ path }) => path);
}

const NOTHING_SEEN = (): PathInRows => ({ events: 0, names: new Set(), values: new Set(), isText: true });

/** How many characters of a value tell it from others. */
const TOLD_LENGTH = 200;
const told = (value: unknown) => `${typeof value} ${written(value, TOLD_LENGTH)}`;

function rankOf({ events, names, values, isText }: PathInRows, namesShown: number, rows: number): number {
  if (values.size === 1 && events === rows && rows > 1) return 4;
  const isOfFew = namesShown > 1 && names.size <= namesShown / 2;
  const isId = isText && events >= MANY && values.size >= events * ID_SHARE;
  if (isOfFew) return isId ? 1 : 0;
  if (values.size === 1) return 3;
  return isId ? 3 : 2;
}

/** The values of an event that its row shows, in the order of `rowPaths`. */
export function rowPairs(
  { properties }: Event,
  ranks: ReadonlyMap<string, number>,
  most: number,
): readonly Pair[] {
  const rankOfPath = ([path]: Pair) => ranks.get(path) ?? Infinity;
  const pairs = [...briefPairs(properties, LOOKED_MAX)].sort(
    (a, b) => Math.sign(rankOfPath(a) - rankOfPath(b)) || 0,
  );
  return pairs.slice(0, most);
}
