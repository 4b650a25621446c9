/** The longest event name and user id, in characters. */
export const NAME_LENGTH_MAX = 256;
/** What an insert id may be: printable ASCII. */
export const INSERT_ID_PATTERN = /^[\x20-\x7e]{1,128}$/;
/** How many levels of objects and arrays properties may have. SQLite's own JSON functions stop at 1,000. */
export const PROPERTIES_DEPTH_MAX = 64;

/** How many keys properties may have, over all levels. */
export const KEYS_MAX = 10_000;

/** One field of an event as clients send it. */
export interface EventInputField {
  readonly required: boolean;
  /** The values it accepts, worded to follow "takes" in error messages. */
  readonly takes: string;
  /** Further notes for the documentation. */
  readonly more?: string;
}

const name: EventInputField = {
  required: true,
  takes: `a string of 1 to ${NAME_LENGTH_MAX} characters`,
};

/** The fields of an event as clients send it. Parsing and the documentation derive from this. */
export const EVENT_INPUT_FIELDS = {
  eventName: name,
  userId: name,
  eventTs: {
    required: false,
    takes: 'an ISO 8601 date-time with an offset (2024-05-18T10:00:00.000Z) or epoch milliseconds',
    more:
      '1970 to 2099, at most 24 hours in the future; finer than a millisecond is cut. ' +
      'A number below 1990 is refused, because it is nearly always seconds. Absent: the server’s clock',
  },
  insertId: {
    required: false,
    takes: '1 to 128 printable ASCII characters',
    more:
      'it needs an `eventTs`. Absent: a UUID of version 7 is made, later than all before, ' +
      'so that events without `eventTs` keep their order',
  },
  properties: {
    required: false,
    takes: 'an object',
    more:
      `at most ${PROPERTIES_DEPTH_MAX} levels and ${KEYS_MAX.toLocaleString('en')} keys; ` +
      'numbers finite, text well-formed and without U+0000. Absent: none',
  },
  eventDate: {
    required: false,
    takes: 'the UTC date of eventTs',
    more: 'as exported events have it; or absent',
  },
} as const satisfies Record<string, EventInputField>;
