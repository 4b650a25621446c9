import type { Mapping } from './mapping.ts';

/** A line of Amplitude's export. Its `uuid` survives a second export; its `$insert_id` may be missing. */
export const AMPLITUDE: Mapping = {
  title: 'an export of Amplitude',
  fits: (record) =>
    typeof record.event_type === 'string' &&
    (Object.hasOwn(record, 'server_upload_time') || Object.hasOwn(record, 'amplitude_id')),
  eventName: ['event_type'],
  userId: ['user_id', 'device_id', 'amplitude_id'],
  eventTs: ['event_time'],
  zone: 'UTC',
  insertId: { kind: 'id', from: ['uuid'] },
  properties: {
    spread: ['event_properties'],
    fields: ['event_type', 'event_time', 'uuid'],
    rest: 'amplitude',
  },
};
