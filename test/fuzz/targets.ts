import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { isAlias } from '../../src/core/access/tenant.ts';
import { canonicalJson } from '../../src/core/event/canonical-json.ts';
import { parseEvent } from '../../src/core/event/parse-event.ts';
import { isStorableText } from '../../src/core/event/text.ts';
import { toIsoDay } from '../../src/core/event/time.ts';
import { parsePath, pathText } from '../../src/core/filter/path.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import { findRoute } from '../../src/core/http/route.ts';
import { splitTarget } from '../../src/core/http/target.ts';
import { parseCursor } from '../../src/core/query/cursor.ts';
import { isApiError } from '../../src/index.ts';
import {
  parseDay,
  parseInstant,
  parseJsonLine,
  parseQueryBody,
  toCursor,
  toEventJson,
} from '../../src/internal.ts';
import { compilePredicate, isJwksUrl, parseCountBody, toIsoInstant } from '../../src/store-kit.ts';
import { eventInputs, jsonValues, storedEvents } from '../conformance/arbitraries/events.ts';
import { filterEntries } from '../conformance/arbitraries/filters.ts';
import { bodies } from '../conformance/arbitraries/queries.ts';
import { INSERT_IDS, INSTANTS, KEYS } from '../conformance/arbitraries/traps.ts';
import { nearlyValidBodies, spoiled } from '../core/query/bodies.ts';
import { edited } from './texts.ts';

/** Whether a parser took an input; a property that does not hold throws. */
export type Outcome = 'accepted' | 'refused';

/** A parser with inputs for it, and what has to hold for each of them. */
export interface Target {
  readonly name: string;
  readonly inputs: fc.Arbitrary<unknown>;
  readonly check: (input: never) => Outcome;
}

function target<Input>(name: string, inputs: fc.Arbitrary<Input>, check: (input: Input) => Outcome): Target {
  return { name, inputs, check };
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

/** Runs a parser that may throw nothing but a 400 whose text is short and can be read. */
function attempt<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (!isApiError(error) || error.status !== 400) throw error;
    must(error.message.length < 1000 && error.message.isWellFormed(), 'a refusal is short and well-formed');
    return undefined;
  }
}

const LATEST = Date.parse('2099-12-31T23:59:59.999Z');
const runtime = { now: () => LATEST, newInsertId: () => '00000000-0000-4000-8000-000000000000' };
const samples = fc.sample(storedEvents, { numRuns: 8, seed: 1 });
const views = samples.map(toEventView);
const everything = parseCountBody({});

const segments = fc.oneof(
  fc.constantFrom(...KEYS.filter((key) => key !== '')),
  fc.string({ unit: fc.constantFrom('.', '\\', 'a', '_'), minLength: 1, maxLength: 4 }),
);
const paths = fc
  .array(segments, { minLength: 1, maxLength: 6 })
  .map((keys) => pathText({ root: 'properties', segments: keys }));

const path = target(
  'path',
  edited(fc.oneof(paths, fc.constantFrom('eventName', 'eventTs', 'insertId'))),
  (text) => {
    const parsed = attempt(() => parsePath(text, 'property'));
    if (parsed === undefined) return 'refused';
    must(pathText(parsed) === text, 'pathText writes what parsePath read');
    must(
      parsed.segments.every((key) => key !== '' && isStorableText(key)),
      'segments are storable and not empty',
    );
    return 'accepted';
  },
);

const filter = target(
  'filter',
  spoiled(filterEntries(samples).map((entry): unknown => [entry])),
  (filterSet) => {
    const query = attempt(() => parseCountBody({ filterSet }));
    if (query === undefined) return 'refused';
    const generated = compilePredicate(query, { codeGeneration: true });
    const plain = compilePredicate(query, { codeGeneration: false });
    for (const view of views) must(generated(view) === plain(view), 'both predicates agree');
    return 'accepted';
  },
);

const body = target('body', fc.oneof(nearlyValidBodies, spoiled(bodies(samples))), (input) => {
  const text = JSON.stringify(input) as string | undefined;
  if (text === undefined) return 'refused';
  const parsed = attempt(() => parseQueryBody(JSON.parse(text)));
  if (parsed === undefined) return 'refused';
  must(isDeepStrictEqual(parseQueryBody(JSON.parse(text)), parsed), 'the same body means the same');
  const { offset, size } = parsed.page;
  must(Number.isSafeInteger(offset) && offset >= 0 && size >= 1 && size <= 1000, 'the page is in its bounds');
  return 'accepted';
});

const dates = fc.oneof(
  fc.constantFrom(...INSTANTS).map(toIsoInstant),
  fc.constantFrom(...INSTANTS).map(toIsoDay),
  fc.constantFrom('2024-02-29T23:59:59.999999+05:30', '2024-05-18T10:00Z', '2024-05-18t10:00:00,5-2359'),
);

const date = target('date', edited(dates), (text) => {
  const day = parseDay(text);
  if (day !== undefined) must(toIsoDay(day) === text, 'toIsoDay writes what parseDay read');
  const instant = parseInstant(text);
  if (instant === undefined) return day === undefined ? 'refused' : 'accepted';
  must(Number.isSafeInteger(instant), 'an instant is a whole number');
  const iso = toIsoInstant(instant);
  if (/^\d{4}-/.test(iso)) must(parseInstant(iso) === instant, 'parseInstant reads what toIsoInstant writes');
  // Where the language's own parser takes the form, it has to mean the same.
  const plain = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (plain) must(Date.parse(text) === instant, 'an instant is what Date.parse reads');
  return 'accepted';
});

const cursors = fc
  .record({ eventTs: fc.constantFrom(...INSTANTS), insertId: fc.constantFrom(...INSERT_IDS) })
  .map((position) => toCursor(everything, position));

const cursor = target('cursor', edited(cursors), (text) => {
  const position = attempt(() => parseCursor(text, everything, 'pagination.cursor'));
  if (position === undefined) return 'refused';
  must(/^[\x20-\x7e]{1,128}$/.test(position.insertId), 'an id is printable ASCII');
  const again = parseCursor(toCursor(everything, position), everything, 'pagination.cursor');
  must(isDeepStrictEqual(again, position), 'parseCursor reads what toCursor writes');
  return 'accepted';
});

const lines = fc.array(
  fc.oneof(jsonValues, eventInputs).map((value) => JSON.stringify(value)),
  { maxLength: 4 },
);

const ndjson = target('NDJSON', edited(lines.map((some) => some.join('\n'))), (text) => {
  let accepted = false;
  for (const line of text.split('\n')) {
    const value = parseJsonLine(line);
    if (isApiError(value)) continue;
    const event = attempt(() => parseEvent(value, runtime));
    accepted ||= event !== undefined;
  }
  return accepted ? 'accepted' : 'refused';
});

/** Values of which JSON knows nothing. */
const foreign = fc.constantFrom<unknown>(
  ...[
    undefined,
    NaN,
    Infinity,
    -Infinity,
    -0,
    5n,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map(),
    /x/,
    '\ud800',
    'a\u0000',
  ],
  ...[
    Object.create(null),
    { toJSON: () => 1 },
    { '\udc00': 1 },
    [undefined],
    Array(3),
    new Uint8Array(2),
    new Error('e'),
  ],
);

const canonical = target(
  'canonical JSON',
  fc.oneof(
    { weight: 4, arbitrary: jsonValues },
    { weight: 1, arbitrary: fc.array(fc.oneof(jsonValues, foreign)) },
  ),
  (value) => {
    const text = attempt(() => canonicalJson({ value }, 'properties'));
    if (text === undefined) return 'refused';
    const parsed: unknown = JSON.parse(text);
    must(isDeepStrictEqual(parsed, JSON.parse(JSON.stringify({ value }))), 'the values are the same');
    must(canonicalJson(parsed, 'properties') === text, 'canonical text is written the same again');
    must(
      isStorableText(text) && !/(?<![\d.e+-])-?\d{17,}(?![\d.e])/.test(text.replace(/"([^"\\]|\\.)*"/g, '')),
      'no long integers',
    );
    return 'accepted';
  },
);

const event = target('event', spoiled(eventInputs), (input) => {
  const stored = attempt(() => parseEvent(input, runtime));
  if (stored === undefined) return 'refused';
  must(
    Number.isSafeInteger(stored.eventTs) && stored.eventTs >= 0 && stored.eventTs <= LATEST,
    'the time is in bounds',
  );
  must(
    isDeepStrictEqual(parseEvent(JSON.parse(toEventJson(stored)), runtime), stored),
    'an answer can be sent again',
  );
  return 'accepted';
});

const targets = fc.constantFrom(
  ...[
    '/v1/api/query/shop',
    '/v1/api/query/count/shop',
    '/v1/api/query/events/shop?a=b',
    '/v1/events/shop/multi',
  ],
  ...['/healthz', '/readyz', '/v1/api/query/%73hop', '/v1/api/query/a%2Fb'],
);

const route = target('route', edited(targets), (text) => {
  const found = findRoute(splitTarget(text).path);
  if (found === undefined) return 'refused';
  if ('alias' in found && isAlias(found.alias))
    must(!/[/?#%\s]/.test(found.alias), 'an alias has no separator');
  return 'accepted';
});

const urls = fc.constantFrom(
  ...['https://id.example/keys', 'http://localhost:8080/k', 'http://127.0.0.1/k?a=b', 'http://[::1]:80/k'],
  ...[
    'https://[2001:db8::1]/',
    'https://user:pass@id.example/',
    'http://127.0.0.1@evil.example/',
    'https://a.b#c',
  ],
);

const address = target('JWKS URL', edited(urls), (text) => {
  if (!isJwksUrl(text)) return 'refused';
  // Many a text that is shaped like an address is none, and then fetching fails: that harms nobody.
  if (!URL.canParse(text)) return 'refused';
  const { protocol, hostname, username, password } = new URL(text);
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  must(protocol === 'https:' || (protocol === 'http:' && loopback), 'https, or http on a loopback host');
  must(username === '' && password === '', 'no user info');
  return 'accepted';
});

/** Every parser that reads what comes from outside. */
export const TARGETS: readonly Target[] = [
  ...[path, filter, body, date, cursor, ndjson, canonical, event, route, address],
];
