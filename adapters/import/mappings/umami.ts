import type { Mapping } from './mapping.ts';

/**
 * A row of `website_event.csv`, with what `event_data.csv` holds of it under `data`. An event without a name
 * is a page view.
 */
export const UMAMI: Mapping = {
  title: 'an export of Umami',
  fits: (record) => ['event_id', 'website_id', 'created_at'].every((key) => Object.hasOwn(record, key)),
  prepare: (record) =>
    record.event_name === undefined || record.event_name === ''
      ? { ...record, event_name: 'page_viewed' }
      : record,
  words: { data: 'event_data.csv' },
  eventName: ['event_name'],
  userId: ['distinct_id', 'session_id'],
  eventTs: ['created_at'],
  zone: 'UTC',
  insertId: { kind: 'id', from: ['event_id'] },
  properties: { spread: ['data'], fields: ['event_name', 'event_id', 'created_at'], rest: 'umami' },
};
