import { deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../support/random.ts';

/** A request before it becomes bytes. */
export interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** JSON as text that no serializer writes. */
const RAW_VALUES = [
  ...[
    '1e400',
    '-1e400',
    '-0',
    '1e-400',
    '123456789012345678901234567890',
    '1.7976931348623157e308',
    '9007199254740993',
  ],
  ...['NaN', 'Infinity', '0x1', '01', '+1', '.5', "'a'", 'undefined', '', '{', '}', '[', ']', ',', '"'],
  ...[
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\\x"',
    '"\\ud83d\\ude00"',
    '"\t"',
    '"\u0001"',
    '"\u2028"',
  ],
  ...['{"__proto__":{"polluted":1}}', '{"a":1,"a":2}', '{"constructor":{"prototype":{"x":1}}}', '{"":""}'],
  ...['[[[[1]]]]', '[{}]', '{"toJSON":1}', '{"length":5}', '"\ufeff"', '"é"', '"e\u0301"', '/**/1', 'nul'],
  '['.repeat(70) + ']'.repeat(70),
  '{"a":'.repeat(66) + '1' + '}'.repeat(66),
  '['.repeat(20_000),
  '['.repeat(5_000) + ']'.repeat(5_000),
  `[${'1,'.repeat(3_000)}1]`,
  `[${'{},'.repeat(2_500)}{}]`,
  `{${Array.from({ length: 1_100 }, (_, i) => `"k${i}":1`).join(',')}}`,
  JSON.stringify('x'.repeat(300)),
  JSON.stringify('x'.repeat(70_000)),
];

/** Values in place of others. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 5e-324, 4_102_444_800_000, 253_402_300_800_000, 1_714_730_400],
  ...['', ' ', 'a', '0', 'null', '2024-13-45', '2024-05-03', '1714730400', '__proto__', 'batch', 'track'],
  ...[
    'eqk_',
    'ID\u0000',
    '\ud800',
    '\u{1f600}'.repeat(130),
    'x'.repeat(256),
    'x'.repeat(257),
    '%00',
    '../..',
  ],
  ...[[], {}, [[]], [null], { a: null }, ['a', 1, {}], { '': 1 }, { $set: 1 }],
];

const KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toJSON', 'hasOwnProperty', '', 'a.b', '$', 'batch', 'events'],
  ...[
    'properties',
    'traits',
    'context',
    'segment',
    'rudderstack',
    'posthog',
    'mixpanel',
    'amplitude',
    'token',
  ],
  ...['api_key', 'writeKey', 'messageId', 'insert_id', '$insert_id', 'uuid', 'timestamp', 'time', 'type'],
  ...['eventName', 'receivedAt', 'eventDate', 'userId', 'dryRun', '\u0000', '\ud800', 'k'.repeat(300)],
];

type Parent = Record<string, unknown> | unknown[];

/** Every place in a JSON value: what holds it, and its key there. */
function placesIn(value: unknown, places: [Parent, string][] = []): [Parent, string][] {
  if (typeof value !== 'object' || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push([value as Parent, key]);
    placesIn((value as Record<string, unknown>)[key], places);
  }
  return places;
}

/** Sets an own key, `__proto__` too. */
function set(parent: Parent, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** JSON text of a value of which parts are dropped, doubled, moved or replaced. */
export function mutatedJson(given: unknown, form: 'json' | 'lines', random: Random): string {
  const root = { root: structuredClone(given) };
  const raws: string[] = [];
  const raw = (text: string) => `@raw${raws.push(text) - 1}@`;
  for (let left = random.between(1, 3); left > 0; left--) {
    const [parent, key] = random.pick(placesIn(root));
    const held = (parent as Record<string, unknown>)[key];
    switch (random.below(9)) {
      case 0:
        if (Array.isArray(parent)) parent.splice(Number(key), 1);
        else if (parent !== (root as Parent)) Reflect.deleteProperty(parent, key);
        break;
      case 1:
        if (Array.isArray(parent)) parent.push(...Array.from({ length: random.between(1, 30) }, () => held));
        else if (parent !== (root as Parent)) set(parent, random.pick(KEYS), held);
        break;
      case 2:
      case 3:
        set(parent, key, structuredClone(random.pick(VALUES)));
        break;
      case 4:
      case 5:
        set(parent, key, raw(random.pick(RAW_VALUES)));
        break;
      case 6:
        set(parent, key, random.next() < 0.5 ? [held] : { [random.pick(KEYS)]: held });
        break;
      case 7: {
        const [, other] = random.pick(placesIn(root));
        if (!Array.isArray(parent) && parent !== (root as Parent)) set(parent, other, held);
        break;
      }
      default:
        if (typeof held === 'object' && held !== null && !Array.isArray(held)) {
          set(held as Parent, random.pick(KEYS), raw(random.pick(RAW_VALUES)));
        } else set(parent, key, raw(`${JSON.stringify(held)},${JSON.stringify(random.pick(KEYS))}:1`));
    }
  }
  return serialized(root.root, form).replace(/"@raw(\d+)@"/g, (_, index: string) => raws[Number(index)]!);
}

/** The JSON of a body, as one text or as lines. */
export function serialized(value: unknown, form: 'json' | 'lines'): string {
  if (form === 'lines' && Array.isArray(value)) return value.map((each) => JSON.stringify(each)).join('\n');
  return value === undefined ? '' : JSON.stringify(value);
}

/** Bytes that are no UTF-8, or that only lenient decoders take: CESU, overlong forms, cut sequences. */
const BYTES = [
  'eda080edb080',
  'c080',
  'efbbbf',
  'fffe',
  'f4908080',
  'e28182',
  '80',
  '00',
  '1f8b',
  '0d0a',
  'e280a8',
].map((hex) => Buffer.from(hex, 'hex'));

function mutatedBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const until = Math.min(bytes.length, at + random.between(1, 20));
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const copy = Buffer.from(bytes);
      for (let i = at; i < copy.length; i += 1 + random.below(400)) copy[i]! ^= 1 << random.below(8);
      return copy;
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), random.pick(BYTES), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(until)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)]);
    default:
      return random.next() < 0.5 ? Buffer.concat([bytes, bytes]) : random.bytes(random.below(40));
  }
}

/** 12 MiB of a batch's beginning, more than a body may have decompressed. */
let bomb: Buffer | undefined;

function packed({ headers, body, ...more }: Outgoing, random: Random): Outgoing {
  const gzip = { ...headers, 'content-encoding': 'gzip' };
  const whole = gzipSync(body);
  switch (random.below(10)) {
    case 0:
      return {
        ...more,
        headers: gzip,
        body: whole.subarray(0, random.below(whole.length)),
      };
    case 1:
      return { ...more, headers: gzip, body: mutatedBytes(whole, random) };
    case 2:
      return { ...more, headers: gzip, body: gzipSync(whole) };
    case 3:
      return {
        ...more,
        headers: gzip,
        body: Buffer.concat([whole, gzipSync(Buffer.from(' '))]),
      };
    case 4:
      return { ...more, headers: gzip, body };
    case 5:
      return { ...more, headers, body: whole };
    case 6:
      return {
        ...more,
        headers: { ...headers, 'content-encoding': 'deflate' },
        body: deflateSync(body),
      };
    case 7: {
      const encoding = random.pick([
        'br',
        'identity',
        'GZIP',
        'x-gzip',
        'gzip, gzip',
        '',
        'gzip;q=1',
        'eqk_',
      ]);
      return {
        ...more,
        headers: { ...headers, 'content-encoding': encoding },
        body,
      };
    }
    case 8:
      // It takes as long as a hundred others.
      if (random.below(20) > 0) return { ...more, headers: gzip, body: whole };
      bomb ??= gzipSync(`[${' '.repeat(12 * 1_048_576)}`);
      return { ...more, headers: gzip, body: bomb };
    default:
      return { ...more, headers: gzip, body: whole };
  }
}

const TYPES = [
  ...[
    'application/json',
    'text/plain',
    'application/x-ndjson',
    'application/x-www-form-urlencoded',
    '',
    '*/*',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json;charset="utf-8"',
    'APPLICATION/JSON',
    'text/html',
  ],
  ...['application/json, text/plain', 'multipart/form-data; boundary=a', '__proto__', 'constructor', ';'],
];
const HEADERS: readonly (readonly [string, string])[] = [
  ...TYPES.map((type) => ['content-type', type] as const),
  ...[
    '018bcfe5-6800-7000-8000-000000000001',
    '"018bcfe5-6800-7000-8000-000000000002"',
    '',
    'x',
    '018bcfe5',
  ].map((key) => ['idempotency-key', key] as const),
  ...['https://shop.example', 'https://evil.example', 'null', '', 'a,b'].map((at) => ['origin', at] as const),
  ...([
    ['x-request-id', 'a'],
    ['x-forwarded-for', '10.0.0.1'],
    ['expect', 'x'],
    ['accept', 'text/csv'],
  ] as const),
  ...([
    ['traceparent', '00-0-0-01'],
    ['host', 'evil.example'],
    ['prefer', 'wait=0'],
    ['cookie', 'a=b'],
  ] as const),
];

const PARAMETERS = [
  ...[
    'dryRun=true',
    'dryRun=false',
    'dryRun',
    'DryRun=true',
    'dry_run=true',
    'dryRun=true&dryRun=true',
    'dryRun=1',
  ],
  ...[
    'dryRun=%74rue',
    '%64ryRun=true',
    'writeKey=',
    'writeKey=a&writeKey=b',
    'writekey=a',
    'compression=base64',
  ],
  ...[
    'compression=gzip',
    'verbose=1',
    'verbose=2',
    'img=1',
    'strict=0',
    'strict=1',
    'ip=1',
    'data=',
    'data=%zz',
  ],
  ...[
    'data=e30=',
    'data=W10=',
    'data=[]',
    '&&&',
    '=',
    '?',
    '%00',
    '%ff',
    'a'.repeat(2_000),
    '__proto__=1',
    'callback=x',
  ],
];

function mutatedTarget(target: string, aliases: readonly string[], random: Random): string {
  const [path = '', ...queries] = target.split('?');
  const query = queries.join('?');
  const joined = (newPath: string, newQuery = query) =>
    newQuery === '' ? newPath : `${newPath}?${newQuery}`;
  const segments = path.split('/');
  const at = random.between(1, segments.length - 1);
  const replaced = (text: string) => joined(segments.map((each, i) => (i === at ? text : each)).join('/'));
  switch (random.below(12)) {
    case 0:
      return replaced(`/${segments[at]!}`);
    case 1:
      return replaced(`${segments[at]!}%2F`);
    case 2:
      return joined(path.endsWith('/') ? path.slice(0, -1) : `${path}/`);
    case 3:
      return replaced(
        Array.from(segments[at]!, (c) => `%${c.codePointAt(0)!.toString(16).padStart(2, '0')}`).join(''),
      );
    case 4:
      return replaced(
        random.pick(['..', '.', '', '%', '%2e%2e', '%ff', '%00', '*', 'constructor', '__proto__']),
      );
    case 5:
      return replaced(
        random.pick(['batch', 'track', 'import', 'e', 'multi', 'v1', 'flags', 'settings', 'x', 'm']),
      );
    case 6:
      return replaced(segments[at]!.toUpperCase());
    case 7:
      return joined(segments.map((each) => (aliases.includes(each) ? random.pick(aliases) : each)).join('/'));
    case 8:
      return joined(segments.filter((_, i) => i !== at).join('/'));
    default: {
      const parts = query === '' ? [] : query.split('&');
      parts.splice(random.below(parts.length + 1), random.below(2), random.pick(PARAMETERS));
      return joined(path, parts.join('&'));
    }
  }
}

/** Changes something of a request that is no part of its JSON. */
export function mutatedRequest(request: Outgoing, aliases: readonly string[], random: Random): Outgoing {
  switch (random.below(8)) {
    case 0:
    case 1:
      return { ...request, body: mutatedBytes(request.body, random) };
    case 2:
      return packed(request, random);
    case 3: {
      const [name, value] = random.pick(HEADERS);
      return { ...request, headers: { ...request.headers, [name]: value } };
    }
    case 4: {
      const kept = Object.entries(request.headers).filter(([name]) => name === 'host' || random.next() < 0.5);
      return { ...request, headers: Object.fromEntries(kept) };
    }
    case 5:
      if (random.below(4) > 0)
        return {
          ...request,
          target: mutatedTarget(request.target, aliases, random),
        };
      return {
        ...request,
        method: random.pick(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']),
      };
    default:
      return {
        ...request,
        target: mutatedTarget(request.target, aliases, random),
      };
  }
}
