import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import type { JsonObject, JsonValue, StoredEvent } from '../../event/event.ts';
import { compareCodePoints } from '../../event/text.ts';
import type { Scalar } from '../../filter/operands.ts';
import { isAskable, pathText, type NamedPath } from '../../filter/path.ts';
import {
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  JSON_TYPES,
  PATHS_MAX,
  PROPERTIES_LENGTH_MAX,
  type JsonType,
  type Properties,
  type Property,
} from '../../query/properties.ts';

/** The properties of an event without any. */
const NO_PROPERTIES = '{}';

/** The memory of an entry, in addition to its path and to the texts of its examples. */
const ENTRY_BYTES = 512;

/** What the events of one name have at one path. */
interface Entry extends NamedPath {
  readonly counts: Record<JsonType, number>;
  /** How many objects at this path have content that no listed path below it shows. */
  rest: number;
  /** How many arrays at this path hold an object, whose keys no path below it shows. */
  arraysOfObjects: number;
  /** The first distinct values, each with the number of its event. */
  readonly examples: { readonly value: Scalar; readonly from: number }[];
  /** The paths below it, by their last key. */
  readonly below: Map<string, Entry>;
}

/** Which paths the events of each name have, gathered event by event. */
export interface PropertyTable {
  /** Adds an event. If it throws ApiError `overloaded`, the table must not be used any more. */
  add(event: StoredEvent): void;
  /** The properties of the events of one name, or of all. */
  answer(event: string | undefined): Properties;
}

/** Makes an empty table. Its memory is booked if there is a reservation. */
export function createPropertyTable(reservation?: Reservation, pathsMax = PATHS_MAX): PropertyTable {
  /** The properties themselves, of the events of each name that have a path. */
  const roots = new Map<string, Entry>();
  let paths = 0;
  /** How long paths and examples are together. */
  let textLength = 0;
  let more = false;
  let events = 0;

  /** Whether there is room for a text of so many characters. */
  function takeLength(length: number): boolean {
    if (textLength + length > PROPERTIES_LENGTH_MAX) return false;
    textLength += length;
    return true;
  }

  function entryAt(above: Entry, key: string): Entry | undefined {
    const known = above.below.get(key);
    if (known !== undefined) return known;
    // What no filter can name is no path.
    if (!isAskable(above, key)) return undefined;
    if (paths >= pathsMax) {
      more = true;
      return undefined;
    }
    const entry = createEntry([...above.segments, key]);
    if (!takeLength(entry.path.length)) {
      more = true;
      return undefined;
    }
    if (reservation !== undefined) reserveOrThrow(reservation, ENTRY_BYTES + entry.path.length * 4);
    above.below.set(key, entry);
    paths += 1;
    return entry;
  }

  function addExample({ examples }: Entry, value: Scalar): void {
    if (examples.length === EXAMPLES_MAX || examples.some((known) => known.value === value)) return;
    const length = typeof value === 'string' ? value.length : 8;
    if (length > EXAMPLE_LENGTH_MAX || !takeLength(length)) return;
    if (reservation !== undefined) reserveOrThrow(reservation, length * 2);
    examples.push({ value, from: events });
  }

  function visit(above: Entry, properties: JsonObject): void {
    const keys = Object.entries(properties);
    let told = 0;
    for (const [key, value] of keys) {
      const entry = entryAt(above, key);
      if (entry === undefined) continue;
      told += 1;
      const type = typeOf(value);
      entry.counts[type] += 1;
      if (type === 'array' && (value as readonly JsonValue[]).some(isObject)) entry.arraysOfObjects += 1;
      if (type === 'object') visit(entry, value as JsonObject);
      else if (value !== null && typeof value !== 'object') addExample(entry, value);
    }
    if (told === 0 || told < keys.length) above.rest += 1;
  }

  return {
    add({ eventName, propertiesJson }) {
      const root = roots.get(eventName) ?? createEntry([]);
      if (propertiesJson !== NO_PROPERTIES) visit(root, JSON.parse(propertiesJson) as JsonObject);
      if (root.below.size > 0 || root.rest > 0) roots.set(eventName, root);
      events += 1;
    },
    answer(event) {
      const asked = event === undefined ? [...roots.values()] : [roots.get(event) ?? createEntry([])];
      const properties = merge(asked.flatMap(entriesBelow));
      return { properties, more, ...toRest(asked) };
    },
  };
}

function createEntry(segments: readonly string[]): Entry {
  const path = pathText({ root: 'properties', segments });
  return {
    segments,
    path,
    counts: { ...NO_COUNTS },
    rest: 0,
    arraysOfObjects: 0,
    examples: [],
    below: new Map(),
  };
}

function entriesBelow({ below }: Entry): Entry[] {
  return [...below.values()].flatMap((entry) => [entry, ...entriesBelow(entry)]);
}

const NO_COUNTS = Object.fromEntries(JSON_TYPES.map((type) => [type, 0])) as Record<JsonType, number>;

const isObject = (value: JsonValue): boolean => typeOf(value) === 'object';

function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'string' | 'number' | 'boolean' | 'object';
}

function merge(entries: readonly Entry[]): Property[] {
  const byPath = new Map<string, Entry[]>();
  for (const entry of entries) {
    const known = byPath.get(entry.path);
    if (known === undefined) byPath.set(entry.path, [entry]);
    else known.push(entry);
  }
  return [...byPath]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([path, same]) => {
      const sums = JSON_TYPES.map(
        (type) => [type, same.reduce((sum, { counts }) => sum + counts[type], 0)] as const,
      );
      const types = Object.fromEntries(sums.filter(([, sum]) => sum > 0));
      const examples = firstOf(same.flatMap((entry) => entry.examples));
      return { path, types, ...toRest(same), ...toArraysOfObjects(same), examples };
    });
}

/** How many objects have content that no listed path shows; absent if there are none. */
function toRest(entries: readonly Entry[]): { rest?: number } {
  const rest = entries.reduce((sum, entry) => sum + entry.rest, 0);
  return rest === 0 ? {} : { rest };
}

/** How many arrays hold an object; absent if there are none. */
function toArraysOfObjects(entries: readonly Entry[]): { arraysOfObjects?: number } {
  const arraysOfObjects = entries.reduce((sum, entry) => sum + entry.arraysOfObjects, 0);
  return arraysOfObjects === 0 ? {} : { arraysOfObjects };
}

/** The first distinct examples of some: each is among the first of its own name. */
function firstOf(examples: Entry['examples']): Scalar[] {
  const inOrder = examples.sort((a, b) => a.from - b.from).map(({ value }) => value);
  return [...new Set(inOrder)].slice(0, EXAMPLES_MAX);
}
