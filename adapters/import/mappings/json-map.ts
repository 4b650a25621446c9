import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject, setOwn } from '../../../src/internal.ts';
import { INSERT_ID_PATTERN, isNothing } from '../../../src/transport-kit.ts';
import type { CellSource } from '../base/options.ts';
import type { SourceRecord } from '../readers/records.ts';
import { hashedId, toText } from './apply.ts';
import { put } from './columns.ts';
import { describeSources, keysOfTarget, readersOf, readProperties, type TableOptions } from './csv.ts';
import type { Instants } from './instants.ts';

/**
 * Makes events of objects by what a user says of their keys: a path names keys separated by dots. What no
 * path names are properties, as they are. Throws ApiError (400) for a path of `map` that no event has.
 */
export function toMappedObjects(
  records: AsyncIterable<SourceRecord>,
  table: TableOptions,
  instants: Instants,
): AsyncIterable<SourceRecord> {
  // What is wrong with a path is told before anything is read.
  return toEvents(records, compileObjectMap(table, instants));
}

async function* toEvents(
  records: AsyncIterable<SourceRecord>,
  toEvent: (record: JsonObject) => JsonObject | ApiError,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    const { number, bytes, value } = record;
    if (value === undefined || isApiError(value)) yield record;
    else if (!isJsonObject(value)) yield { number, bytes, value: invalid('event', 'takes an object') };
    else {
      // An object is known by its text, whatever is said of its types.
      const identity = { prefix: 'json', content: JSON.stringify(value) };
      yield { number, bytes, value: toEvent(value), identity };
    }
  }
}

function compileObjectMap(
  { map, types, decimal, words }: TableOptions,
  instants: Instants,
): (record: JsonObject) => JsonObject | ApiError {
  const targets = [...map].map(([target, sources]) => {
    const [keys] = sources.map((source) => keysOfTarget(target, source, words));
    return { keys: keys!, sources };
  });
  const readers = readersOf(decimal, words);
  const read = (keys: readonly string[], value: JsonValue): JsonValue | ApiError => {
    if (keys.join('.') === 'properties' && typeof value === 'string')
      return readProperties(value, 'properties');
    if (keys[0] === 'properties') return value;
    if (keys[0] === 'eventTs') return instants.read(value, undefined);
    const text = toText(value);
    const isLong = keys[0] === 'insertId' && typeof text === 'string' && !INSERT_ID_PATTERN.test(text);
    return isLong ? hashedId(text) : text;
  };
  return (record) => {
    for (const [path, type] of types) {
      const place = find(record, path);
      if (place === undefined || typeof place.value !== 'string') continue;
      const value = readers[type](place.value, path);
      if (isApiError(value)) return value;
      setOwn(place.object, place.key, value);
    }
    const event: JsonObject = {};
    const named: [keys: readonly string[], value: JsonValue][] = [];
    const used: Place[] = [];
    for (const { keys, sources } of targets) {
      const value = firstOf(record, sources, used);
      if (value === undefined && keys[0] !== 'properties' && keys[0] !== 'insertId')
        return invalid(keys[0]!, `is missing: the object has no ${describeSources(sources)}`);
      const own = value === undefined ? undefined : read(keys, value);
      if (isApiError(own)) return own;
      if (own !== undefined) named.push([keys, own]);
    }
    for (const place of used) remove(place);
    if (Object.keys(record).length > 0) event.properties = record;
    for (const [keys, value] of named) {
      const problem = put(event, keys, value);
      if (problem !== undefined) return problem;
    }
    return event;
  };
}

/** Where a record holds a value. */
interface Place {
  readonly object: JsonObject;
  readonly key: string;
  readonly value: JsonValue;
  /** Where the object itself is; undefined for the record. */
  readonly above?: Place | undefined;
}

/** Takes a value out of its record, and the objects around it that held nothing else. */
function remove({ object, key, above }: Place): void {
  Reflect.deleteProperty(object, key);
  if (above !== undefined && Object.keys(object).length === 0) remove(above);
}

/** The value of the first source that holds one; its places are added to those that are used. */
function firstOf(record: JsonObject, sources: readonly CellSource[], used: Place[]): JsonValue | undefined {
  for (const source of sources) {
    if (typeof source !== 'string') return source.constant;
    const whole = find(record, source);
    const places = whole === undefined ? source.split('+').map((path) => find(record, path)) : [whole];
    const filled = places.filter((place) => place !== undefined && !isNothing(place.value)) as Place[];
    if (filled.length < places.length) continue;
    used.push(...filled);
    return filled.length === 1
      ? filled[0]!.value
      : filled.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ');
  }
  return undefined;
}

/** Where a path leads: a key of its whole name comes before keys that its dots separate. */
function find(record: JsonObject, path: string): Place | undefined {
  if (Object.hasOwn(record, path)) return { object: record, key: path, value: record[path]! };
  let place: Place | undefined;
  let value: JsonValue | undefined = record;
  for (const key of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    place = { object: value, key, value: value[key]!, above: place };
    value = place.value;
  }
  return place;
}
