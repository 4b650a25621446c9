import type { JsonObject, JsonValue } from '../../../../src/index.ts';
import { isJsonObject, isNothing } from '../../../../src/internal.ts';
import { setOwn } from '../../values/own-keys.ts';
import { exactNumber } from './exact-number.ts';
import type { Mapping } from './mapping.ts';

/**
 * A row of GA4's tables in BigQuery, as `bq extract` writes it. Nothing in it identifies an event: real
 * events can be equal in everything, so equal ones are counted.
 */
export const GA4: Mapping = {
  title: 'a BigQuery export of GA4',
  fits: (record) => Object.hasOwn(record, 'event_timestamp') && Object.hasOwn(record, 'event_params'),
  prepare: ({ event_params: own = null, user_properties: user = null, ...others }) => ({
    ...others,
    event_params: own,
    // What has another shape keeps it, so that nothing is lost.
    params: toParams(own) ?? (isNothing(own) ? {} : { event_params: own }),
    user_properties: toParams(user) ?? user,
  }),
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
    drop: ['event_name', 'event_params', 'event_timestamp', 'event_date'],
    rest: 'ga4',
  },
};

/** Which value of a parameter counts: the first that is there. */
const VALUES = ['string_value', 'int_value', 'float_value', 'double_value'] as const;

/** An object of a list of keys and values; undefined for anything else. */
function toParams(list: JsonValue): JsonObject | undefined {
  if (!Array.isArray(list)) return undefined;
  const params: JsonObject = {};
  for (const param of list) {
    if (!isJsonObject(param) || typeof param.key !== 'string') return undefined;
    const value = valueOf(param.value ?? null);
    if (value !== null) setOwn(params, param.key, value);
  }
  return params;
}

/**
 * The value of a parameter; null for none. INT64 is a text in JSON; one beyond 2^53 stays a text, because a
 * number would round it.
 */
function valueOf(held: JsonValue): JsonValue {
  if (!isJsonObject(held)) return held;
  const name = VALUES.find((each) => (held[each] ?? null) !== null);
  if (name === undefined) return null;
  const value = held[name]!;
  if (name === 'string_value' || typeof value !== 'string') return value;
  const number = name === 'int_value' ? exactNumber(value) : Number(value);
  return Number.isFinite(number) ? number! : value;
}
