import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { SNOWPLOW_COLUMNS } from '../../../adapters/import/mappings/snowplow.ts';
import { toNdjson } from '../cli/ndjson.ts';
import { zipOf } from './zip-of.ts';

/** Files in the shape of another tool's export, and the events that they hold. */
export interface Source {
  /** A file of the events from one number to another. */
  readonly fileOf: (from: number, until: number) => Buffer;
  /** An event, as an export of ours shows it, as far as the source says it. */
  readonly expected: (i: number) => object;
}

const START = 1_700_000_000_000;
const ms = (i: number) => START + i * 1001;
const iso = (i: number) => new Date(ms(i)).toISOString();
const local = (i: number) => iso(i).replace('T', ' ').replace('Z', '');
export const uuid = (i: number) => `0190a3f2-7c41-7cc0-9d11-${String(i).padStart(12, '0')}`;
const range = (from: number, until: number) => Array.from({ length: until - from }, (_, i) => from + i);
const word = (i: number) => `ünï \u{1f600} "${i}", ;`;
const lines = (record: (i: number) => object) => (from: number, until: number) =>
  gzipSync(toNdjson(range(from, until).map(record)));

/** A table with a header; every cell is quoted that has to be. */
export function toCsv(rows: readonly Record<string, string | number>[]): string {
  const cell = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`;
  const head = Object.keys(rows[0] ?? {}).join(',');
  return [head, ...rows.map((row) => Object.values(row).map(cell).join(','))].join('\n') + '\n';
}

const call = (i: number) => ({
  anonymousId: `anon-${i % 5}`,
  messageId: `ajs-next-${ms(i)}-${uuid(i)}`,
  originalTimestamp: iso(i),
  // Corrected by how long the request took.
  timestamp: new Date(ms(i) + 37).toISOString(),
  receivedAt: new Date(ms(i) + 99).toISOString(),
  context: { library: { name: 'analytics.js', version: '1.84.1' }, page: { path: `/${i}` } },
});

const snowplowRow = (i: number): Record<string, string> => ({
  app_id: 'shop',
  collector_tstamp: local(i + 1),
  derived_tstamp: local(i),
  event: 'unstruct',
  event_name: 'link_click',
  event_id: uuid(i),
  event_fingerprint: `f${i}`,
  domain_userid: `user-${i}`,
  domain_sessionidx: '3',
  br_cookies: '1',
  page_url: `https://example.org/${i}`,
  unstruct_event: JSON.stringify({
    schema: 'iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0',
    data: { schema: 'iglu:com.example/link_click/jsonschema/1-0-0', data: { text: word(i), n: i } },
  }),
});

/** A source for each name that `--from` takes. */
export const SOURCES: Readonly<Record<string, Source>> = {
  mixpanel: {
    fileOf: lines((i) => ({
      event: 'Signed up',
      properties: {
        time: ms(i),
        distinct_id: `user-${i}`,
        $insert_id: `i${i}`,
        text: word(i),
        $city: 'Köln',
      },
    })),
    expected: (i) => ({
      ...{ eventName: 'Signed up', userId: `user-${i}`, eventTs: iso(i) },
      insertId: expect.stringMatching(/^mp-[0-9a-f]{32}$/) as string,
      properties: { $insert_id: `i${i}`, text: word(i), $city: 'Köln' },
    }),
  },
  amplitude: {
    fileOf: (from, until) => {
      const record = (i: number) => ({
        ...{ event_type: 'opened', event_time: `${local(i)}456`, server_upload_time: local(i + 5) },
        ...{
          user_id: null,
          device_id: `device-${i}`,
          amplitude_id: 1000 + i,
          uuid: uuid(i),
          $insert_id: null,
        },
        ...{ event_properties: { text: word(i), n: i }, user_properties: { plan: 'pro' }, session_id: -1 },
      });
      const middle = Math.floor((from + until) / 2);
      return zipOf({
        '12345/12345_2023-11-14_22#1.json.gz': lines(record)(from, middle),
        '12345/12345_2023-11-14_23#1.json.gz': lines(record)(middle, until),
      });
    },
    expected: (i) => ({
      ...{ eventName: 'opened', userId: `device-${i}`, eventTs: iso(i), insertId: uuid(i) },
      properties: {
        ...{ text: word(i), n: i },
        amplitude: {
          ...{ event_time: `${local(i)}456` },
          ...{ server_upload_time: local(i + 5), device_id: `device-${i}`, amplitude_id: 1000 + i },
          ...{ user_properties: { plan: 'pro' }, session_id: -1 },
        },
      },
    }),
  },
  posthog: {
    fileOf: lines((i) => ({
      ...{ uuid: uuid(i), event: '$pageview', distinct_id: `user-${i}`, person_id: uuid(9), team_id: 2 },
      properties: { text: word(i), $current_url: 'https://example.org/', posthog: 'own' },
      person_properties: { email: 'a@example.org' },
      ...{ elements_chain: '', timestamp: iso(i).replace('Z', '+00:00'), created_at: iso(i + 3) },
    })),
    expected: (i) => ({
      ...{ eventName: '$pageview', userId: `user-${i}`, eventTs: iso(i), insertId: uuid(i) },
      properties: {
        ...{ text: word(i), $current_url: 'https://example.org/', posthog: 'own' },
        $person: { email: 'a@example.org' },
        posthog_: { person_id: uuid(9), team_id: 2, created_at: iso(i + 3) },
      },
    }),
  },
  segment: {
    fileOf: lines((i) =>
      i % 2 === 0
        ? {
            ...call(i),
            type: 'track',
            event: 'Order Completed',
            userId: `user-${i}`,
            properties: { text: word(i) },
          }
        : { ...call(i), type: 'page', name: 'Home', properties: { text: word(i) } },
    ),
    expected: (i) => ({
      eventName: i % 2 === 0 ? 'Order Completed' : 'page_viewed',
      userId: i % 2 === 0 ? `user-${i}` : `anon-${i % 5}`,
      ...{ eventTs: iso(i), insertId: call(i).messageId },
      properties: expect.objectContaining({
        text: word(i),
        context: call(i).context,
        segment: expect.objectContaining(
          i % 2 === 0 ? { type: 'track', anonymousId: `anon-${i % 5}` } : { type: 'page', name: 'Home' },
        ) as object,
      }) as object,
    }),
  },
  rudderstack: {
    fileOf: lines((i) => ({
      ...call(i),
      ...{
        type: 'identify',
        userId: `user-${i}`,
        rudderId: uuid(i),
        channel: 'web',
        traits: { text: word(i) },
      },
    })),
    expected: (i) => ({
      ...{ eventName: 'user_identified', userId: `user-${i}`, eventTs: iso(i), insertId: call(i).messageId },
      properties: expect.objectContaining({
        text: word(i),
        rudderstack: expect.objectContaining({ rudderId: uuid(i), channel: 'web' }) as object,
      }) as object,
    }),
  },
  ga4: {
    fileOf: lines((i) => ({
      ...{ event_date: '20231114', event_timestamp: `${ms(i)}789`, event_name: 'purchase' },
      event_params: [
        { key: 'text', value: { string_value: word(i) } },
        { key: 'n', value: { int_value: String(i) } },
        { key: 'big', value: { int_value: '9007199254740993' } },
        { key: 'price', value: { double_value: 1.5 } },
        { key: 'rate', value: { float_value: 0.5 } },
      ],
      ...{ user_pseudo_id: `${i}.17`, user_id: null, event_bundle_sequence_id: '7' },
      ...{
        user_properties: [{ key: 'plan', value: { string_value: 'pro' } }],
        geo: { country: 'Österreich' },
      },
    })),
    expected: (i) => ({
      ...{ eventName: 'purchase', userId: `${i}.17`, eventTs: iso(i) },
      insertId: expect.stringMatching(/^ga4-[0-9a-f]{32}-1$/) as string,
      properties: {
        ...{ text: word(i), n: i, big: '9007199254740993', price: 1.5, rate: 0.5 },
        ga4: {
          ...{ event_date: '20231114', event_timestamp: `${ms(i)}789` },
          ...{ user_pseudo_id: `${i}.17`, event_bundle_sequence_id: '7' },
          ...{ user_properties: { plan: 'pro' }, geo: { country: 'Österreich' } },
        },
      },
    }),
  },
  snowplow: {
    fileOf: (from, until) => {
      const rows = range(from, until).map(snowplowRow);
      return gzipSync(
        rows.map((row) => `${SNOWPLOW_COLUMNS.map((name) => row[name] ?? '').join('\t')}\n`).join(''),
      );
    },
    expected: (i) => ({
      ...{ eventName: 'link_click', userId: `user-${i}`, eventTs: iso(i), insertId: `${uuid(i)}-f${i}` },
      properties: {
        ...{ text: word(i), n: i },
        snowplow: {
          ...{ app_id: 'shop', collector_tstamp: local(i + 1), derived_tstamp: local(i), event: 'unstruct' },
          ...{ domain_userid: `user-${i}`, domain_sessionidx: 3, br_cookies: true },
          page_url: `https://example.org/${i}`,
        },
      },
    }),
  },
  umami: {
    fileOf: (from, until) =>
      zipOf({
        'export/website_event.csv': toCsv(
          range(from, until).map((i) => ({
            ...{ event_id: uuid(i), website_id: uuid(1), session_id: uuid(2), created_at: local(i) },
            ...{ url_path: `/${i}`, page_title: word(i), event_type: i % 2 === 0 ? 1 : 2 },
            ...{ event_name: i % 2 === 0 ? '' : 'bought', distinct_id: '' },
          })),
        ),
        'export/event_data.csv': toCsv(
          range(from, until).flatMap((i) => [
            datum(i, 'text', 1, { string_value: word(i) }),
            datum(i, 'n', 2, { number_value: String(i) }),
            datum(i, 'ok', 3, { string_value: 'true' }),
          ]),
        ),
      }),
    expected: (i) => ({
      ...{ eventName: i % 2 === 0 ? 'page_viewed' : 'bought', userId: uuid(2), eventTs: iso(i) },
      insertId: uuid(i),
      properties: {
        ...{ text: word(i), n: i, ok: true },
        umami: {
          ...{ website_id: uuid(1), session_id: uuid(2), url_path: `/${i}`, page_title: word(i) },
          event_type: i % 2 === 0 ? '1' : '2',
        },
      },
    }),
  },
  'access-log': {
    fileOf: (from, until) => Buffer.from(range(from, until).map(logLine).join('')),
    expected: (i) => ({
      eventName: 'http_request',
      userId: i % 2 === 0 ? 'frank' : (expect.stringMatching(/^client-[0-9a-f]{32}$/) as string),
      eventTs: new Date(Math.floor(ms(i) / 1000) * 1000).toISOString(),
      insertId: expect.stringMatching(/^log-[0-9a-f]{32}-1$/) as string,
      properties: {
        ...{ method: 'GET', path: `/ü/${i}`, query: 'a=1', protocol: 'HTTP/1.1', status: 200 },
        ...(i % 3 === 0 ? {} : { bytes: i }),
        agent: `Mozilla "${i}"`,
      },
    }),
  },
};

/** A row of `event_data.csv`. */
export function datum(i: number, key: string, type: number, value: object) {
  const none = { string_value: '', number_value: '', date_value: '' };
  return { website_event_id: uuid(i), data_key: key, ...none, ...value, data_type: type };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function logLine(i: number): string {
  const zoned = new Date(ms(i) + 7_200_000).toISOString();
  const day = `${zoned.slice(8, 10)}/${MONTHS[Number(zoned.slice(5, 7)) - 1]}/${zoned.slice(0, 4)}`;
  const user = i % 2 === 0 ? 'frank' : '-';
  const request = `GET /\\xc3\\xbc/${i}?a=1 HTTP/1.1`;
  const bytes = i % 3 === 0 ? '-' : i;
  const client = `203.0.113.${i % 250} - ${user} [${day}:${zoned.slice(11, 19)} +0200]`;
  return `${client} "${request}" 200 ${bytes} "-" "Mozilla \\"${i}\\""\n`;
}
