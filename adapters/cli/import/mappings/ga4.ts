import type { JsonObject, JsonValue } from '../../../../src/index.ts';
import { isJsonObject } from '../../../../src/internal.ts';
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
  prepare: (record) => ({
    ...record,
    params: toParams(record.event_params),
    user_properties: toParams(record.user_properties),
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

/** An object of a list of keys and values. */
function toParams(list: JsonValue | undefined): JsonObject {
  const params: JsonObject = {};
  if (!Array.isArray(list)) return params;
  for (const param of list) {
    if (!isJsonObject(param) || typeof param.key !== 'string' || !isJsonObject(param.value)) continue;
    const { key, value } = param;
    const name = VALUES.find((each) => value[each] !== undefined && value[each] !== null);
    if (name !== undefined) setOwn(params, key, toValue(name, value[name]!));
  }
  return params;
}

/** INT64 is a text in JSON; one beyond 2^53 stays a text, because a number would round it. */
function toValue(name: string, value: JsonValue): JsonValue {
  if (name === 'string_value' || typeof value !== 'string') return value;
  const number = name === 'int_value' ? exactNumber(value) : Number(value);
  return Number.isFinite(number) ? number! : value;
}
