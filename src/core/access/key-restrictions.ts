import { invalid, type ApiError } from '../base/errors.ts';
import { MINUTE_MS, type Window } from '../base/token-bucket.ts';
import { NAME_LENGTH_MAX } from '../event/event-fields.ts';
import { codePointLength, isStorableText, quote } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';

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

/** The refusal of restrictions for a key that is no public write key. */
export function onlyForWriteKeys(): ApiError {
  return invalid('restrictions', 'are for a key with the permission write only');
}

/** The restrictions of a new public write key, with what is not said. Throws ApiError (400). */
export function toRestrictions({ origins, ...others }: KeyRestrictionsOptions): KeyRestrictions {
  return {
    origins: toOrigins(origins),
    eventNames: null,
    ...DEFAULT_WRITE_LIMITS,
    ...toRestrictionChanges(others),
  };
}

/** Changes to the restrictions of a public write key, without duplicates. Throws ApiError (400). */
export function toRestrictionChanges({
  origins,
  eventNames,
  eventsPerMinute,
  eventsPerDay,
}: Partial<KeyRestrictions>): Partial<KeyRestrictions> {
  return {
    ...(origins === undefined ? {} : { origins: toOrigins(origins) }),
    ...(eventNames === undefined ? {} : { eventNames: eventNames && toEventNames(eventNames) }),
    ...(eventsPerMinute === undefined ? {} : { eventsPerMinute }),
    ...(eventsPerDay === undefined ? {} : { eventsPerDay }),
  };
}

function toOrigins(given: readonly string[]): readonly string[] {
  const origins = [...new Set(given)];
  if (origins.includes(ANY_ORIGIN)) {
    if (origins.length > 1) throw invalid('origins', `takes "${ANY_ORIGIN}" alone, or origins without it`);
    return [ANY_ORIGIN];
  }
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return origins;
  const form = 'scheme, host and port as browsers send them, in lower case, without a path or a default port';
  throw invalid('origins', `takes https://shop.example (${form}), or "*" alone, got ${quote(wrong)}`);
}

function isOrigin(origin: string): boolean {
  const found = ORIGIN_PATTERN.exec(origin);
  if (found === null) return false;
  const [, scheme = '', port] = found;
  // A browser never sends the default port, so such an origin would match nothing.
  return port === undefined || port !== DEFAULT_PORTS[scheme];
}

function toEventNames(given: readonly string[]): readonly string[] {
  const names = [...new Set(given)];
  const isName = (name: string) =>
    name !== '' && codePointLength(name) <= NAME_LENGTH_MAX && isStorableText(name);
  const wrong = names.find((name) => !isName(name));
  if (wrong === undefined) return names;
  throw invalid('eventNames', `takes names of 1 to ${NAME_LENGTH_MAX} characters, got ${quote(wrong)}`);
}
