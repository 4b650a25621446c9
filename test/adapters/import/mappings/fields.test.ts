import { describe, expect, it } from 'vitest';
import { MAPPED_FORMATS, MAPPINGS, type MappedFormat } from '../../../../adapters/import/formats.ts';
import { compileMapping } from '../../../../adapters/import/mappings/apply.ts';
import { plainInstants } from '../plain-instants.ts';
import { SNOWPLOW_COLUMNS, toSnowplowRecord } from '../../../../adapters/import/mappings/snowplow.ts';
import { isApiError, type JsonObject } from '../../../../src/index.ts';

const map = (format: MappedFormat, record: JsonObject) =>
  compileMapping(MAPPINGS[format], plainInstants())(record).value as JsonObject;

/** A record of each format that says little: what it is called, and when it was. */
const RECORDS = {
  mixpanel: { event: 'a', properties: { time: 1_700_000_000_123 } },
  amplitude: { event_type: 'a', event_time: '2024-05-18 10:00:00.123000' },
  posthog: { event: 'a', timestamp: '2024-05-18T10:00:00.123Z' },
  segment: { type: 'track', event: 'a', timestamp: '2024-05-18T10:00:00.123Z' },
  rudderstack: { type: 'track', event: 'a', timestamp: '2024-05-18T10:00:00.123Z' },
  ga4: { event_name: 'a', event_timestamp: '1716026400123000' },
  snowplow: { event: 'a', collector_tstamp: '2024-05-18 10:00:00.123' },
  umami: { event_name: 'a', created_at: '2024-05-18 10:00:00' },
} as const satisfies Partial<Record<MappedFormat, JsonObject>>;

describe('the user of a record', () => {
  it.each<[keyof typeof RECORDS, ...(readonly [string, unknown][])]>([
    ['amplitude', ['user_id', 'u'], ['device_id', 'd'], ['amplitude_id', 17]],
    ['posthog', ['distinct_id', 'u']],
    ['segment', ['userId', 'u'], ['anonymousId', 'd']],
    ['rudderstack', ['userId', 'u'], ['anonymousId', 'd']],
    ['ga4', ['user_id', 'u'], ['user_pseudo_id', 'd']],
    ['snowplow', ['user_id', 'u'], ['domain_userid', 'd'], ['network_userid', 'n']],
    ['umami', ['distinct_id', 'u'], ['session_id', 's']],
  ])('of %s is the first that it names, and anonymous without any', (format, ...ids) => {
    const userOf = (named: readonly [string, unknown][]) =>
      map(format, { ...RECORDS[format], ...Object.fromEntries(named) }).userId;
    for (const [i, [, id]] of ids.entries()) expect(userOf(ids.slice(i))).toBe(String(id));
    expect(userOf([])).toBe('anonymous');
    expect(userOf(ids.map(([name]) => [name, '']))).toBe('anonymous');
  });
});

describe('the format of a record', () => {
  it.each<[MappedFormat, JsonObject]>([
    ['mixpanel', { event: 'a', properties: { time: 30 } }],
    ['segment', { type: 'track', event: 'a', userId: 'u', properties: { time: 30 } }],
    ['rudderstack', { type: 'track', event: 'a', anonymousId: 'd', rudderId: 'r', properties: { time: 30 } }],
    ['posthog', { uuid: 'i', event: 'a', distinct_id: 'u', timestamp: 't', properties: { time: 30 } }],
  ])('is %s, although a property is called as the time of Mixpanel is', (format, record) => {
    expect(MAPPED_FORMATS.find((name) => MAPPINGS[name].fits(record))).toBe(format);
  });
});

describe('an id that a number has rounded', () => {
  it.each<[keyof typeof RECORDS, JsonObject, RegExp]>([
    [
      'mixpanel',
      { event: 'a', properties: { time: 1_700_000_000, $insert_id: 2 ** 53 } },
      /^insertId: .*\$insert_id is /,
    ],
    [
      'mixpanel',
      { event: 'a', properties: { time: 1_700_000_000, $insert_id: 'i', distinct_id: 2 ** 53 } },
      /^insertId: /,
    ],
    ['amplitude', { uuid: 12345678901234567890 }, /^insertId: uuid is /],
    ['snowplow', { event_id: 'e', event_fingerprint: -(2 ** 60) }, /^insertId: event_fingerprint is /],
  ])('identifies no event: %s refuses %j', (format, more, error) => {
    const refused = map(format, { ...RECORDS[format], ...more });
    expect(isApiError(refused) && refused.message).toMatch(error);
  });

  it('names no user: it stays a number, which no event takes', () => {
    expect(map('amplitude', { ...RECORDS.amplitude, user_id: 2 ** 53 }).userId).toBe(2 ** 53);
  });
});

describe('the time of a record', () => {
  it.each<[keyof typeof RECORDS, ...string[]]>([
    ['segment', 'originalTimestamp', 'timestamp'],
    ['rudderstack', 'originalTimestamp', 'timestamp'],
    ['snowplow', 'true_tstamp', 'derived_tstamp', 'collector_tstamp'],
  ])('of %s is the first of those that it has', (format, ...names) => {
    const times = names.map((name, i) => [name, `2024-05-1${i}T10:00:00.000Z`] as const);
    for (const [i, [, time]] of times.entries()) {
      const record = { ...RECORDS[format], ...Object.fromEntries(times.slice(i)) } as JsonObject;
      expect(map(format, record).eventTs).toBe(Date.parse(time));
    }
  });

  it.each([
    ['1700000000.1234', '1700000000.1230'],
    ['1700000000123.4', '1700000000123.0'],
    ['1700000000123400', '1700000000123000'],
    ['1700000000123400000', '1700000000123000000'],
    ['2023-11-14T22:13:20.1234Z', '2023-11-14T22:13:20.1230Z'],
  ])('%j is kept, since it says more than its millisecond, and %j is not', (finer, whole) => {
    const of = (time: string) => map('mixpanel', { event: 'a', properties: { time } });
    expect(of(finer)).toMatchObject({ eventTs: 1_700_000_000_123, properties: { time: finer } });
    expect(of(whole)).toMatchObject({ eventTs: 1_700_000_000_123 });
    expect(of(whole).properties).toEqual({});
  });
});

describe('a parameter of GA4', () => {
  it('keeps when it was set, a second one of its name, and what else is said of it', () => {
    const set = { string_value: 'pro', set_timestamp_micros: '1714600000000000' };
    const event_params = [
      { key: 'a', value: { int_value: '1' } },
      { key: 'a', value: { int_value: '2' }, source: 'x' },
    ];
    const user_properties = [
      { key: 'plan', value: set },
      { key: 'gone', value: { set_timestamp_micros: '5' } },
    ];
    const record = { ...RECORDS.ga4, event_timestamp: '1716026400123456', event_date: '20240518' };
    expect(map('ga4', { ...record, event_params, user_properties }).properties).toEqual({
      ...{ a: 1, a_: 2 },
      ga4: {
        ...{ event_timestamp: '1716026400123456', event_date: '20240518', user_properties: { plan: 'pro' } },
        event_params_more: { a: { source: 'x' } },
        user_properties_more: {
          plan: { set_timestamp_micros: '1714600000000000' },
          gone: { set_timestamp_micros: '5' },
        },
      },
    });
  });

  it('has the value that is there, also one that says nothing elsewhere', () => {
    const params = { zero: { int_value: 0 }, empty: { string_value: '' }, none: { string_value: null } };
    const both = { first: { string_value: null, int_value: '7', double_value: 1.5 } };
    const event_params = Object.entries({ ...params, ...both }).map(([key, value]) => ({ key, value }));
    const { properties } = map('ga4', { ...RECORDS.ga4, event_params });
    const ga4 = { event_params_more: { first: { double_value: 1.5 } } };
    expect(properties).toEqual({ zero: 0, empty: '', first: 7, ga4 });
  });
});

describe('a line of Snowplow', () => {
  it('has numbers and flags where a cell writes one exactly, and its text where not', () => {
    const cells: Readonly<Record<string, string>> = {
      ...{ ...RECORDS.snowplow, contexts: '{"cut', derived_contexts: '{"data":[]}', app_id: '5' },
      ...{ txn_id: '12345678901234567890', se_value: '1.50', page_urlport: '443', doc_width: 'wide' },
      ...{ br_cookies: '1', dvce_ismobile: 'false', br_features_pdf: '0', br_features_java: 'maybe' },
    };
    const line = SNOWPLOW_COLUMNS.map((name) => cells[name] ?? '').join('\t');
    expect(map('snowplow', toSnowplowRecord(line) as JsonObject).properties).toEqual({
      snowplow: {
        ...{ ...cells, derived_contexts: { data: [] }, se_value: 1.5, page_urlport: 443 },
        ...{ br_cookies: true, dvce_ismobile: false, br_features_pdf: false },
      },
    });
  });
});

describe('what a record says in another shape than usual', () => {
  it.each<[keyof typeof RECORDS, JsonObject, string]>([
    ['mixpanel', { event: 'a', properties: { time: 1_700_000_000 }, labels: ['lost?'] }, 'mixpanel'],
    ['amplitude', { event_properties: ['lost?'] }, 'amplitude'],
    ['posthog', { properties: '["lost?"]' }, 'posthog'],
    ['posthog', { properties: '{"lost?' }, 'posthog'],
    ['posthog', { person_properties: 'lost?' }, 'posthog'],
    ['segment', { properties: ['lost?'], traits: 'lost?' }, 'segment'],
    ['ga4', { event_params: '[{"key":"lost?"}]' }, 'ga4'],
    ['ga4', { event_params: { a: 'lost?' } }, 'ga4'],
    ['ga4', { event_params: [{ name: 'lost?' }] }, 'ga4'],
    ['ga4', { event_params: [{ key: 'a', value: 'lost?' }] }, 'ga4'],
    ['ga4', { user_properties: '[{"key":"lost?"}]' }, 'ga4'],
    ['snowplow', { unstruct_event: '{"lost?' }, 'snowplow'],
    ['snowplow', { unstruct_event: { data: { schema: 'x', data: ['lost?'] } } }, 'snowplow'],
  ])('is kept: %s %j', (format, more) => {
    const { properties } = map(format, { ...RECORDS[format], ...more });
    expect(JSON.stringify(properties)).toContain('lost?');
  });
});

it('an object of PostHog that is null says nothing, as a text of JSON too', () => {
  for (const nothing of [null, 'null'])
    expect(
      map('posthog', { ...RECORDS.posthog, properties: nothing, person_properties: nothing }).properties,
    ).toEqual({});
});

describe('each value of a record', () => {
  /** A record that has a value of its own at each path that the mapping of its format knows. */
  function everything(format: keyof typeof RECORDS): { record: JsonObject; marks: string[] } {
    const { eventName, userId, eventTs, insertId, properties, words = {} } = MAPPINGS[format];
    const record: JsonObject = { type: 'identify', unknown: { deep: ['mark-unknown'] } };
    const marks = ['mark-unknown'];
    const put = (path: string, value: string) => {
      if (Object.hasOwn(words, path) || path === 'event_params') return;
      const [key = '', below] = path.split('.');
      if (below === undefined) record[key] ??= value;
      else record[key] = { ...(record[key] as JsonObject | undefined), [below]: value };
      marks.push(value);
    };
    eventTs.forEach((path, i) => put(path, `2024-05-1${i}T10:00:00.00000${i + 1}Z`));
    const paths = [...eventName, ...userId, ...insertId.from, ...properties.fields];
    for (const path of new Set(paths)) if (!eventTs.includes(path)) put(path, `mark-${path}`);
    for (const key of [...properties.spread, ...Object.keys(properties.keep ?? {})])
      if (!Object.hasOwn(words, key)) put(`${key}.own`, `mark-${key}.own`);
    return { record, marks: marks.filter((mark) => JSON.stringify(record).includes(`"${mark}"`)) };
  }

  it.each(Object.keys(RECORDS) as (keyof typeof RECORDS)[])('of %s is in its event', (format) => {
    const { record, marks } = everything(format);
    const event = JSON.stringify(map(format, record));
    expect(marks.length).toBeGreaterThan(3);
    for (const mark of marks) {
      // What goes into a hash is named by it, and stays a property.
      expect([mark, event.includes(mark)]).toEqual([mark, true]);
    }
  });

  it.each(Object.keys(RECORDS) as (keyof typeof RECORDS)[])(
    'of %s stays where ids are too long',
    (format) => {
      const long = 'ü'.repeat(300);
      const { insertId } = MAPPINGS[format];
      const record = { ...everything(format).record };
      const [key = '', below] = insertId.from.at(-1)!.split('.');
      if (key === 'event_params') return;
      record[key] = below === undefined ? long : { ...(record[key] as JsonObject), [below]: long };
      expect(JSON.stringify(map(format, record))).toContain(long);
    },
  );
});
