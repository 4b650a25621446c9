import { invalid } from '../base/errors.ts';
import { MINUTE_MS, type Window } from '../base/token-bucket.ts';
import { NAME_LENGTH_MAX } from '../event/event-fields.ts';
import { codePointLength, describeValue, isStorableText, quote, quoteAny } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import { LIMIT_MAX } from './plan.ts';

/** What a public write key is restricted to, since everybody who opens a page can read it. */
export interface KeyRestrictions {
  /** The origins that may send with it, as browsers write them in `Origin`; `['*']` for any sender. */
  readonly origins: readonly string[];
  /** The names that its events may have; null for any. */
  readonly eventNames: readonly string[] | null;
  /** How many events may be sent with it in a minute, beside the limits of the tenant. */
  readonly eventsPerMinute: number;
  /** How many events may be sent with it in a day. */
  readonly eventsPerDay: number;
}

/** The restrictions of a new key; absent fields have their defaults. */
export type KeyRestrictionsOptions = Pick<KeyRestrictions, 'origins'> & Partial<KeyRestrictions>;

/** The origin that stands for any sender, also one that names no origin. */
const ANY_ORIGIN = '*';
/** How many origins a key may have. */
export const ORIGINS_MAX = 100;
/** How many event names a key may have. */
export const KEY_EVENT_NAMES_MAX = 100;
/** The limits of a key that sets none: 6,000 events a minute and a million a day. */
export const DEFAULT_WRITE_LIMITS = { eventsPerMinute: 6_000, eventsPerDay: 1_000_000 } as const;

/** A scheme, a host and perhaps a port, as the URL standard serializes an origin. */
const ORIGIN_PATTERN =
  /^([a-z][a-z0-9+.-]{0,62}):\/\/(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([1-9]\d{0,4}))?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Whether a sender with this `Origin` header, or without one, may use a key. */
export function takesOrigin({ origins }: KeyRestrictions, origin: string | undefined): boolean {
  return origins.includes(ANY_ORIGIN) || (origin !== undefined && origins.includes(origin));
}

/** The windows that count the events of a public write key. */
export function writeWindows({ eventsPerMinute, eventsPerDay }: KeyRestrictions): readonly Window[] {
  return [
    { limit: eventsPerMinute, windowMs: MINUTE_MS },
    { limit: eventsPerDay, windowMs: DAY_MS },
  ];
}

/** Parses the restrictions of a new public write key. Throws ApiError (400). */
export function parseKeyRestrictions(value: unknown): KeyRestrictions {
  const { origins, ...others } = fieldsOf(value, 'takes an object with origins');
  return {
    origins: parseOrigins(origins),
    eventNames: null,
    ...DEFAULT_WRITE_LIMITS,
    ...parseChanges(others),
  };
}

/** Parses changes to the restrictions of a public write key. Throws ApiError (400). */
export function parseRestrictionChanges(value: unknown): Partial<KeyRestrictions> {
  return parseChanges(fieldsOf(value, 'takes an object with what changes'));
}

type RestrictionFields = Readonly<Partial<Record<keyof KeyRestrictions, unknown>>>;

/** How each restriction is parsed. */
const PARSERS: Readonly<Record<keyof KeyRestrictions, (value: unknown) => unknown>> = {
  origins: parseOrigins,
  eventNames: (value) => (value === null ? null : parseEventNames(value)),
  eventsPerMinute: (value) => parseLimit('eventsPerMinute', value),
  eventsPerDay: (value) => parseLimit('eventsPerDay', value),
};
const FIELDS = Object.keys(PARSERS) as readonly (keyof KeyRestrictions)[];

function fieldsOf(value: unknown, takes: string): RestrictionFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('restrictions', `${takes}, got ${describeValue(value)}`);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(PARSERS, name));
  if (unknown !== undefined)
    throw invalid('restrictions', `unknown field ${quote(unknown)}; use ${FIELDS.join(', ')}`);
  return value;
}

/** The fields that are there, parsed. */
function parseChanges(fields: RestrictionFields): Partial<KeyRestrictions> {
  const given = FIELDS.filter((name) => fields[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, PARSERS[name](fields[name])]));
}

function parseOrigins(value: unknown): readonly string[] {
  const origins = parseList('origins', value, ORIGINS_MAX);
  if (origins.includes(ANY_ORIGIN)) {
    if (origins.length > 1) throw invalid('origins', `takes "${ANY_ORIGIN}" alone, or origins without it`);
    return [ANY_ORIGIN];
  }
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return origins as readonly string[];
  const form = 'scheme, host and port as browsers send them, in lower case, without a path or a default port';
  throw invalid('origins', `takes https://shop.example (${form}), or "*" alone, got ${quoteAny(wrong)}`);
}

function isOrigin(value: unknown): boolean {
  const found = typeof value === 'string' ? ORIGIN_PATTERN.exec(value) : null;
  if (found === null) return false;
  const [, scheme = '', port] = found;
  // A browser never sends the default port, so such an origin would match nothing.
  return port === undefined || port !== DEFAULT_PORTS[scheme];
}

function parseEventNames(value: unknown): readonly string[] {
  const names = parseList('eventNames', value, KEY_EVENT_NAMES_MAX);
  const isName = (name: unknown) =>
    typeof name === 'string' &&
    name !== '' &&
    codePointLength(name) <= NAME_LENGTH_MAX &&
    isStorableText(name);
  const wrong = names.find((name) => !isName(name));
  if (wrong === undefined) return names as readonly string[];
  throw invalid('eventNames', `takes names of 1 to ${NAME_LENGTH_MAX} characters, got ${quoteAny(wrong)}`);
}

/** A list of one to `max` values, without duplicates. */
function parseList(where: string, value: unknown, max: number): readonly unknown[] {
  if (Array.isArray(value) && value.length >= 1 && value.length <= max) return [...new Set<unknown>(value)];
  throw invalid(where, `takes an array of 1 to ${max} texts, got ${describeValue(value)}`);
}

function parseLimit(name: keyof typeof DEFAULT_WRITE_LIMITS, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LIMIT_MAX) return value;
  throw invalid(name, `takes a whole number from 1 to ${LIMIT_MAX}, got ${quoteAny(value)}`);
}
