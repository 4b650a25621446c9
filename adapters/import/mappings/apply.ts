import { hash } from 'node:crypto';
import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject, setOwn } from '../../../src/internal.ts';
import {
  ANONYMOUS,
  freeKey,
  INSERT_ID_PATTERN,
  isNothing,
  HASHED_ID,
  isRounded,
  toInsertId,
} from '../../../src/transport-kit.ts';
import type { RecordIdentity } from '../readers/records.ts';
import { isFiner, type Instants } from './instants.ts';
import type { Mapping, PropertiesRule } from './mapping.ts';

/** An event made of a record, and what identifies it if it has no `insertId`. */
export interface MappedEvent {
  readonly value: JsonObject | ApiError;
  readonly identity?: RecordIdentity;
}

/** The `insertId` for an id that cannot be one as it is: it is too long, or not ASCII. */
export function hashedId(id: string): string {
  return toInsertId(HASHED_ID, digestOf(id));
}

/** Makes the function that turns records into events; times are read by `instants`. */
export function compileMapping(mapping: Mapping, instants: Instants): (record: unknown) => MappedEvent {
  const eventName = firstOf(mapping.eventName);
  const userId = firstOf(mapping.userId);
  const eventTs = firstOf(mapping.eventTs);
  const identify = compileIdentity(mapping);
  const propertiesOf = compileProperties(mapping.properties);
  return (value) => {
    if (!isJsonObject(value)) return { value: invalid('event', 'takes an object') };
    const record = mapping.prepare?.(value) ?? value;
    const time = eventTs(record);
    if (time === undefined)
      return { value: invalid('eventTs', `is missing: the record has no ${mapping.eventTs.join(', no ')}`) };
    const instant = instants.read(time, mapping.zone);
    if (isApiError(instant)) return { value: instant };
    const name = eventName(record);
    if (name === undefined)
      return {
        value: invalid('eventName', `is missing: the record has no ${mapping.eventName.join(', no ')}`),
      };
    const identified = identify(record, value);
    if (isApiError(identified)) return { value: identified };
    const { insertId, identity, ids = [] } = identified;
    const [nameText, userText] = [toText(name), toText(userId(record) ?? ANONYMOUS)];
    const isHeld = (held: JsonValue) => {
      const text = toText(held);
      if (held === time) return !isFiner(held);
      return text === nameText || text === userText || ids.includes(held);
    };
    const event: JsonObject = {
      eventName: nameText,
      userId: userText,
      eventTs: instant,
      properties: propertiesOf(record, isHeld),
    };
    if (insertId !== undefined) event.insertId = insertId;
    return { value: event, ...(identity && { identity }) };
  };
}

/** Finds the value of the first path that holds one; an empty text is none. */
function firstOf(paths: readonly string[]): (record: JsonObject) => JsonValue | undefined {
  const split = paths.map((path) => path.split('.'));
  return (record) => {
    for (const keys of split) {
      const value = valueAt(record, keys);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return undefined;
  };
}

function valueAt(record: JsonObject, keys: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = record;
  for (const key of keys) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A number or a boolean as JSON writes it; the core refuses what is not a text then. */
export function toText(value: JsonValue): JsonValue {
  if (isRounded(value)) return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

interface Identified {
  readonly insertId?: string;
  /** The values that the id shows as they are. */
  readonly ids?: readonly JsonValue[];
  readonly identity?: RecordIdentity;
}

type Identify = (record: JsonObject, raw: JsonObject) => Identified | ApiError;

function compileIdentity({ insertId: rule }: Mapping): Identify {
  const parts = rule.from.map((path) => path.split('.'));
  const contentOf = (record: JsonObject) =>
    JSON.stringify(parts.map((keys) => valueAt(record, keys) ?? null));
  if (rule.kind === 'counted')
    return (record) => ({ identity: { prefix: rule.prefix, content: contentOf(record) } });
  const needed = firstOf(rule.kind === 'hash' ? [rule.needs] : rule.from.slice(0, 1));
  return (record, raw) => {
    if (needed(record) === undefined) return { identity: { prefix: 'import', content: JSON.stringify(raw) } };
    const rounded = parts.findIndex((keys) => isRounded(valueAt(record, keys)));
    if (rounded !== -1)
      return invalid('insertId', `${rule.from[rounded]!} is a number above 2^53, which may have lost digits`);
    if (rule.kind === 'hash') {
      // An id is the same one as a number, and as the text that an export makes of it.
      const ids = parts.map((keys) => toText(valueAt(record, keys) ?? null));
      return { insertId: toInsertId(rule.prefix, digestOf(JSON.stringify(ids))) };
    }
    const ids = parts
      .map((keys) => valueAt(record, keys))
      .filter((value): value is JsonValue => value !== undefined && value !== null && value !== '');
    const id = ids.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('-');
    return INSERT_ID_PATTERN.test(id) ? { insertId: id, ids } : { insertId: hashedId(id) };
  };
}

/** A short hash of a text: 128 bits of SHA-256. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}

/** Whether an event holds a value in one of its fields. */
type IsHeld = (value: JsonValue) => boolean;

function compileProperties(rule: PropertiesRule): (record: JsonObject, isHeld: IsHeld) => JsonObject {
  const { spread, without = [], keep = {}, fields, drop = [], rest } = rule;
  const own = new Set([...spread, ...drop]);
  const sources = new Set(fields);
  return (record, isHeld) => {
    const properties: JsonObject = {};
    for (const key of spread) {
      const held = record[key];
      if (!isJsonObject(held)) continue;
      for (const name of Object.keys(held)) {
        if (without.includes(name) && (isNothing(held[name]!) || isHeld(held[name]!))) continue;
        setOwn(properties, Object.hasOwn(properties, name) ? freeKey(properties, name) : name, held[name]!);
      }
    }
    const others: JsonObject = {};
    for (const key of Object.keys(record)) {
      const value = record[key]!;
      // What is spread only if it is an object must not be lost if it is something else.
      const isTaken = own.has(key) && (isJsonObject(value) || !spread.includes(key));
      if (isTaken || isNothing(value) || (sources.has(key) && isHeld(value))) continue;
      if (Object.hasOwn(keep, key)) properties[freeKey(properties, keep[key]!)] = value;
      else setOwn(others, key, value);
    }
    if (Object.keys(others).length > 0) properties[freeKey(properties, rest)] = others;
    return properties;
  };
}
