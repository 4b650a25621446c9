import type { JsonObject, JsonValue } from '../../../src/index.ts';
import { isJsonObject, setOwn } from '../../../src/internal.ts';
import { freeKey, isNothing } from '../../../src/transport-kit.ts';
import { exactNumber } from './exact-number.ts';
import type { Mapping } from './mapping.ts';

/**
 * A row of GA4's tables in BigQuery, as `bq extract` writes it. Nothing in it identifies an event: real
 * events can be equal in everything, so equal ones are counted.
 */
export const GA4: Mapping = {
  title: 'a BigQuery export of GA4',
  fits: (record) => Object.hasOwn(record, 'event_timestamp') && Object.hasOwn(record, 'event_params'),
  prepare: ({ event_params: own = null, user_properties: user = null, ...others }) => {
    const [params, properties] = [toParams(own), toParams(user)];
    return {
      ...others,
      event_params: own,
      // What has another shape keeps it, so that nothing is lost.
      params: params?.values ?? (isNothing(own) ? {} : { event_params: own }),
      user_properties: properties?.values ?? user,
      event_params_more: params?.more ?? null,
      user_properties_more: properties?.more ?? null,
    };
  },
  words: { params: 'event_params' },
  eventName: ['event_name'],
  userId: ['user_id', 'user_pseudo_id'],
  eventTs: ['event_timestamp'],
  insertId: {
    kind: 'counted',
    prefix: 'ga4',
    from: [
      ...['user_pseudo_id', 'event_timestamp', 'event_name', 'event_bundle_sequence_id'],
      ...['batch_page_id', 'batch_ordering_id', 'batch_event_index', 'event_params'],
    ],
  },
  properties: {
    spread: ['params'],
    fields: ['event_name', 'event_timestamp'],
    drop: ['event_params'],
    rest: 'ga4',
  },
};

/** Which value of a parameter counts: the first that is there. */
const VALUES = ['string_value', 'int_value', 'float_value', 'double_value'] as const;

/** The values of parameters by their keys, and what else is said of each: when a user property was set. */
interface Params {
  readonly values: JsonObject;
  readonly more: JsonObject;
}

/** The parameters of a list of keys and values; undefined for anything else. */
function toParams(list: JsonValue): Params | undefined {
  if (!Array.isArray(list)) return undefined;
  const [values, more]: [JsonObject, JsonObject] = [{}, {}];
  for (const param of list) {
    if (!isJsonObject(param) || typeof param.key !== 'string') return undefined;
    const { key, value: held = null, ...others } = param;
    const name = nameOf(held);
    const value = name === undefined ? held : valueOf(name, held as JsonObject);
    if (value !== null && (name !== undefined || !isJsonObject(held)))
      setOwn(values, Object.hasOwn(values, key) ? freeKey(values, key) : key, value);
    const rest = Object.entries({ ...(isJsonObject(held) && held), ...others });
    const said = rest.filter(([each, what]) => each !== name && !isNothing(what));
    if (said.length > 0) setOwn(more, freeKey(more, key), Object.fromEntries(said));
  }
  return { values, more };
}

/** The type of a parameter's value; undefined for a value that is no object of types, or has none. */
function nameOf(held: JsonValue): (typeof VALUES)[number] | undefined {
  return isJsonObject(held) ? VALUES.find((each) => (held[each] ?? null) !== null) : undefined;
}

/** The value of a type. INT64 is a text in JSON; one that a number would round stays a text. */
function valueOf(name: (typeof VALUES)[number], held: JsonObject): JsonValue {
  const value = held[name]!;
  if (name === 'string_value' || typeof value !== 'string') return value;
  const number = name === 'int_value' ? exactNumber(value) : Number(value);
  return Number.isFinite(number) ? number! : value;
}
