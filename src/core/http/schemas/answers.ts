import { EVENT_INPUT_FIELDS, type EventInputField } from '../../event/event-fields.ts';

/** JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Any text. */
export const text = { type: 'string' };
const event: Json = {
  type: 'object',
  required: ['eventName', 'userId', 'eventTs', 'properties', 'eventDate', 'insertId'],
  properties: {
    eventName: text,
    userId: text,
    eventTs: { type: 'string', format: 'date-time' },
    properties: { type: 'object' },
    eventDate: { type: 'string', format: 'date' },
    insertId: text,
  },
};
/** What a sender may say of an event: a function, so that a bundle without OpenAPI can leave it out. */
function eventInput(): Json {
  const eventFields = Object.entries<EventInputField>(EVENT_INPUT_FIELDS);
  return {
    type: 'object',
    required: eventFields.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
    properties: Object.fromEntries(eventFields.map(([name, { schema }]) => [name, schema])),
  };
}
const ingestReport: Json = {
  type: 'object',
  required: ['accepted', 'duplicates', 'rejected'],
  properties: {
    accepted: { type: 'integer' },
    duplicates: { type: 'integer' },
    rejected: {
      type: 'array',
      items: { type: 'object', properties: { index: { type: 'integer' }, error: text } },
    },
  },
};

const whole = { type: 'integer', minimum: 0 };
const breakdown: Json = {
  type: 'object',
  required: ['total', 'missing', 'arrays', 'objects', 'groupsTotal', 'groups'],
  properties: {
    ...{ total: whole, missing: whole, arrays: whole, objects: whole, groupsTotal: whole },
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'count'],
        properties: { key: { type: ['string', 'number', 'boolean'] }, count: whole, distinct: whole },
      },
    },
    distinct: whole,
  },
};

const properties: Json = {
  type: 'object',
  required: ['properties', 'more'],
  properties: {
    properties: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'types', 'examples'],
        properties: {
          path: text,
          types: { type: 'object', additionalProperties: whole },
          rest: whole,
          examples: { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
        },
      },
    },
    more: { type: 'boolean' },
    rest: whole,
  },
};

const numbers = { offset: whole, size: whole };
const explanation: Json = {
  type: 'object',
  required: ['query', 'unknownPaths', 'more', 'plan'],
  properties: {
    query: {
      type: 'object',
      required: ['filterSet', 'pagination'],
      properties: {
        filterSet: { type: 'array', items: { $ref: '#/components/schemas/FilterEntry' } },
        pagination: { type: 'object', properties: { ...numbers, cursor: text } },
      },
    },
    unknownPaths: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'nearest'],
        properties: { path: text, nearest: { type: 'array', items: text } },
      },
    },
    more: { type: 'boolean' },
    plan: {
      type: 'object',
      required: ['by'],
      properties: {
        by: { enum: ['columns', 'store'] },
        events: whole,
        paths: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'from', 'read'],
            properties: { path: text, from: { enum: ['column', 'order', 'hashes', 'events'] }, read: whole },
          },
        },
      },
    },
  },
};

/** What is sent and answered, but for the bodies of the Query API, which have schemas of their own. */
export function answerSchemas(): Readonly<Record<string, Json>> {
  return {
    Event: event,
    EventInput: eventInput(),
    IngestReport: ingestReport,
    Breakdown: breakdown,
    Properties: properties,
    Explanation: explanation,
  };
}
