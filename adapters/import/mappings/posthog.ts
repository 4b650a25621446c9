import type { JsonValue } from '../../../src/index.ts';
import { parseObject } from './json-object.ts';
import type { Mapping } from './mapping.ts';

/** A row of PostHog's batch exports. In Parquet its objects are texts of JSON. */
export const POSTHOG: Mapping = {
  title: 'an export of PostHog',
  fits: (record) => ['uuid', 'event', 'distinct_id', 'timestamp'].every((key) => Object.hasOwn(record, key)),
  prepare: (record) => {
    const { properties = null, person_properties: person = null } = record;
    return { ...record, properties: toObject(properties), person_properties: toObject(person) };
  },
  eventName: ['event'],
  userId: ['distinct_id'],
  eventTs: ['timestamp'],
  zone: 'UTC',
  insertId: { kind: 'id', from: ['uuid'] },
  properties: {
    spread: ['properties'],
    keep: { person_properties: '$person' },
    fields: ['event', 'distinct_id', 'timestamp', 'uuid'],
    rest: 'posthog',
  },
};

/** The object that a text writes; what is none stays as it is, so that nothing is lost. */
function toObject(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  return value === 'null' ? null : (parseObject(value) ?? value);
}
