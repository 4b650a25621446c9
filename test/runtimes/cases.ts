import { gzipSync } from 'node:zlib';

/** A request as JSON can carry it. */
export interface Case {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body?: string;
}

const EVENTS = Array.from({ length: 60 }, (_, i) => ({
  eventName: ['opened', 'paid', 'closed'][i % 3],
  userId: `user-${i % 7}`,
  eventTs: Date.UTC(2025, 0, 1, 0, i),
  insertId: `id-${i}`,
  properties: { i, plan: i % 2 === 0 ? 'pro' : 'free', text: longText(i) },
}));

/** Long enough that a page leaves in pieces, and not so alike that a batch were taken for a bomb. */
function longText(i: number): string {
  const codes = Array.from({ length: 9_000 }, (_, k) => 0x100 + ((k * k * (i + 7)) % 509));
  return String.fromCharCode(...codes);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const KEY = { ...JSON_TYPE, 'X-API-Key': '$key' };
const BATCH = '/v1/events/shop/multi';
const COUNT = '/v1/api/query/count/shop';
const GZIP = { 'Content-Encoding': 'gzip' };
const FILTER = JSON.stringify({
  filterSet: [
    { property: 'properties.i', comparison: 'GREATER_THAN', value: 9 },
    {
      anyOf: [
        { property: 'properties.plan', comparison: 'EQUALS', value: 'pro' },
        { property: 'eventName', comparison: 'IN', value: ['paid', 'ü'] },
        { not: { property: 'userId', comparison: 'STARTS_WITH', value: 'user' } },
      ],
    },
  ],
});

/** Zones whose clocks went forward, back, by half an hour, over a whole day, and by seconds. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Monrovia',
  'UTC',
];

/** How the names of such questions begin. */
const BY_CLOCKS = 'by clocks: ';

const HOUR_MS = 3_600_000;
/** Events around the days on which these clocks were changed, and far away from them. */
export const ZONED_EVENTS = [
  ...['2024-03-10', '2024-03-31', '2024-10-27', '2024-11-03', '2024-04-07', '2011-12-30', '1972-01-07'],
  ...['1970-02-01', '1999-12-31', '2025-10-26'],
].flatMap((day, d) =>
  Array.from({ length: 60 }, (_, i) => ({
    ...{ eventName: 'zoned', userId: `user-${i % 5}`, insertId: `zoned-${d}-${i}` },
    eventTs: new Date(Date.parse(day) + (i - 24) * HOUR_MS + i * 61_000).toISOString(),
    properties: { total: i / 8 },
  })),
);

/** Breakdowns of these events by the clocks of zones, and sequences by their days. */
export const ZONED_QUESTIONS = ZONES.flatMap((timeZone) => [
  // All time has too many days and weeks.
  ...(
    [
      ['day', '2024-01-01'],
      ['week', '1999-12-01'],
      ['month', '1970-01-01'],
    ] as const
  ).map(([by, after]) => ({
    path: '/v1/api/query/breakdown/shop',
    body: {
      ...{ event: 'zoned', by, timeZone, after, size: 1000 },
      measures: [{ of: 'properties.total', take: ['sum', 'p95'] }],
    },
  })),
  ...['2024-03-31', '2011-12-30', '1972-01-07'].map((day) => ({
    path: '/v1/api/query/breakdown/shop',
    body: { event: 'zoned', by: 'hour', timeZone, after: day, before: day, distinct: 'userId' },
  })),
  {
    path: '/v1/api/query/retention/shop',
    body: { steps: [{ event: 'zoned' }, { event: 'zoned' }], unit: 'week', timeZone, after: '2024-01-01' },
  },
]);

function toCase(
  name: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
  method = body === undefined ? 'GET' : 'POST',
): Case {
  const sent = body === undefined ? {} : { body: Buffer.from(body).toString('base64') };
  return { name, path, method, headers, ...sent };
}

/** What is asked in every runtime, in this order. */
export const CASES: readonly Case[] = [
  toCase('health', '/healthz', {}),
  toCase('a batch', BATCH, JSON_TYPE, JSON.stringify(EVENTS.slice(0, 30))),
  toCase('a batch in gzip', BATCH, { ...JSON_TYPE, ...GZIP }, gzipSync(JSON.stringify(EVENTS.slice(20)))),
  toCase('NDJSON', BATCH, { 'Content-Type': 'application/x-ndjson' }, JSON.stringify(EVENTS[0])),
  toCase('a count', COUNT, KEY, FILTER),
  toCase('the names', '/v1/api/query/events/shop', KEY),
  toCase('a page in pieces', '/v1/api/query/shop', KEY, FILTER),
  toCase('a wrong filter', COUNT, KEY, '{"filterSet":[{"property":"a","comparison":"IS","value":1}]}'),
  toCase('no JSON', COUNT, KEY, '{"a'),
  toCase('no UTF-8', COUNT, KEY, Uint8Array.of(0x22, 0xff, 0x22)),
  toCase('a body too large', COUNT, KEY, '{}'.padEnd(262_145)),
  toCase('gzip too large', COUNT, { ...KEY, ...GZIP }, gzipSync('{}'.padEnd(262_145))),
  toCase('a bomb', BATCH, { ...JSON_TYPE, ...GZIP }, gzipSync(Buffer.alloc(9_000_000))),
  toCase('no gzip', COUNT, { ...KEY, ...GZIP }, '{}'),
  toCase('gzip cut off', COUNT, { ...KEY, ...GZIP }, gzipSync('{}').subarray(0, -4)),
  toCase('gzip and zeros', COUNT, { ...KEY, ...GZIP }, Buffer.concat([gzipSync('{}'), Buffer.alloc(3)])),
  toCase('gzip in members', COUNT, { ...KEY, ...GZIP }, Buffer.concat([gzipSync('{'), gzipSync('}')])),
  toCase('no key', COUNT, JSON_TYPE, '{}'),
  toCase('no route', '/v1/nothing', {}),
  toCase('another method', COUNT, KEY, '{}', 'PUT'),
  toCase('events of many days', BATCH, JSON_TYPE, JSON.stringify(ZONED_EVENTS)),
  ...ZONED_QUESTIONS.map(({ path, body }) => {
    const text = JSON.stringify(body);
    return toCase(BY_CLOCKS + text, path, KEY, text);
  }),
  toCase(
    'a zone that there is not',
    '/v1/api/query/breakdown/shop',
    KEY,
    '{"by":"day","timeZone":"Europe/Bern"}',
  ),
  toCase('a preflight', BATCH, { Origin: 'https://a.example' }, undefined, 'OPTIONS'),
];

/** What the questions by clocks were answered, among all answers. */
export const zonedAnswers = (seen: readonly Seen[]): readonly string[] =>
  seen.filter(({ name }) => name.startsWith(BY_CLOCKS)).map(({ body }) => body);

/** What is compared of an answer: what the API says, not what a server adds. */
export interface Seen {
  readonly name: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const OF_SERVERS = /^(x-request-id|date|connection|keep-alive|transfer-encoding|content-length|server)$/;

/** Asks for every case, one after the other, by a function that answers requests of an origin. */
export async function askAll(
  origin: string,
  answer: (request: Request) => Promise<Response>,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { name, path, method, headers, body } of CASES) {
    const init = body === undefined ? {} : { body: Buffer.from(body, 'base64') };
    // A runtime may pack what its client takes packed.
    const all = { 'Accept-Encoding': 'identity', ...headers };
    const response = await answer(new Request(origin + path, { method, headers: all, ...init }));
    const said = [...response.headers].filter(([header]) => !OF_SERVERS.test(header)).sort();
    seen.push({ name, status: response.status, headers: said, body: await response.text() });
  }
  return seen;
}
